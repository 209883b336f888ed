"""Kernel files as kerncraft reads them: declarations and a loop nest, and no function around them.

The nest becomes the body of a function. Declared arrays and scalars are its parameters, and so are
the names in capitals that nothing declares: the sizes.
"""

import os
from collections.abc import Iterator
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import read_regular
from rooflint.errors import AnalysisError
from rooflint.measure.program import MeasureMode
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject
from rooflint.pipeline.signatures import signatures_of
from rooflint.records import NamedTuple

_BEGINNINGS: Final = ("for", "#")
"""Of the nest: its first loop, or a directive for it."""
_IGNORED: Final = "#define swap(...)\n"
"""kerncraft's hint that two arrays change places between sweeps."""


class _Declarator(NamedTuple):
    type: str
    name: str
    extents: str


class KernelSource(NamedTuple):
    """A kernel as a C file with one function; lines of the nest are numbered as in the kernel."""

    text: str
    function: str


def kernel_subject(path: str, flags: Flags) -> Subject | MeasureRefusal:
    """The nest of a kernel file as a function of its arrays and sizes."""
    try:
        text = read_regular(path).decode("utf-8", "replace")
    except OSError as error:
        return _refusal(path, error.strerror or str(error))
    source = kernel_source(text, path)
    if source is None:
        return _refusal(path, "it has no declarations before a loop")
    try:
        file = signatures_of(path, flags, source.text.encode())
    except AnalysisError as error:
        return _refusal(path, str(error))
    named = [each for each in file.signatures if each.name == source.function]
    if not named or file.error:
        return _refusal(path, file.error or "it has no nest")
    return Subject(
        path=path,
        flags=flags,
        mode=MeasureMode.KERNEL,
        signature=named[0],
        text=source.text,
    )


def _refusal(path: str, reason: str) -> MeasureRefusal:
    return MeasureRefusal(code=RefusalCode.NO_KERNEL, arguments=(path, reason))


def kernel_source(text: str, path: str) -> KernelSource | None:
    """The kernel as a file with a function; None where the text is no kernel."""
    plain = _without_comments(text)
    start = _nest_start(plain)
    declarators = list(_declarators(plain[:start])) if start >= 0 else []
    if not declarators:
        return None
    declared = {each.name for each in declarators}
    sizes = dict.fromkeys(filter(_is_size, _words(plain)))
    parameters = [f"int {name}" for name in sizes if name not in declared]
    parameters += [_parameter(each) for each in declarators]
    kept = _uses([each.name for each in declarators if not each.extents])
    function = _function_name(path)
    line = plain.count("\n", 0, start) + 1
    head = f"{_IGNORED}void {function}({', '.join(parameters)}) {{\n"
    return KernelSource(f'{head}#line {line} "{path}"\n{plain[start:]}\n{kept} }}\n', function)


def _uses(scalars: list[str]) -> str:
    """Statements that need the values which scalars have in the end, and cost nothing."""
    return "".join(f' __asm__ volatile("" : : "g"({name}));' for name in scalars)


def _function_name(path: str) -> str:
    stem = os.path.basename(path).partition(".")[0]
    return "kernel_" + "".join(letter if letter.isalnum() else "_" for letter in stem)


def _without_comments(text: str) -> str:
    """The text with comments blank and its lines in their places."""
    parts: list[str] = []
    position = 0
    while position < len(text):
        begin = min((at for mark in ("//", "/*") if (at := text.find(mark, position)) >= 0),
            default=len(text))  # fmt: skip
        parts.append(text[position:begin])
        line = text.startswith("//", begin)
        end = text.find("\n" if line else "*/", begin)
        end = len(text) if end < 0 else end + (0 if line else 2)
        parts.append("\n" * text.count("\n", begin, end))
        position = end
    return "".join(parts)


def _nest_start(plain: str) -> int:
    """The offset of the first line that begins a nest; -1 without one."""
    offset = 0
    for line in plain.splitlines(keepends=True):
        if line.lstrip().startswith(_BEGINNINGS):
            return offset
        offset += len(line)
    return -1


def _declarators(text: str) -> Iterator[_Declarator]:
    for statement in text.split(";"):
        words = statement.split()
        if not words:
            continue
        first = statement.split(",")[0]
        head = first.partition("[")[0].split()
        kind = " ".join(head[:-1])
        if not kind or not all(map(str.isidentifier, head)):
            continue
        rest = " ".join(words).removeprefix(kind)
        for declarator in rest.split(","):
            name, bracket, extents = declarator.strip().partition("[")
            yield _Declarator(kind, name.strip(), bracket + extents)


def _parameter(declarator: _Declarator) -> str:
    extents = declarator.extents.replace("[", "[restrict ", 1)
    return f"{declarator.type} {declarator.name}{extents}"


def _words(text: str) -> Iterator[str]:
    """Identifiers in the order of their first use."""
    word = ""
    for letter in f"{text} ":
        if letter.isalnum() or letter == "_":
            word += letter
            continue
        if word.isidentifier():
            yield word
        word = ""


def _is_size(word: str) -> bool:
    return word.isupper() and word[0].isalpha()
