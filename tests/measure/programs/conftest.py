"""Programs of source texts: found, built and run once, whatever time that takes."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.subject import Subject, find_subject

SECONDS = 60.0
"""Of wall time that a process may take on a busy machine."""


class Bench(NamedTuple):
    """A program, with what one process of it gave."""

    program: Program

    def run(self, seconds: float = SECONDS, **settings: object) -> ProcessRun:
        """A process of a few batches."""
        return run_program(self.program, self._settings(settings), seconds)

    def refusal(self, seconds: float = SECONDS, **settings: object) -> MeasureRefusal | None:
        """Why a process gives no measurement."""
        chosen = self._settings(settings)
        return refusal_of(self.program, chosen, run_program(self.program, chosen, seconds))

    def touched(self, **settings: object) -> dict[str, int]:
        """Bytes of each array up to the last page touched, of a process that ran to its end."""
        run = self.run(**settings)
        assert run.completion is not None, run
        return {each.name: each.high for each in run.extents}

    def _settings(self, given: dict[str, object]) -> RunSettings:
        plain = {"budget_s": 0.002, "batches": 3, **given}
        return RunSettings(**plain)  # type: ignore[arg-type]


@pytest.fixture
def subject_in(tmp_path: Path) -> Callable[..., Subject | MeasureRefusal]:
    """``subject_in(text, ".cpp", function="f")``: the subject of a file with the text."""

    def find(
        text: str, suffix: str = ".c", function: str | None = None, line: int | None = None
    ) -> Subject | MeasureRefusal:
        path = tmp_path / f"code{suffix}"
        path.write_text(text)
        flags = FlagFinder(extra=["gcc", "-O2"]).flags(str(path))
        return find_subject(str(path), flags, function, line)

    return find


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Bench]:
    """``bench(subject, sizes)``: the subject's program."""

    def build(
        subject: Subject | MeasureRefusal,
        sizes: tuple[tuple[str, int], ...] = (),
        compiler: str = "gcc",
        setup: str | None = None,
    ) -> Bench:
        assert isinstance(subject, Subject), subject
        folder = tmp_path / "build"
        folder.mkdir(exist_ok=True)
        program = build_program(subject, str(folder), sizes, compiler, setup)
        assert isinstance(program, Program), program
        return Bench(program)

    return build
