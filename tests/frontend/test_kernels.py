"""One kernel file a construct: the printed IR is the expectation, read by eye once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Opaque, Statement, Unit, walk
from rooflint.ir.text import print_function
from rooflint.workers.wire import Codec

KERNELS = sorted((Path(__file__).parents[1] / "kernels").glob("*.c*"))
LANGUAGES = {".c": "c", ".cpp": "c++", ".cu": "cuda"}
STANDARDS = {"span.cpp": "c++20"}


def lowered(path: Path) -> Unit:
    flags = Flags(LANGUAGES[path.suffix], STANDARDS.get(path.name))  # type: ignore[arg-type]
    return extract(Request(str(path), flags))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_printed_ir(path: Path, golden: Callable[[str, str], None]) -> None:
    unit = lowered(path)
    lines = [print_function(f.function) for f in unit.functions]
    lines += [f"refused {r.line}:{r.column} {r.reason}\n" for r in unit.refusals]
    lines += [f"error {d.line}:{d.column} {d.message}\n" for d in unit.diagnostics]
    golden(f"ir/{path.name}.txt", "\n".join(lines))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_json_round_trip(path: Path) -> None:
    unit = lowered(path)
    codec = Codec[Unit](Unit)
    assert codec.from_json(codec.to_json(unit)) == unit


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_every_origin_has_a_place_inside_its_function(path: Path) -> None:
    for source in lowered(path).functions:
        for node in walk(source.function.body):
            span = source.spans[node.origin]
            if isinstance(node, Statement | Opaque) and span.line == 0:
                continue  # from an inlined function of a header
            assert span.line >= 1
            assert (span.line, span.column) <= (span.end_line, span.end_column)


def test_moving_lines_changes_nothing_but_places() -> None:
    text = b"void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }"
    flags = Flags("c")
    here = extract(Request("/nowhere/a.c", flags, text))
    there = extract(Request("/nowhere/a.c", flags, b"\n\n/* x */  " + text))
    assert here.functions[0].function == there.functions[0].function
    assert here.functions[0].span.line == 1
    assert there.functions[0].span.line == 3
