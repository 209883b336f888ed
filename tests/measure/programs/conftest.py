"""Programs of source texts: found, built and run once, whatever time that takes."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.measure.build import build_program
from rooflint.measure.process import refusal_of, run_program
from rooflint.measure.program import Program, RunSettings
from rooflint.measure.records import ProcessRun
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.subject import Subject, find_subject

Sizes: TypeAlias = tuple[tuple[str, int], ...]
MEMORY = 1 << 30
SECONDS = 60.0
"""Of wall time that a process may take on a busy machine."""


class Bench(NamedTuple):
    """A program, with what one process of it gave."""

    program: Program

    def run(
        self, sizes: Sizes = (), seconds: float = SECONDS, max_bytes: int = MEMORY
    ) -> ProcessRun:
        """A process of a few batches."""
        return run_program(self.program, _settings(sizes, max_bytes), seconds)

    def refusal(
        self, sizes: Sizes = (), seconds: float = SECONDS, max_bytes: int = MEMORY
    ) -> MeasureRefusal | None:
        """Why a process gives no measurement."""
        run = self.run(sizes, seconds, max_bytes)
        return refusal_of(self.program, _settings(sizes, max_bytes), run)

    def touched(self, sizes: Sizes = ()) -> dict[str, int]:
        """Bytes of each array up to the last page touched, of a process that ran to its end."""
        run = self.run(sizes)
        assert run.completion is not None, run
        return {each.name: each.high for each in run.extents}


def _settings(sizes: Sizes, max_bytes: int) -> RunSettings:
    return RunSettings(sizes=sizes, max_bytes=max_bytes, budget_s=0.002, batches=3)


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
