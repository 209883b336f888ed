"""Pieces of C to functions of the IR and back."""

from collections.abc import Callable

import pytest
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import SourceFunction
from rooflint.source_edit.c_writer import ChangedPart, rewrite_part, text_after
from rooflint.source_edit.edits import EditableSource


@pytest.fixture(scope="session")
def source_of() -> Callable[[str], SourceFunction]:
    """The first function of a text."""

    def read(text: str) -> SourceFunction:
        flags = read_flags(["gcc", "-O2"], "/", "/page.c")
        unit = extract(Request("/page.c", flags, text.encode()))
        return unit.functions[0]

    return read


@pytest.fixture(scope="session")
def again(source_of: Callable[[str], SourceFunction]) -> Callable[[str], str]:
    """A text with every nest of its first function written again from the IR, unchanged."""

    def write(text: str) -> str:
        count = len(source_of(text).function.body)
        for number in range(count):
            source = source_of(text)
            node = source.function.body[number]
            part = ChangedPart((), (node,), (node,))
            change = rewrite_part(EditableSource(text), source, part, source.function, (node,))
            text = text_after(EditableSource(text), change)
        return text

    return write
