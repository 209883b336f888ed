"""Settings of the lint: rules and thresholds of the command line, a configuration, defaults.

A rule is asked for by its code (``RL101``), the beginning of one (``RL1``), its prefix (``ACME``),
its slug, the name that another catalogue has for it, or ``ALL``. Rules in preview, and those that
claim no gain, run only where their full name is given, or where ``preview`` or ``structural`` is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from os.path import realpath, relpath
from typing import Any, Final, Literal, Protocol, TypeAlias

from rooflint.current_folder import current_folder
from rooflint.errors import UsageError, near_miss
from rooflint.plugin_api.action import Confidence, Severity
from rooflint.plugin_api.rule_code import ALL, is_selector, prefix_of, prefixes, selects
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

Policy: TypeAlias = Literal["all", "any"]
CONFIDENCES: Final[tuple[Confidence, ...]] = ("low", "medium", "high")
MIN_CONFIDENCE: Final[Confidence] = "medium"
SEVERITIES: Final[tuple[Severity, ...]] = ("hint", "note", "warning", "error")
FAIL_ON: Final = ("note", "warning", "error", "never")
GAIN_FROM: Final = "gain>="
OUTSIDE: Final = ".."
POLICIES: Final[tuple[Policy, ...]] = ("all", "any")
MIN_GAIN: Final = 1.2
"""Below it a change is not worth anybody's time: timings of the same code differ by a tenth."""
MIN_TIME_S: Final = 10e-6
"""Of a nest in a call, where nobody knows its share of a program's time."""
WARNING_GAIN: Final = 1.5
WARNING_SHARE: Final = 0.05
"""Of the function's time that a warning has to save."""
_TIME: Final = late_pattern(r"(\d+(?:\.\d*)?(?:e[-+]?\d+)?)\s*(ns|us|µs|ms|s)")
_UNITS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


class Name(Protocol):
    """The names of a rule; ``hookspecs.Rule`` has them, and so have the lint's own notes."""

    @property
    def code(self) -> str:
        """``RL101``; ``rooflint.plugin_api.rule_code`` says what a code is."""
        raise NotImplementedError

    @property
    def slug(self) -> str:
        """``column-walk``."""
        raise NotImplementedError

    @property
    def aliases(self) -> tuple[str, ...]:
        """``PWR039``."""
        raise NotImplementedError

    @property
    def status(self) -> Literal["stable", "preview", "structural"]:
        """Whether it runs without being named."""
        raise NotImplementedError


class Note(NamedTuple):
    """A note that the lint makes of its own: of input that it could not use as it is."""

    code: str
    slug: str
    summary: str
    aliases: tuple[str, ...] = ()
    status: Literal["stable", "preview", "structural"] = "stable"


NOTES: Final = (
    Note("RL001", "incomplete-parse", "a header is missing, or loops have errors"),
    Note(
        code="RL002",
        slug="loop-not-modelled",
        summary="a loop that the analysis cannot follow, or that runs on a device",
        aliases=(),
        status="structural",
    ),
    Note(
        code="RL003",
        slug="trip-count-assumed",
        summary="a trip count is assumed",
        aliases=(),
        status="structural",
    ),
    Note("RL004", "unused-suppression", "a comment accepts findings, but there are none"),
    Note(
        code="RL005",
        slug="unknown-machine-value",
        summary="the machine file lacks what a rule needs",
        aliases=(),
        status="structural",
    ),
    Note("RL006", "flags-inferred", "compile flags come from another file"),
    Note("RL007", "wrong-comment", "a rooflint comment that is not understood"),
    Note("RL008", "doubtful-machine-figure", "a disturbed measurement gave figures of the machine"),
)


class Pattern(NamedTuple):
    """Paths below ``root``: ``third_party/**``, ``*.c`` anywhere, ``src/old.c``, ``src``.

    Those elsewhere are meant only where the pattern says so: ``../include/**``.
    """

    glob: str
    root: str

    def matches(self, path: str) -> bool:
        """Whether ``path`` is meant. ``**/`` may stand for no folder at all."""
        seen = relpath(path, self.root or current_folder())
        if seen.startswith(OUTSIDE):  # a folder may be reached by a link
            seen = relpath(realpath(path), realpath(self.root or current_folder()))
        plain = self.glob.removeprefix("./").rstrip("/")
        if seen.startswith(OUTSIDE) and not plain.startswith(OUTSIDE):
            return False
        globs = (plain, plain.replace("**/", ""))
        return any(fnmatchcase(seen, each) or fnmatchcase(seen, f"{each}/*") for each in globs)


class LintOverrides(NamedTuple):
    """Settings of the command line or a configuration file; None or empty: not set.

    per_file  the rules that are off in the paths of a pattern
    exclude   paths that are not analysed
    headers   headers that are analysed if a file includes them
    silences  whether matches that are no finding are listed
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    min_gain: float | None = None
    min_time_s: float | None = None
    min_confidence: Confidence | None = None
    fail_on: str | None = None
    policy: Policy | None = None
    preview: bool = False
    structural: bool = False
    all_loops: bool = False
    show_skipped: bool = False
    hints: bool = False
    severity: Mapping[str, Severity] = {}
    per_file: Mapping[Pattern, tuple[str, ...]] = {}
    exclude: tuple[Pattern, ...] = ()
    headers: tuple[Pattern, ...] | None = None
    silences: bool = True

    def rules(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Every word that has to name a rule, and the keys that lead to it."""
        for key, words in (("select", self.select or ()), ("ignore", self.ignore)):
            yield from [((key,), word) for word in words]
        yield from [(("severity", word), word) for word in self.severity]
        for pattern, words in self.per_file.items():
            yield from [(("per-file", pattern.glob), word) for word in words]


class LintSettings(NamedTuple):
    """Thresholds and rules of one file.

    codes         of the rules and notes to run
    min_time_s    of a nest in a call; None: MIN_TIME_S where its share of the time is unknown
    structural    the pattern suffices: no thresholds, and only guards that are part of it
    all_loops     loops with little of the program's time count too, and unreached ones
    severity      by code, if the configuration overrides it
    hints         also report hints, for an editor
    fail_on       the lowest severity, or gain, that fails a run
    policy        on which of several machines a finding has to hold
    off           patterns of paths, and the codes that are off there
    known         all existing codes
    headers       headers that are analysed if a file includes them
    loops         lines and columns of kernels: only their nests are looked at; None: all
    silences      list matches that are no finding; without, nothing is matched where nothing can be
    """

    codes: frozenset[str]
    min_gain: float = MIN_GAIN
    min_time_s: float | None = None
    min_confidence: Confidence = MIN_CONFIDENCE
    fail_on: str = FAIL_ON[1]
    structural: bool = False
    all_loops: bool = False
    hints: bool = False
    severity: Mapping[str, Severity] = {}
    off: tuple[tuple[Pattern, frozenset[str]], ...] = ()
    exclude: tuple[Pattern, ...] = ()
    policy: Policy = POLICIES[0]
    known: frozenset[str] = frozenset()
    headers: tuple[Pattern, ...] = ()
    loops: frozenset[tuple[int, int]] | None = None
    silences: bool = True

    @property
    def ignores_shares(self) -> bool:
        """Whether loops are looked at however little of the program's time they take."""
        return self.structural or self.all_loops or self.loops is not None

    def for_file(self, path: str) -> "LintSettings":
        """The same without the rules that are off in ``path``."""
        off = [codes for pattern, codes in self.off if pattern.matches(path)]
        return self._replace(codes=self.codes.difference(*off)) if off else self

    def excludes(self, path: str) -> bool:
        """Whether ``path`` is not analysed."""
        return any(pattern.matches(path) for pattern in self.exclude)

    def asks_header(self, path: str) -> bool:
        """Whether a header is analysed that a file with these settings includes."""
        return any(pattern.matches(path) for pattern in self.headers)


def resolve_settings(
    given: LintOverrides, configured: LintOverrides, rules: Sequence[Name]
) -> LintSettings:
    """Settings from command line, configuration and defaults, in that order of precedence;
    UsageError for an unknown rule.
    """
    names = (*NOTES, *rules)
    levels = sorted(configured.severity.items(), key=lambda each: -len(codes_named(each[0], names)))
    off = [
        (pattern, frozenset(n.code for word in words for n in codes_named(word, names)))
        for pattern, words in configured.per_file.items()
    ]
    return LintSettings(
        codes=_selected_codes(given, configured, names),
        min_gain=_first(given.min_gain, configured.min_gain, MIN_GAIN),
        min_time_s=given.min_time_s if given.min_time_s is not None else configured.min_time_s,
        min_confidence=_first(given.min_confidence, configured.min_confidence, MIN_CONFIDENCE),
        fail_on=_first(given.fail_on, configured.fail_on, FAIL_ON[1]),
        structural=given.structural,
        all_loops=given.all_loops,
        hints=given.hints,
        severity={n.code: level for word, level in levels for n in codes_named(word, names)},
        off=tuple(off),
        exclude=(*given.exclude, *configured.exclude),
        policy=_first(given.policy, configured.policy, POLICIES[0]),
        known=frozenset([n.code for n in names]),
        headers=_first(given.headers, configured.headers, ()),
        silences=given.silences,
    )


def _selected_codes(
    given: LintOverrides, configured: LintOverrides, names: Sequence[Name]
) -> frozenset[str]:
    """The rules to run. Of two names for a rule, the narrower one wins: ``RL101`` over ``RL1`` over
    ``ALL``.
    """
    allowed = {
        "stable": True,
        "preview": given.preview or configured.preview,
        "structural": given.structural,
    }
    selected: set[str] = set()
    for word, on in sorted(
        _selections(given, configured), key=lambda s: -len(codes_named(s[0], names))
    ):
        meant = codes_named(word, names)
        exact = any(word in (n.code, n.slug, *n.aliases) for n in meant)
        codes = {n.code for n in meant if exact or allowed[n.status] or not on}
        selected = selected | codes if on else selected - codes
    return frozenset(selected)


def _selections(given: LintOverrides, configured: LintOverrides) -> list[tuple[str, bool]]:
    """Words for rules and whether they are to run; of words for as many rules the later holds."""
    wanted = _first(given.select, configured.select, (ALL,))
    more = ("RL002", "RL005") * given.show_skipped + ("RL003",) * given.hints
    selects = [(word, True) for word in ((*(wanted or (ALL,)), *more) if more else wanted)]
    ignores = [(word, False) for word in configured.ignore]
    # a file's ignore does not hold over one's own select
    both = [*ignores, *selects] if given.select is not None else [*selects, *ignores]
    return both + [(word, False) for word in given.ignore]


def _first(*values: Any) -> Any:  # noqa: ANN401 - the first that is given, of whatever type they are
    return next(value for value in values if value is not None)


def codes_named(word: str, names: Iterable[Name]) -> list[Name]:
    """The rules that a name stands for; UsageError if it stands for none."""
    names = list(names)
    if word == ALL:
        return names
    exact = [n for n in names if word in (n.code, n.slug, *n.aliases)]
    found = exact or [n for n in names if is_selector(word) and selects(word, n.code)]
    if not found:
        raise UsageError(f"unknown rule '{word}', {_expected(word, names)}")
    return found


def _expected(word: str, names: Sequence[Name]) -> str:
    known_prefixes = prefixes(n.code for n in names)
    known = [*known_prefixes, *[each for n in names for each in (n.code, n.slug, *n.aliases)]]
    remedy = near_miss(word, known)
    prefix = prefix_of(word)
    if prefix and prefix not in known_prefixes and not remedy:
        listed = ", ".join(known_prefixes)
        return f"no rule has the prefix '{prefix}' (there is {listed}): is its plugin installed?"
    return (
        f"expected a code such as RL101, its beginning, a name such as column-walk, or ALL{remedy}"
    )


def parse_time(text: str) -> float:
    """``10us``, ``0.5 ms`` in seconds; ValueError says what is expected."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"'{text}', expected a time such as 10us or 1.5ms")
    return float(found[1]) * _UNITS[found[2]]


def time_text(seconds: float) -> str:
    """``10us``, as ``parse_time`` reads it."""
    sizes = sorted(_UNITS.items(), key=lambda each: -each[1])
    unit, size = next((each for each in sizes if seconds >= each[1]), sizes[-1])
    return f"{seconds / size:g}{unit}"


def parse_gain(text: str) -> float:
    """``1.2`` or ``1.2x``; ValueError says what is expected."""
    try:
        gain = float(text.removesuffix("x"))
    except ValueError:
        gain = 0.0
    if not gain >= 1:
        raise ValueError(f"'{text}', expected a ratio of times of at least 1, such as 1.2")
    return gain


def parse_fail_on(text: str) -> str:
    """A severity, ``never``, or ``gain>=2`` for any way to write it; ValueError says which."""
    word, mark, gain = text.partition(">=")
    if word.strip() == "gain" and mark:
        return f"{GAIN_FROM}{parse_gain(gain.strip()):g}"
    return one_of(text, (*FAIL_ON, f"{GAIN_FROM}2"))


def one_of(text: str, words: Sequence[str]) -> str:
    """``text`` if it is one of the words; ValueError with the nearest otherwise."""
    if text not in words:
        expected = f"expected {', '.join(words[:-1])} or {words[-1]}"
        raise ValueError(f"'{text}', {expected}{near_miss(text, words)}")
    return text
