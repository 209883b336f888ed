"""SVG as text: elements, escaping, colours. No dependency, no script, no identifier, no link.

The same drawing serves a file, a page and an editor's hover, so its style travels inside, all of
it under one class, and follows the reader's colour scheme. Colours are those of Okabe and Ito,
which colour-blind readers tell apart; dashes and shapes say the same again.
"""

from collections.abc import Iterable, Mapping

from rooflint.escaping import visible

FONT = "font-family:system-ui,'DejaVu Sans',sans-serif"
LIGHT = {
    "ink": "#1f2328", "dim": "#59636e", "grid": "#e3e7eb", "paper": "#fff",
    "a": "#0072b2", "b": "#c04d00", "c": "#00795a", "d": "#a8437e", "e": "#7a6a00",
}  # fmt: skip
DARK = {
    "ink": "#e6edf3", "dim": "#9aa4ae", "grid": "#2a3038", "paper": "#0d1117",
    "a": "#56b4e9", "b": "#f0913d", "c": "#3fc79a", "d": "#e08fc0", "e": "#e0d060",
}  # fmt: skip
NEUTRAL = {
    "ink": "#767e88", "dim": "#767e88", "grid": "#80808040", "paper": "transparent",
    "a": "#3b8bcc", "b": "#cc6a1f", "c": "#1f9a72", "d": "#bf649b", "e": "#96870f",
}  # fmt: skip
"""For a ground that the drawing does not know: 3:1 against white and against dark grey alike."""
REGIONS = {"memory": "#f0e442", "compute": "#56b4e9", "both": "#009e73"}
"""The report's own colours (Figure 2c) in the palette's hues."""
SERIES = "abcde"
_FORMS = (
    "0,-1 1,0 0,1 -1,0",
    "-.85,-.85 .85,-.85 .85,.85 -.85,.85",
    "0,-1 1,.8 -1,.8",
    "0,1 1,-.8 -1,-.8",
    "-1,0 -.5,-.87 .5,-.87 1,0 .5,.87 -.5,.87",
    "-1,-.4 -.4,-.4 -.4,-1 .4,-1 .4,-.4 1,-.4 1,.4 .4,.4 .4,1 -.4,1 -.4,.4 -1,.4",
)
SHAPES = tuple(
    tuple((float(x), float(y)) for x, y in (corner.split(",") for corner in form.split()))
    for form in _FORMS
)
"""Diamond, square, triangles up and down, hexagon, cross; in units of the marker's size."""
DASHES = ("", "9 4", "3 3", "10 3 2 3", "1 3")


def escape(text: str) -> str:
    """``text`` for XML, in content and in attributes."""
    kept = visible(text)
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        kept = kept.replace(plain, entity)
    return kept


def number(value: float) -> str:
    """At most one decimal: a tenth of a pixel is not seen."""
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def element(name: str, attributes: Mapping[str, object], *content: str) -> str:
    """``<name attributes>content</name>``; content is markup already, attributes are escaped."""
    words = [name]
    for key, value in attributes.items():
        if value is None or value == "":
            continue
        text = number(value) if isinstance(value, float) else escape(str(value))
        words.append(f'{key.rstrip("_").replace("_", "-")}="{text}"')
    head = " ".join(words)
    inner = "".join(content)
    return f"<{head}>{inner}</{name}>" if inner else f"<{head}/>"


def path(points: Iterable[tuple[float, float]], close: bool = False) -> str:
    """The ``d`` of straight lines through points."""
    steps = [f"{number(x)} {number(y)}" for x, y in points]
    return f"M{'L'.join(steps)}" + ("Z" if close else "")


def marker(shape: int, x: float, y: float, size: float) -> str:
    """The ``d`` of one of six shapes around a point: they differ without colour."""
    corners = SHAPES[shape % len(SHAPES)]
    return path([(x + dx * size, y + dy * size) for dx, dy in corners], close=True)


def style() -> str:
    """The style sheet, the same for all drawings: a page with many needs it once."""
    rules = [
        f".rl{{{_variables(LIGHT)}{FONT}}}",
        f"@media(prefers-color-scheme:dark){{.rl{{{_variables(DARK)}}}}}",
        *_rules(),
    ]
    return element("style", {}, "".join(rules))


def neutral_style() -> str:
    """That of a drawing without ground, whose reader's theme is unknown."""
    return element("style", {}, "".join([f".rl{{{_variables(NEUTRAL)}{FONT}}}", *_rules()]))


def _variables(colours: Mapping[str, str]) -> str:
    return "".join([f"--{name}:{colour};" for name, colour in colours.items()])


def _rules() -> list[str]:
    rules = [
        ".rl text{fill:var(--ink)}.rl .q{fill:var(--dim)}.rl .p{fill:var(--paper)}",
        ".rl .g{stroke:var(--grid);fill:none}.rl .f{stroke:var(--dim);fill:none}",
        ".rl .h{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}",
        ".rl .r{fill:none;stroke-width:2.4}.rl .l{fill:none;stroke-width:1.3}",
        ".rl .x{stroke-width:1;stroke-dasharray:1 3;opacity:.75}",
        ".rl .v{stroke:var(--dim);stroke-width:1}.rl .o{fill:var(--paper);stroke-width:1.3}",
    ]
    for name in SERIES:
        rules.append(f".rl .{name}{{stroke:var(--{name})}}.rl text.t{name}{{fill:var(--{name})}}")
        rules.append(f".rl .m{name}{{fill:var(--{name});stroke:var(--paper);stroke-width:1.2}}")
    return rules
