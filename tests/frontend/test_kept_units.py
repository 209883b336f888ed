"""Translation units between edits: each parse sees the text and the headers of its moment."""

from pathlib import Path

import pytest
from rooflint.errors import AnalysisError
from rooflint.frontend.edited import kept_units
from rooflint.frontend.edited.kept_units import KeptUnits
from rooflint.frontend.extract import loaded_clang
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.clang_c import CONTINUE, Cursor
from rooflint.frontend.parse.open_parse import ParseInput
from rooflint.frontend.parse.tree import visit

TEXT = b'#include "scale.h"\nint twice(int a) { return SCALE * a; }\n'


def input_of(folder: Path, name: str = "f.c") -> ParseInput:
    path = str(folder / name)
    return ParseInput(arguments=("-x", "c"), files=((path, TEXT),), headers="real")


def functions(handle: int) -> list[str]:
    clang = loaded_clang()
    found: list[str] = []

    def callback(cursor: Cursor, _: Cursor) -> int:
        if cursor.kind == kinds.FUNCTION:
            found.append(clang.spelling(cursor))
        return CONTINUE

    visit(clang, clang.getTranslationUnitCursor(handle), callback)
    return found


def errors(handle: int) -> int:
    return int(loaded_clang().getNumDiagnostics(handle))


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "scale.h"
    path.write_bytes(b"#define SCALE 2\nint scaled(int a);\n")
    return path


@pytest.mark.usefixtures("header")
def test_the_next_parse_sees_the_next_text(tmp_path: Path) -> None:
    units, parse = KeptUnits(), input_of(tmp_path)
    first = units.parse("f.c", parse, TEXT)
    assert functions(first) == ["scaled", "twice"]
    second = units.parse("f.c", parse, TEXT + b"int more;\nvoid further(void) {}\n")
    assert second == first
    assert functions(second) == ["scaled", "twice", "further"]
    assert functions(units.parse("f.c", parse, TEXT)) == ["scaled", "twice"]


def test_a_header_that_changes_is_read_again(tmp_path: Path, header: Path) -> None:
    units, parse = KeptUnits(), input_of(tmp_path)
    units.parse("f.c", parse, TEXT)
    header.write_bytes(b"#define SCALE 2\nint scaled(int a); int mended(int a);\n")
    assert functions(units.parse("f.c", parse, TEXT)) == ["scaled", "mended", "twice"]


def test_a_header_that_appears_is_seen(tmp_path: Path) -> None:
    units, parse = KeptUnits(), input_of(tmp_path)
    assert errors(units.parse("f.c", parse, TEXT)) == 1
    (tmp_path / "scale.h").write_bytes(b"#define SCALE 2\n")
    assert errors(units.parse("f.c", parse, TEXT)) == 0


@pytest.mark.usefixtures("header")
def test_a_header_from_memory_may_change(tmp_path: Path) -> None:
    units, parse = KeptUnits(), input_of(tmp_path)
    name = str(tmp_path / "scale.h")
    before, after = b"#define SCALE 2\n", b"#define SCALE 2\nint typed(int a);\n"
    units.parse("f.c", parse._replace(files=(*parse.files, (name, before))), TEXT)
    handle = units.parse("f.c", parse._replace(files=(*parse.files, (name, after))), TEXT)
    assert functions(handle) == ["typed", "twice"]


@pytest.mark.usefixtures("header")
def test_the_units_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_units, "_MOST", 2)
    clang, disposed = loaded_clang(), []
    dispose = clang.disposeTranslationUnit

    def disposing(handle: int) -> None:
        disposed.append(handle)
        dispose(handle)

    monkeypatch.setattr(clang, "disposeTranslationUnit", disposing)
    units = KeptUnits()
    one, two = (units.parse(n, input_of(tmp_path, n), TEXT) for n in ("one.c", "two.c"))
    units.parse("one.c", input_of(tmp_path, "one.c"), TEXT)
    assert disposed == []
    three = units.parse("three.c", input_of(tmp_path, "three.c"), TEXT)
    assert disposed == [two]
    units.clear()
    assert disposed == [two, one, three]


@pytest.mark.usefixtures("header")
def test_a_unit_that_cannot_be_parsed_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    units, parse = KeptUnits(), input_of(tmp_path)
    units.parse("f.c", parse, TEXT)
    with monkeypatch.context() as patch:
        patch.setattr(loaded_clang(), "reparseTranslationUnit", lambda *_: 2)
        with pytest.raises(AnalysisError, match=r"f\.c: libclang could not parse: .* crashed"):
            units.parse("f.c", parse, TEXT)
    assert functions(units.parse("f.c", parse, TEXT)) == ["scaled", "twice"]
