"""Loops as a compiler says that it compiled them, beside the plan, as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from rooflint.core.external.remarks import LoopFate
from rooflint.escaping import visible
from rooflint.pipeline.compiled.confirmation import FileConfirmation, LoopConfirmation
from rooflint.plugin_api.report import VectorReport
from rooflint.render.layout import wrap

WIDTH: Final = 100
MOST: Final = 8
"""Remarks shown of a loop; compilers repeat a reason for each way that they try."""
_CODE_FLAGS: Final = ("-O", "-m", "-f", "-std", "--target")
"""Those that shape code; include paths and macros would fill the screen."""
_FATES: Final[Mapping[LoopFate, str]] = {
    LoopFate.VECTORS: "vectorizes it",
    LoopFate.CALL: "calls a library function in its place",
    LoopFate.SCALAR: "leaves it scalar",
    LoopFate.UNROLLED: "unrolls it completely",
    LoopFate.SILENT: "says nothing about it",
}
_AGREEMENT: Final[Mapping[bool | None, str]] = {
    True: "they agree",
    False: "they differ",
    None: "nothing to compare",
}


def confirmation_lines(answer: FileConfirmation, nest: tuple[int, int]) -> Iterator[str]:
    """A paragraph on the compiler, then one on each loop in the lines of ``nest``."""
    shown = [flag for flag in answer.source.flags if flag.startswith(_CODE_FLAGS)]
    flags = " ".join(dict.fromkeys(shown))
    yield from _wrapped(f"compiled for {answer.machine} by {answer.source.compiler} with {flags}")
    for loop in answer.loops:
        if nest[0] <= loop.line <= nest[1]:
            yield from _loop_lines(loop)


def _loop_lines(loop: LoopConfirmation) -> Iterator[str]:
    verdict = _AGREEMENT[loop.agrees]
    compiled = f"the compiler {_FATES[loop.compiled.fate]}"
    yield from _wrapped(f"line {loop.line}: {verdict}: {compiled}; {_planned(loop.planned)}")
    for remark in loop.compiled.remarks[:MOST]:
        yield from _wrapped(f"line {remark.line}: {remark.text}", 4)


def _planned(plan: VectorReport | None) -> str:
    if plan is None:
        return "no model has planned it"
    if plan.width > 1:
        return f"the plan has vectors, {plan.width} iterations at once"
    return f"the plan is scalar: {plan.reason}" if plan.reason else "the plan is scalar"


def _wrapped(text: str, indent: int = 2) -> list[str]:
    return wrap(visible(text), WIDTH, indent, indent + 2)
