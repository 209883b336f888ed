"""Findings of a buffer: those of the whole file are computed once for each text."""

from pathlib import Path

import pytest
from rooflint.config.lint_settings import LintOverrides
from rooflint.incremental.function_outcomes import FunctionMemo
from rooflint.ir import Function, Unit
from rooflint.lint import lint_file
from rooflint.lint.functions import FunctionLint
from rooflint.pipeline.files import FileResult
from rooflint.pipeline.live import child
from rooflint.pipeline.live.messages import BufferRequest
from rooflint.pipeline.setup.analysis_setup import AnalysisSetup
from rooflint.pipeline.setup.options import Options
from rooflint.plugin_api.rule import Setup
from rooflint.pricing.whatif import PricedChange

TEXT = b"""\
void scale(int n, double *a, double *b)
{
    for (int i = 0; i < n; i++)
        a[i] = b[i] * 2;
}
"""


class CountedLint:
    """The lint; ``asked`` counts the files."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(
        self, path: str, unit: Unit, setup: AnalysisSetup, memo: FunctionMemo | None = None, /
    ) -> FileResult:
        self.asked += 1
        return lint_file(path, unit, setup, memo)


@pytest.mark.parametrize(
    ("after", "asked"),
    [(TEXT, 1), (TEXT.replace(b"2;", b"3;"), 2), (b"// of an array\n" + TEXT, 2)],
)
def test_a_text_seen_before_is_not_linted_again(tmp_path: Path, after: bytes, asked: int) -> None:
    path = tmp_path / "k.c"
    path.write_bytes(TEXT)
    lint = CountedLint()
    answer = child.answerer(lint, low_priority=False)
    # a baseline build for a machine with wider vectors: RL310 looks at the file
    options = Options(
        machines=("icelake-sp-8360y",),
        flags=("gcc", "-O3"),
        isolated=True,
        lint=LintOverrides(min_gain=1.01, min_confidence="low", min_time_s=0.0),
    )

    def found(text: bytes) -> FileResult:
        result = answer(BufferRequest(options=options, path=str(path), text=text))
        assert result is not None
        return result.result

    first = found(TEXT)
    second = found(after)
    assert lint.asked == asked
    assert {finding.code for finding in first.report.findings} == {"RL310"}
    lines = [finding.span.line for finding in second.report.findings]
    assert lines == [1 + (after.count(b"\n") - TEXT.count(b"\n"))]
    assert found(TEXT) == first and lint.asked == asked


TWO_FUNCTIONS = b"""float a[1000], b[1000], c[16];
void once(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = 1.5f * a[i];
}
void often(void) {
  for (int i = 1; i < 16; i++)
    c[i] = c[i - 1] * 0.5f;
}
int main(void) {
  once();
  for (int t = 0; t < %d; t++)
    often();
}
"""


@pytest.mark.parametrize(
    ("calls", "counting"), [(10, {"once", "often"}), (100_000, {"main", "often"})]
)
def test_flags_are_priced_for_the_functions_with_a_share_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int, counting: set[str]
) -> None:
    priced: list[str] = []

    def recorded(self: FunctionLint, *asked: object) -> PricedChange:
        priced.append(self.context.function.name)
        return PricedChange({}, {})

    monkeypatch.setattr(FunctionLint, "priced", recorded)
    options = Options(
        machines=("icelake-sp-8360y",),
        flags=("gcc", "-O3"),
        isolated=True,
        lint=LintOverrides(select=("RL310",)),
    )
    path = tmp_path / "k.c"
    path.write_bytes(text := TWO_FUNCTIONS % calls)
    child.answerer(lint_file, low_priority=False)(
        BufferRequest(options=options, path=str(path), text=text)
    )
    assert set(priced) == counting


class TypedLint:
    """A buffer as the editor's server has it linted after each text: what is known, then the parts
    that are not, then what only the whole file shows."""

    def __init__(self, path: Path, select: tuple[str, ...]) -> None:
        self._answer = child.answerer(lint_file, low_priority=False)
        options = Options(
            machines=("icelake-sp-8360y",),
            flags=("gcc", "-O3"),
            isolated=True,
            lint=LintOverrides(select=select, min_gain=1.01, min_confidence="low", min_time_s=0.0),
        )
        self._look = BufferRequest(options=options, path=str(path))

    def unknown(self, text: bytes) -> tuple[int, ...]:
        """The lines of the functions that had to be linted."""
        look = self._look._replace(text=text)
        known = self._answer(look._replace(known=True))
        assert known is not None
        for line in known.unknown:
            self._answer(look._replace(lines=(line, line)))
        return known.unknown

    def of_file(self, text: bytes) -> FileResult:
        found = self._answer(self._look._replace(text=text))
        assert found is not None
        return found.result


THREE_FUNCTIONS = b"""float a[1000], b[1000], c[1000];
void first(void) {
  for (int i = 0; i < 1000; i++)
    b[i] = 1.5f * a[i];
}
void second(void) {
  for (int i = 0; i < 1000; i++)
    c[i] = 2.5f * b[i];
}
void third(void) {
  for (int i = 0; i < 1000; i++)
    a[i] = 3.5f * c[i];
}
"""


def test_flags_are_priced_again_for_the_function_that_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    priced: list[str] = []
    price, time = FunctionLint.priced, FunctionLint.seconds_as_it_is

    def recorded(self: FunctionLint, *asked: object) -> PricedChange:
        priced.append(self.context.function.name)
        return price(self, *asked)  # type: ignore[arg-type]

    def timed(self: FunctionLint, names: tuple[str, ...]) -> float:
        priced.append(self.context.function.name)
        return time(self, names)

    monkeypatch.setattr(FunctionLint, "priced", recorded)
    monkeypatch.setattr(FunctionLint, "seconds_as_it_is", timed)
    path = tmp_path / "k.c"
    path.write_bytes(THREE_FUNCTIONS)
    lint = TypedLint(path, ("RL310",))
    lint.of_file(THREE_FUNCTIONS)
    assert {"first", "second", "third"} == set(priced)
    priced.clear()
    typed = THREE_FUNCTIONS.replace(b"2.5f * b[i]", b"2.5f * b[i] + 1.0f")
    found = lint.of_file(typed)
    assert set(priced) == {"second"}
    fresh = TypedLint(path, ("RL310",)).of_file(typed)
    assert found.report.findings == fresh.report.findings != ()


CALLER = b"""static double weight(double x) { %s }
\n\n\n\n\n\n\n\n
double total(int n, const double *a) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += weight(a[i]);
  return sum;
}
"""
LOOP = b"for (int k = 0; k < %d; k++) x = x * 0.5 + 1; return x;"


def test_a_caller_is_linted_again_where_its_callee_costs_something_else(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    short = CALLER % (LOOP % 3)
    path.write_bytes(short)
    lint = TypedLint(path, ("RL201",))
    assert lint.unknown(short) == (1, 11)
    assert lint.unknown(short) == ()
    assert lint.unknown(short.replace(b"return x", b"return  x")) == (1,)
    assert lint.unknown(CALLER % (LOOP % 3000)) == (1, 11)


SLOW_AND_FAST = b"""float a[4000], b[4000], c[4000];
void fast(void) {
  for (int i = 0; i < %d; i++)
    b[i] = 1.5f * a[i];
}
void slow(void) {
  for (int i = 1; i < %d; i++)
    c[i] = c[i - 1] * 0.5f;
}
"""


@pytest.mark.parametrize(
    ("lengths", "silences", "priced", "codes"),
    [
        ((64, 4000), False, ["slow"], []),
        ((64, 4000), True, ["fast", "slow"], []),
        ((4000, 16), False, ["fast", "slow", "fast", "slow"], ["RL310"]),
        ((4000, 16), True, ["fast", "slow"], ["RL310"]),
    ],
)
def test_flags_that_gain_too_little_in_slow_functions_are_priced_no_further(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lengths: tuple[int, int],
    silences: bool,
    priced: list[str],
    codes: list[str],
) -> None:
    asked: list[str] = []
    real = FunctionLint.priced

    def recorded(
        self: FunctionLint, function: Function, names: tuple[str, ...], setup: Setup
    ) -> PricedChange:
        asked.append(self.context.function.name)
        return real(self, function, names, setup)

    monkeypatch.setattr(FunctionLint, "priced", recorded)
    options = Options(
        machines=("icelake-sp-8360y",),
        flags=("gcc", "-O3"),
        isolated=True,
        lint=LintOverrides(select=("RL310",), min_confidence="low", silences=silences),
    )
    path = tmp_path / "k.c"
    path.write_bytes(text := SLOW_AND_FAST % lengths)
    result = child.answerer(lint_file, low_priority=False)(
        BufferRequest(options=options, path=str(path), text=text)
    )
    assert result is not None
    report = result.result.report
    assert [finding.code for finding in report.findings] == codes
    assert asked[: len(priced)] == priced
    assert codes or asked == priced
