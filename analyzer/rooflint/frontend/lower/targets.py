"""Where a function runs: on the host, or on the device of CUDA, HIP or OpenCL."""

from typing import Final

from rooflint.frontend.lower.state.shared import TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.tree import visit
from rooflint.ir import ExecutionTarget

_ANNOTATIONS: Final = {
    "rooflint host": kinds.CUDA_HOST_ATTRIBUTE,
    "rooflint device": kinds.CUDA_DEVICE_ATTRIBUTE,
    "rooflint global": kinds.CUDA_GLOBAL_ATTRIBUTE,
}
"""Definitions of the attributes in our own headers, for files parsed as plain C++."""


def target_of(shared: TranslationUnitContext, cursor: Cursor) -> ExecutionTarget:
    """By the language and the attributes of the declaration.

    A function for both, ``__host__ __device__``, counts as the host's. A file of OpenCL C has
    nothing for the host.
    """
    if shared.traits.language == "cl":
        return "device"
    if shared.traits.language == "c":
        return "host"
    attributes = _attributes(shared, cursor)
    if kinds.CUDA_GLOBAL_ATTRIBUTE in attributes:
        return "kernel"
    if kinds.CUDA_DEVICE_ATTRIBUTE in attributes and kinds.CUDA_HOST_ATTRIBUTE not in attributes:
        return "device"
    return "host"


def _attributes(shared: TranslationUnitContext, cursor: Cursor) -> set[int]:
    """Kinds of the cursors directly below, among them those of attributes.

    An instance of a template has those of its pattern.
    """
    attributes: set[int] = set()

    def callback(child: Cursor, parent: Cursor) -> int:
        del parent
        kind = child.kind
        if kind == kinds.ANNOTATE_ATTRIBUTE:
            kind = _ANNOTATIONS.get(shared.clang.spelling(child), kind)
        attributes.add(kind)
        return CONTINUE

    pattern = shared.clang.getSpecializedCursorTemplate(cursor)
    for declaration in (cursor, pattern) if pattern.d0 else (cursor,):
        visit(shared.clang, declaration, callback)
    return attributes
