"""The compile database: how it is found, read, and stretched to files it does not name."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from rooflint.compile_flags.compile_db import Database, load_database
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.compile_flags.guess import guess_flags
from rooflint.errors import ConfigurationError, UsageError


def write_database(folder: Path, entries: object, name: str = "compile_commands.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries), "utf-8")
    return path


def entry(file: str, *arguments: str, directory: str = "/p") -> dict[str, object]:
    return {"directory": directory, "file": file, "arguments": ["gcc", *arguments, "-c", file]}


def database(tmp_path: Path, *entries: dict[str, object]) -> Database:
    return load_database(str(write_database(tmp_path, list(entries))))


def macros(options: Sequence[str]) -> str:
    return " ".join(option[2:] for option in options if option.startswith("-D"))


# --- reading


def test_both_forms_of_a_command(tmp_path: Path) -> None:
    loaded = database(
        tmp_path,
        {"directory": "/p/b", "file": "../a.c", "command": "gcc -DS='\"a b\"' -Iinc -c ../a.c"},
        {"directory": "/p/b", "file": "/p/b.cc", "arguments": ["g++", "-DT=a b", "/p/b.cc"]},
    )
    first, second = loaded.flags("/p/a.c"), loaded.flags("/p/b.cc")
    assert first is not None and first.options == ('-DS="a b"', "-I/p/b/inc")
    assert second is not None and (second.language, second.options) == ("c++", ("-DT=a b",))
    assert loaded.flags("/p/c.c") is None
    assert loaded.paths == ["/p/a.c", "/p/b.cc"]


def test_the_first_of_several_commands_holds_and_is_said(tmp_path: Path) -> None:
    loaded = database(tmp_path, entry("a.c", "-DA"), entry("a.c", "-DB"), entry("a.c", "-DA"))
    flags = loaded.flags("/p/a.c")
    assert flags is not None and macros(flags.options) == "A"
    assert flags.assumptions == (
        f"{loaded.path} has several commands for this file; the first one is used",
    )


def test_the_same_command_twice_is_nothing_to_say(tmp_path: Path) -> None:
    flags = database(tmp_path, entry("a.c", "-DA"), entry("a.c", "-DA")).flags("/p/a.c")
    assert flags is not None and flags.assumptions == ()


def test_a_file_is_found_through_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    loaded = database(tmp_path, entry("a.c", "-DA", directory=str(link)))
    assert loaded.flags(str(real / "a.c")) is not None


def test_a_relative_directory_starts_at_the_database(tmp_path: Path) -> None:
    loaded = database(tmp_path, entry("a.c", "-Iinc", directory="sub"))
    flags = loaded.flags(str(tmp_path / "sub" / "a.c"))
    assert flags is not None and flags.include_dirs == (str(tmp_path / "sub" / "inc"),)


def test_a_byte_order_mark_and_names_that_are_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "compile_commands.json"
    path.write_bytes(
        b"\xef\xbb\xbf" + b'[{"directory": "/p", "file": "\xe9.c", "command": "gcc -DA \xe9.c"}]'
    )
    flags = load_database(str(path)).flags(os.fsdecode(b"/p/\xe9.c"))
    assert flags is not None and macros(flags.options) == "A"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "not valid JSON: Expecting value"),
        ('[\n {"file": 1,}\n]', 2, "not valid JSON"),
        ('{"file": "a.c"}', 1, "expected a list of entries, got an object"),
        ("null", 1, "expected a list of entries, got null"),
        ("[\n\n 7]", 3, "expected an entry with 'file' and 'command', got a number"),
        ('[\n{"directory": "/", "command": "cc"}]', 2, "expected 'file' with a path"),
        ('[{"file": "a.c", "command": "cc"},\n{"file": "b.c"}]', 2,
         "expected 'command' or 'arguments' for b.c"),
        ('[{"file": "a.c", "command": ["cc"]}]', 1, "expected 'command' or 'arguments'"),
        ('[{"file": "a.c", "arguments": ["cc", 1]}]', 1, "expected 'command' or 'arguments'"),
        ('[{"file": "a.c", "directory": 1, "command": "cc"}]', 1, "expected 'directory'"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('[{"file": "a\\u0000.c", "command": "cc"}]', 1, "expected 'file' with a path"),
        ('[{"file": "a\\ud800.c", "command": "cc"}]', 1, "expected 'file' with a path"),
        ('[{"file": "a.c", "directory": "\\u0000", "command": "cc"}]', 1, "expected 'directory'"),
    ],
)  # fmt: skip
def test_a_broken_database_is_one_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = write_database(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load_database(str(path))
    assert str(caught.value).startswith(f"{path}:{line}: {message}")
    assert "\n" not in str(caught.value)


def test_a_number_of_thousands_of_digits_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="a number too long, expected a list"):
        load_database(str(write_database(tmp_path, "9" * 5000)))


def test_an_unreadable_database_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: No such file or directory"):
        load_database(str(tmp_path / "missing.json"))


def test_five_thousand_entries_are_read_without_splitting_commands(tmp_path: Path) -> None:
    # An unclosed quote in a command that nobody asks for does no harm, nor costs time.
    entries = [
        {"directory": "/p", "file": f"d{n % 50}/f{n}.c", "command": f"gcc -DN={n} 'f{n}.c"}
        for n in range(5000)
    ]
    loaded = load_database(str(write_database(tmp_path, entries)))
    flags = loaded.flags("/p/d7/f4007.c")
    assert flags is not None and macros(flags.options) == "N=4007"


def test_response_files_are_read_below_the_project_only(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_database(
        project / "build",
        [entry("../a.c", "@../ours.rsp", "@../../theirs.rsp", directory=str(project / "build"))],
    )
    (project / "ours.rsp").write_text("-DOURS", "utf-8")
    (tmp_path / "theirs.rsp").write_text("-DTHEIRS", "utf-8")
    flags = FlagFinder().flags(str(project / "a.c"))
    assert macros(flags.options) == "OURS"
    assert flags.assumptions == ("@../../theirs.rsp not read: it is outside the analysed tree",)


# --- files without an entry


@pytest.mark.parametrize(
    ("path", "expected", "language"),
    [
        ("/p/include/solver.h", "SOLVER", "c++"),
        ("/p/include/solver.hpp", "SOLVER", "c++"),
        ("/p/math/vector.h", "MATRIX", "c"),
        ("/p/math/vector.hpp", "MATRIX", "c++"),
        ("/p/solve/deep/er/new.cpp", "SOLVER", "c++"),
        ("/p/solve/new.c", "LEGACY", "c"),
        ("/p/new.h", "MATRIX", "c"),
        ("/elsewhere/new.cpp", "SOLVER", "c++"),
    ],
)
def test_the_most_similar_entry_lends_its_flags(
    tmp_path: Path, path: str, expected: str, language: str
) -> None:
    loaded = database(
        tmp_path,
        entry("solve/solver.cpp", "-DSOLVER", "-std=c++14"),
        entry("solve/z_legacy.c", "-DLEGACY", "-std=c99"),
        entry("math/matrix.c", "-DMATRIX"),
    )
    flags = loaded.interpolated(path)
    assert flags is not None
    assert (macros(flags.options), flags.language) == (expected, language)
    assert flags.assumptions[-1].startswith(f"not in {loaded.path}: parsed with the flags of ")


def test_among_namesakes_the_nearest_lends_its_flags(tmp_path: Path) -> None:
    loaded = database(tmp_path, entry("x/mesh.c", "-DX"), entry("y/mesh.c", "-DY"))
    flags = loaded.interpolated("/p/y/include/mesh.h")
    assert flags is not None and macros(flags.options) == "Y"


def test_a_standard_of_the_other_language_is_not_lent(tmp_path: Path) -> None:
    flags = database(tmp_path, entry("a.cpp", "-std=c++20")).interpolated("/p/b.c")
    assert flags is not None and (flags.language, flags.std) == ("c", None)


def test_an_empty_database_lends_nothing(tmp_path: Path) -> None:
    assert database(tmp_path).interpolated("/p/a.c") is None


# --- finding


@pytest.mark.parametrize("place", ["", "build", "src", "src/build", "src/deep"])
def test_the_database_is_found_above_the_file(tmp_path: Path, place: str) -> None:
    source = tmp_path / "src" / "deep" / "a.c"
    write_database(tmp_path / place, [entry(str(source), "-DFOUND")])
    source.parent.mkdir(parents=True, exist_ok=True)
    assert macros(FlagFinder().flags(str(source)).options) == "FOUND"


def test_the_nearest_database_wins(tmp_path: Path) -> None:
    source = str(tmp_path / "src" / "a.c")
    write_database(tmp_path, [entry(source, "-DFAR")])
    write_database(tmp_path / "src" / "build", [entry(source, "-DNEAR")])
    assert macros(FlagFinder().flags(source).options) == "NEAR"


def test_a_build_folder_given_wins_over_all(tmp_path: Path) -> None:
    source = str(tmp_path / "src" / "a.c")
    write_database(tmp_path / "src", [entry(source, "-DNEAR")])
    given = write_database(tmp_path / "elsewhere", [entry(source, "-DGIVEN")])
    for build_dir in (given, given.parent):
        assert macros(FlagFinder(str(build_dir)).flags(source).options) == "GIVEN"


def test_a_build_folder_without_database_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no compile_commands\.json there"):
        FlagFinder(str(tmp_path))


def test_flags_of_the_command_line_are_for_files_without_entry(tmp_path: Path) -> None:
    write_database(tmp_path, [entry("a.c", "-DENTRY", directory=str(tmp_path))])
    finder = FlagFinder(extra=["-DEXTRA", "-Iinc"], directory="/cwd")
    assert macros(finder.flags(str(tmp_path / "a.c")).options) == "ENTRY"
    assert finder.flags(str(tmp_path / "b.c")).options == ("-DEXTRA", "-I/cwd/inc")


def test_without_extra_flags_a_neighbour_lends_its_own(tmp_path: Path) -> None:
    write_database(tmp_path, [entry("a.c", "-DENTRY", directory=str(tmp_path))])
    assert macros(FlagFinder().flags(str(tmp_path / "b.c")).options) == "ENTRY"


def test_a_flags_file_holds_for_all_below_it(tmp_path: Path) -> None:
    (tmp_path / "compile_flags.txt").write_text("-DA\n-Iinc\n\n-std=c11\n", "utf-8")
    (tmp_path / "sub").mkdir()
    flags = FlagFinder().flags(str(tmp_path / "sub" / "a.c"))
    assert flags.arguments == ("-x", "c", "-std=c11", "-DA", f"-I{tmp_path / 'inc'}")


# --- guessing


def test_a_guess_names_what_it_rests_on(tmp_path: Path) -> None:
    # As PolyBench lies: the header is three folders up, in utilities/.
    (tmp_path / "LICENSE.txt").touch()
    (tmp_path / "utilities").mkdir()
    kernel = tmp_path / "linear-algebra" / "blas" / "gemm"
    kernel.mkdir(parents=True)
    flags = guess_flags(str(kernel / "gemm.c"))
    assert flags.include_dirs == (
        str(kernel),
        str(kernel.parent),
        str(kernel.parent.parent),
        str(tmp_path),
        str(tmp_path / "utilities"),
    )
    assert flags.arguments[:3] == ("-x", "c", "-std=gnu17")
    assert flags.assumptions == (
        "no compile command found: parsed as gnu17, "
        "headers searched in ., .., ../.., ../../.., ../../../utilities",
    )


@pytest.mark.parametrize(
    ("name", "siblings", "arguments"),
    [
        ("a.c", ["b.cpp"], ("-x", "c", "-std=gnu17")),
        ("a.cpp", [], ("-x", "c++", "-std=gnu++17")),
        ("a.h", ["a.c"], ("-x", "c", "-std=gnu17")),
        ("a.h", ["a.cc"], ("-x", "c++", "-std=gnu++17")),
        ("a.h", [], ("-x", "c", "-std=gnu17")),
        ("a.h", ["../src/a.cxx"], ("-x", "c++", "-std=gnu++17")),
        ("a.strange", [], ("-x", "c++", "-std=gnu++17")),
        ("a.cl", [], ("-x", "cl", "-cl-std=CL2.0")),
    ],
)
def test_the_guessed_language(
    tmp_path: Path, name: str, siblings: list[str], arguments: tuple[str, ...]
) -> None:
    folder = tmp_path / "include"
    for sibling in (name, *siblings):
        path = folder / sibling
        path.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "include").mkdir(exist_ok=True)
        Path(os.path.normpath(path)).parent.mkdir(exist_ok=True)
        Path(os.path.normpath(path)).touch()
    assert guess_flags(str(folder / name)).arguments[:3] == arguments


def test_a_guess_for_cuda_reads_the_host_half(tmp_path: Path) -> None:
    arguments = guess_flags(str(tmp_path / "a.cu")).arguments
    assert arguments[:5] == ("-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-host-only")
