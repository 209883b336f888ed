"""No door shows a character that hides, moves or turns what surrounds it; and none stumbles."""

import json
import os
import re
import types
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.cli.main import run
from rooflint.escaping import is_text, json_text, visible
from rooflint.plot import draw
from rooflint.plot.overview import overview_scene
from rooflint.plugin_api.advice import Edit
from rooflint.plugin_api.hookspecs import Renderer
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry, with_rules
from rooflint.render import BuiltinRenderers, FindingsRenderers
from rooflint.render.layout import Style

NASTY = "\x1b[31m\u202ee\u200bv\u2066i\ufeffl\x07\x9b\x7f\u2028\u3164\U000e0041\udcff\r\n\t|`"
CODE = """\
enum { N = 2000 };
double a[N][N];
void f(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i][j] = 2.0; // %s
}
"""
STYLE = Style(60)
RENDERERS: list[Renderer] = [
    *BuiltinRenderers(STYLE).rooflint_renderers(),
    *FindingsRenderers(STYLE).rooflint_renderers()[:1],
    *FindingsRenderers(STYLE).rooflint_renderers()[2:],
]


def hidden(text: str, allowed: str = "\n") -> set[str]:
    """Characters without a glyph, by Unicode's categories: not by our own list."""
    return {
        f"{ord(c):04x}"
        for c in text
        if c not in allowed and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    }


@given(st.text())
def test_what_is_visible(text: str) -> None:
    shown = visible(text)
    assert not hidden(shown, allowed="")
    assert is_text(shown)
    assert visible(shown) == shown
    if not hidden(text, allowed="") and text.isprintable():
        assert shown == text or re.search("[\u034f-\ufe0f]", text)


@given(st.text())
def test_json_keeps_the_data(text: str) -> None:
    written = json_text({text: [text, 1]})
    assert not hidden(written)
    assert is_text(written)
    assert json.loads(written) == {text: [text, 1]}


def test_bytes_of_names_are_told_from_characters() -> None:
    assert visible("\udcff\xff \udc80 \ud800 \x9b") == "\\xffÿ \\x80 \\ud800 \\x9b"


def poisoned(value: Any, kind: Any) -> Any:  # noqa: ANN401 - a value of any field
    """``value`` with every plain text made nasty; words of a closed list stay."""
    if kind is str:
        return f"{NASTY}{value}{NASTY}"
    if isinstance(value, Edit):
        return value._replace(text=poisoned(value.text, str))
    fields = getattr(value, "_fields", ())
    if fields:
        kinds = hints(type(value))
        return type(value)(*(poisoned(getattr(value, name), kinds[name]) for name in fields))
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        kinds_of = [k for k in inside if k is not type(None)]
        texts = str in kinds_of and isinstance(value, str)
        return poisoned(value, str if texts else kinds_of[0]) if value is not None else None
    if isinstance(value, tuple):
        each = inside[:1] * len(value) if inside[1:] == (...,) else inside
        return tuple(poisoned(v, k) for v, k in zip(value, each, strict=False))
    if isinstance(value, Mapping) and inside:
        return {k: poisoned(v, inside[1]) for k, v in value.items()}
    return value


def hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report with a finding, predictions, refusals and diagnostics."""
    from rooflint.config.lint_settings import LintOverrides  # noqa: PLC0415
    from rooflint.lint import lint_file  # noqa: PLC0415
    from rooflint.pipeline import Options, Source, analyse  # noqa: PLC0415

    path = tmp_path_factory.mktemp("hidden") / "k.c"
    path.write_text(CODE % "x" + '#include "gone.h"\nvoid g(void) { undeclared(; }\n')
    registry = with_rules(load_registry())
    found = analyse([Source(str(path))], Options(), registry)
    linted = analyse([Source(str(path))], Options(lint=LintOverrides()), registry, lint_file)
    (file,), (other,) = found.files, linted.files
    assert other.findings
    assert file.functions
    return found._replace(
        files=(file._replace(findings=other.findings, silent=other.silent),),
        plugin_failures=("a plugin failed",),
    )


@pytest.mark.parametrize("renderer", RENDERERS, ids=lambda r: r.name)
def test_no_format_shows_what_hides(report: Report, renderer: Renderer) -> None:
    text = renderer.render(poisoned(report, Report))
    allowed = "\n\t" if renderer.name == "html" else "\n"  # tabs of code
    assert hidden(text, allowed) == set()
    assert is_text(text)


def test_no_plot_shows_what_hides(report: Report) -> None:
    scene = overview_scene(poisoned(report, Report))
    assert scene is not None
    text = draw(scene)
    assert hidden(text) == set()


NAME = os.fsdecode(b"k\xff\xe2\x80\xae\x1b[31m.c")
Rooflint = Callable[..., tuple[int, str, str]]


@pytest.fixture
def rooflint(
    capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Rooflint:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / NAME))
    try:
        (tmp_path / NAME).mkdir()
    except OSError:
        pytest.skip("the file system takes UTF-8 only")
    (tmp_path / "old").mkdir()
    for folder in (tmp_path, tmp_path / "old"):
        path = folder / f"s{NAME}"
        path.write_bytes((CODE % "").encode() + b"// caf\xe9\n")

    def call(*arguments: str) -> tuple[int, str, str]:
        capfdbinary.readouterr()
        code = run(arguments, arguments[0])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call


@pytest.mark.parametrize(
    "command",
    [
        *[("analyze", f"s{NAME}", "--format", form) for form in ("text", "json", "html")],
        *[("lint", f"s{NAME}", "--format", form) for form in (
            "full", "gcc", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown")],
        ("lint", ".", "--statistics"),
        ("lint", ".", "--write-baseline", "b.json"),
        ("lint", "--hook", f"s{NAME}"),
        *[("compare", "old", f"s{NAME}", "--machine", "skx", "--format", form)
          for form in ("text", "json", "markdown")],
        ("analyze", ".", "--plot", "plots"),
        ("analyze", f"gone{NAME}"),
        ("dump", f"s{NAME}"),
        ("cache", "info"),
        ("cache", "clear"),
        ("explain", f"s{NAME}:5"),
        ("lint", f"s{NAME}", "--show-settings"),
    ],
    ids=lambda command: "-".join(w for w in command if w.isascii()),
)  # fmt: skip
def test_a_file_whose_name_is_no_text(rooflint: Rooflint, command: tuple[str, ...]) -> None:
    code, out, err = rooflint(*command)
    assert "internal error" not in err
    assert code in (0, 1, 2)
    assert (code == 2) == any(word.startswith("gone") for word in command)
    assert hidden(out, "\n\t" if "html" in command else "\n") == set()
    assert hidden(err) == set()
    if "sarif" in command:
        (result, *_) = json.loads(out)["runs"][0]["results"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri == "sk%FF%E2%80%AE%1B%5B31m.c"
