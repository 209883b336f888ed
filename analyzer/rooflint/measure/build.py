"""From a subject to a program: glue, objects, a link."""

from rooflint.measure.program import Program
from rooflint.measure.refusals import MeasureRefusal
from rooflint.measure.subject import Subject


def build_program(
    subject: Subject,
    folder: str,
    sizes: tuple[tuple[str, int], ...] = (),
    compiler: str | None = None,
    setup: str | None = None,
    dry_run: bool = False,
) -> Program | MeasureRefusal:
    """A program in ``folder``, which the caller makes and removes.

    ``sizes`` are given values, macros among them; ``compiler`` replaces that of the flags;
    ``setup`` is a C file with ``void rooflint_setup(void)``.
    """
    raise NotImplementedError
