"""The function, nest or kernel that is measured, as its file declares it."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from rooflint.compile_flags.flags import Flags
from rooflint.errors import AnalysisError
from rooflint.ir.signature import FileSignatures, Signature
from rooflint.ir.unit import Span
from rooflint.measure.program import MeasureMode
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.pipeline.signatures import signatures_of

_MPI: Final = "MPI_"
_ALONE: Final = frozenset(("MPI_Comm_rank", "MPI_Comm_size", "MPI_Wtime", "MPI_Abort"))
"""Calls that a process by itself can answer."""
_MOST_NAMES: Final = 12


class Subject(Struct, frozen=True, kw_only=True):
    """``signature`` of the function to call; ``nest`` to put marks around in marks mode.

    ``text`` replaces that of the file: the function around a kernel.
    ``overloaded``: its name alone does not tell which function it is.
    """

    path: str
    flags: Flags
    mode: MeasureMode
    signature: Signature
    overloaded: bool = False
    nest: Span | None = None
    text: str = ""


def find_subject(
    path: str, flags: Flags, function: str | None = None, line: int | None = None
) -> Subject | MeasureRefusal:
    """The subject of a file: its only function with loops, one by name, or the nest at a line."""
    try:
        file = signatures_of(path, flags)
    except AnalysisError as error:
        return _refusal(RefusalCode.NOT_PARSED, path, str(error))
    return subject_of(file, path, flags, function, line)


def subject_of(
    file: FileSignatures,
    path: str,
    flags: Flags,
    function: str | None = None,
    line: int | None = None,
) -> Subject | MeasureRefusal:
    """The same, of a file whose signatures are at hand."""
    if not file.signatures:
        reason = file.error or "it has no function with a body"
        return _refusal(RefusalCode.NOT_PARSED, path, reason)
    signature = _chosen(file.signatures, path, function, line)
    if isinstance(signature, MeasureRefusal):
        return signature
    refusal = _not_callable(signature)
    if refusal is not None:
        return refusal
    nest = _nest(signature, line)
    if isinstance(nest, MeasureRefusal):
        return nest
    same = sum(each.name == signature.name for each in file.signatures)
    return Subject(
        path=path,
        flags=flags,
        mode=MeasureMode.FUNCTION if line is None else MeasureMode.MARKS,
        signature=signature,
        overloaded=same > 1 or signature.template,
        nest=nest,
    )


def _refusal(code: RefusalCode, *arguments: str) -> MeasureRefusal:
    return MeasureRefusal(code=code, arguments=arguments)


def _not_callable(signature: Signature) -> MeasureRefusal | None:
    """Why no call of the function can be written or would mean anything."""
    name = signature.name
    if signature.dependent:
        return _refusal(RefusalCode.DEPENDENT_TYPES, name)
    if signature.owner is not None and _is_structor(name):
        return _refusal(RefusalCode.CONSTRUCTOR, name)
    calls = [each for each in signature.unseen if each.startswith(_MPI) and each not in _ALONE]
    if calls:
        return _refusal(RefusalCode.COMMUNICATES, name, ", ".join(calls[:3]))
    return None


def _is_structor(name: str) -> bool:
    """Whether it is the name of a constructor or a destructor."""
    scope, _, last = name.rpartition("::")
    return last.removeprefix("~") == scope.partition("<")[0].rpartition("::")[2]


def _names(signatures: Sequence[Signature]) -> str:
    names = list(dict.fromkeys(each.name for each in signatures))
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _chosen(
    signatures: Sequence[Signature], path: str, function: str | None, line: int | None
) -> Signature | MeasureRefusal:
    if function is not None:
        named = [each for each in signatures if _has_name(each, function)]
        refusal = _refusal(RefusalCode.NO_FUNCTION, path, function, _names(signatures))
        return named[0] if named else refusal
    if line is not None:
        around = [each for each in signatures if each.span.line <= line <= each.span.end_line]
        return around[-1] if around else _refusal(RefusalCode.NO_LOOP, str(line))
    return _only_looping(signatures, path)


def _only_looping(signatures: Sequence[Signature], path: str) -> Signature | MeasureRefusal:
    looping = [each for each in signatures if each.loops] or list(signatures)
    if len({each.span for each in looping}) > 1:
        return _refusal(RefusalCode.SEVERAL_FUNCTIONS, path, f"--function {_names(looping)}")
    return looping[0]


def _has_name(signature: Signature, name: str) -> bool:
    return signature.name == name or signature.name.endswith(f"::{name}")


def _nest(signature: Signature, line: int | None) -> Span | MeasureRefusal | None:
    if line is None:
        return None
    around = [span for span in signature.loops if span.line <= line <= span.end_line]
    return around[0] if around else _refusal(RefusalCode.NO_LOOP, str(line))
