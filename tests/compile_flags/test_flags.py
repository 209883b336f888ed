"""What a stranger's compile command may tell libclang, and what it may not."""

import os
import string
from collections.abc import Iterable
from pathlib import Path

import pytest
from clang import cindex
from hypothesis import given
from hypothesis import strategies as st
from rooflint.compile_flags import options
from rooflint.compile_flags.argv import expand, split_command, split_driver
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.compile_flags.guess import FlagGuesser


def read(command: str, path: str = "/p/src/a.c") -> Flags:
    return read_flags(split_command(command), "/p/build", path)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("-I inc -I../inc -I/abs", ["-I/p/build/inc", "-I/p/inc", "-I/abs"]),
        ("-isystem x -iquote y -idirafter z", ["-isystem", "/p/build/x", "-iquote", "/p/build/y",
                                               "-idirafter", "/p/build/z"]),
        ("-isystemx", ["-isystem", "/p/build/x"]),
        ("--sysroot=/s -isysroot r", ["-isysroot", "/s", "-isysroot", "/p/build/r"]),
        ("-I=/usr/x", ["-I=/usr/x"]),
        ("-DA -D B=2 -UC '-DS=\"a b\"'", ["-DA", "-DB=2", "-UC", '-DS="a b"']),
        ("-D_FORTIFY_SOURCE=2 -D", []),
        ("-Wp,-DA=1,-Iinc -Xpreprocessor -DB", ["-DA=1", "-I/p/build/inc", "-DB"]),
        ("-nostdinc -fno-exceptions -fsigned-char -fpack-struct=4",
         ["-nostdinc", "-fno-exceptions", "-fsigned-char", "-fpack-struct=4"]),
        ("-mavx2 -mno-fma -m32", ["-mavx2", "-mno-fma", "-m32"]),
        ("-march=haswell -mtune=skylake", ["-march=haswell"]),
        ("--target=aarch64-linux-gnu -march=armv8-a", ["--target=aarch64-linux-gnu",
                                                       "-march=armv8-a"]),
        ("-fopenmp", ["-D_OPENMP=202011"]),
        ("-Xpreprocessor -fopenmp", ["-D_OPENMP=202011"]),
        ("-Xclang -fopenmp", ["-D_OPENMP=202011"]),
        ("-qopenmp -fno-openmp", []),
        ("-fopenmp-simd", []),
        ("-include missing.h", ["-Xclang", "-include", "-Xclang", "missing.h"]),
        ("-Xclang -include -Xclang /x/pch.hxx", ["-Xclang", "-include", "-Xclang", "/x/pch.hxx"]),
        ("-c -o a.o a.c -O2 -g3 -Wall -MD -MF a.d -MT a.o -lm -L. -pipe -fPIC -flto x.o -", []),
        ("-DA -- -DB", ["-DA"]),
        ("-I", []),
        ("gcc", []),
        ("ccache /usr/bin/gcc-12 -DA a.c", ["-DA"]),
        ("env CC=gcc LANG=C gcc -DA a.c", ["-DA"]),
        ("aarch64-linux-gnu-g++-12 -DA a.c", ["-DA", "--target=aarch64-linux-gnu"]),
        ("cl.exe /nologo /DA=1 /Iinc /Foa.obj /c a.c", ["-DA=1", "-I/p/build/inc"]),
    ],
)  # fmt: skip
def test_options(command: str, expected: list[str]) -> None:
    assert list(read(command).options) == expected


def test_arguments_name_language_and_standard_first() -> None:
    flags = read("g++ -std=c++14 -Iinc -c a.cpp", "/p/src/a.cpp")
    assert flags.arguments == ("-x", "c++", "-std=c++14", "-I/p/build/inc")
    assert flags.include_dirs == ("/p/build/inc",)
    assert flags.assumptions == flags.dropped[1:] == ()


@pytest.mark.parametrize(
    ("command", "path", "language", "std"),
    [
        ("gcc", "a.c", "c", None),
        ("g++", "a.c", "c++", None),
        ("mpicxx", "a.c", "c++", None),
        ("gcc", "a.cc", "c++", None),
        ("gcc", "a.C", "c++", None),
        ("gcc -x c++ -std=gnu++20", "a.c", "c++", "gnu++20"),
        ("gcc -xc -std=c99", "a.cpp", "c", "c99"),
        ("nvcc -std c++17", "a.cu", "cuda", "c++17"),
        ("gcc -ansi", "a.c", "c", "c89"),
        ("gcc -ansi", "a.cpp", "c++", "c++98"),
        ("gcc -std=c11 -std=gnu17", "a.c", "c", "gnu17"),
        ("gcc -std=c2y", "a.c", "c", "c23"),
        ("gcc -std=c++17", "a.c", "c", None),
        ("gcc -std=c++77", "a.cpp", "c++", None),
        ("clang -cl-std=CL2.0", "a.cl", "cl", "CL2.0"),
        ("icc -xHost", "a.c", "c", None),
    ],
)
def test_language_and_standard(command: str, path: str, language: str, std: str | None) -> None:
    flags = read(command, path)
    assert (flags.language, flags.std) == (language, std)


@pytest.mark.parametrize(
    "command",
    [
        "-fplugin=evil.so",
        "-fplugin-arg-evil-x=1",
        "-fpass-plugin=evil.so",
        "-Xclang -load -Xclang evil.so",
        "-Xclang -plugin -Xclang evil",
        "-mllvm -load=evil.so",
        "-B /evil",
        "-B/evil",
        "-specs=evil.specs",
        "-specs evil.specs",
        "--specs=evil.specs",
        "-wrapper evil",
        "-resource-dir /evil",
        "-ivfsoverlay evil.yaml",
        "-load evil.so",
        "-ccbin evil",
        "--compiler-bindir=evil",
        "-Wp,-fplugin=evil.so",
        "-Xpreprocessor -fplugin=evil.so",
        "-Xcompiler=-fplugin=evil.so,-B/evil",
    ],
)
def test_code_loaders_are_dropped_and_named(command: str) -> None:
    flags = read(command)
    assert flags.options == ()
    assert any("evil" in note and "must not load code" in note for note in flags.assumptions)
    assert any("evil" in dropped for dropped in flags.dropped)


@pytest.mark.parametrize(
    ("command", "note"),
    [
        ("-march=native", "-march=native not passed on"),
        ("-march=znver5", "-march=znver5 read as znver4"),
        ("-march=nonsense", "-march=nonsense is unknown"),
        ("-march=armv8-a", "target aarch64-linux-gnu taken from armv8-a"),
        ("--target=vax-dec-ultrix", "--target=vax-dec-ultrix is unknown"),
        ("-std=c2y", "-std=c2y read as c23"),
        ("-std=c++77", "-std=c++77 is unknown"),
        ("-fsingle-precision-constant", "-fsingle-precision-constant not passed on"),
        ("-fmodules", "-fmodules not passed on"),
        ("-include-pch a.pch", "-include-pch a.pch not passed on"),
        ("-xHost -nonsense", "ignored unknown compiler flags: -xHost -nonsense"),
    ],
)
def test_what_could_change_the_meaning_is_an_assumption(command: str, note: str) -> None:
    assert [text for text in read(command).assumptions if text.startswith(note)]


@pytest.mark.parametrize(
    "command",
    ["-O3 -g -Wall -Werror=x -fPIC -ftree-loop-im --param max-x=1 -fno-plt -c -o x -s -v",
     "-mcmodel=large -mfunction-return=thunk -save-temps -### --version -fprofile-use=x"],
)  # fmt: skip
def test_gcc_only_flags_are_dropped_without_a_word(command: str) -> None:
    flags = read(command)
    assert (flags.options, flags.assumptions) == ((), ())


def test_dropped_flags_are_listed() -> None:
    assert read("-fPIC -o a.o -fplugin=x").dropped == ("-fPIC", "-o a.o", "-fplugin=x")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("", CodeGeneration()),
        ("-O -O2", CodeGeneration(opt_level="2")),
        ("-O", CodeGeneration(opt_level="1")),
        ("-Ofast", CodeGeneration(opt_level="fast", fast_math=True)),
        ("-ffast-math -fno-fast-math", CodeGeneration()),
        ("-ffast-math", CodeGeneration(fast_math=True)),
        ("-march=native -mtune=zen4", CodeGeneration(march="native", mtune="zen4")),
        ("-mavx2 -mno-fma", CodeGeneration(features=("avx2", "no-fma"))),
        ("-fopenmp=libomp", CodeGeneration(openmp=True)),
        ("-fopenmp-simd", CodeGeneration(openmp_simd=True)),
        ("-ffp-contract=off", CodeGeneration(ffp_contract="off")),
        ("-fno-tree-vectorize", CodeGeneration(vectorize=False)),
        ("-mprefer-vector-width=512", CodeGeneration(prefer_vector_bits=512)),
        ("-mprefer-vector-width=none", CodeGeneration()),
        ("-fp-model fast=2", CodeGeneration(fast_math=True)),
        ("-fno-strict-aliasing -fno-math-errno", CodeGeneration(strict_aliasing=False,
                                                                math_errno=False)),
        ("-fno-trapping-math", CodeGeneration(trapping_math=False)),
        ("-fno-trapping-math -ftrapping-math", CodeGeneration(trapping_math=True)),
        ("--target=riscv64-linux-gnu", CodeGeneration(target="riscv64-linux-gnu")),
    ],
)  # fmt: skip
def test_code_generation(command: str, expected: CodeGeneration) -> None:
    assert read(command).code == expected


def test_a_forced_include_is_looked_for_beside_the_command_first(tmp_path: Path) -> None:
    (tmp_path / "here.h").touch()
    flags = read_flags(["-include", "here.h", "-imacros", "there.h"], str(tmp_path), "a.c")
    assert flags.options[3:] == (str(tmp_path / "here.h"), "-imacros", "there.h")


def test_with_std_and_reduced_keep_the_rest() -> None:
    flags = read("-std=c99 -Iinc -DA -mavx2 -fshort-enums --target=x86_64-linux-gnu")
    assert flags.with_std("gnu89").arguments[2] == "-std=gnu89"
    assert flags.with_std("gnu89").options == flags.options
    assert flags.reduced().arguments == ("-x", "c", "-I/p/build/inc", "-DA")
    assert len(flags.reduced().assumptions) == 1


# --- response files


def test_response_files_inside_the_tree_are_opened(tmp_path: Path) -> None:
    (tmp_path / "inner.rsp").write_text("-DC", encoding="utf-8")
    (tmp_path / "outer.rsp").write_text("-DA '-DB=1 2'\n@inner.rsp -fplugin=x", encoding="utf-8")
    flags = read_flags(["gcc", "@outer.rsp"], str(tmp_path), "a.c", roots=[str(tmp_path)])
    assert flags.options == ("-DA", "-DB=1 2", "-DC")
    assert flags.dropped == ("-fplugin=x",)


def test_response_files_elsewhere_are_not(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "tree-2"
    tree.mkdir()
    outside.mkdir()
    (outside / "o.rsp").write_text("-DEVIL", encoding="utf-8")
    (tree / "link.rsp").symlink_to(outside / "o.rsp")
    (tree / "large.rsp").write_text("-DEVIL " * 200_000, encoding="utf-8")
    names = [f"{outside}/o.rsp", "../tree-2/o.rsp", "link.rsp", "large.rsp", "missing.rsp"]
    expanded = expand([f"@{name}" for name in names], str(tree), [str(tree)])
    assert expanded.tokens == ()
    reasons = ["outside the analysed tree"] * 3 + ["larger than 1 MiB", "no such file"]
    assert [note.rsplit(": ")[1] for note in expanded.notes] == [
        reason if "outside" not in reason else f"it is {reason}" for reason in reasons
    ]


def test_response_files_that_name_themselves_end(tmp_path: Path) -> None:
    (tmp_path / "loop.rsp").write_text("-DA @loop.rsp @loop.rsp", encoding="utf-8")
    expanded = expand(["@loop.rsp"], str(tmp_path), [str(tmp_path)])
    # Each level doubles: 1 + 2 + … + 2**7 files are opened, eight levels deep.
    assert expanded.tokens == ("-DA",) * 255
    assert {note.rsplit(": ")[1] for note in expanded.notes} == {
        "response files nested deeper than 8"
    }


def test_the_driver_is_split_off() -> None:
    assert split_driver(["/opt/g++.exe", "a.c", "-c"]) == ("g++", ("a.c", "-c"))
    assert split_driver(["-c"]) == ("", ("-c",))
    assert split_driver([]) == ("", ())


# --- laws

words = st.text(string.ascii_letters + string.digits + "-=+,./@_ \0é", min_size=0, max_size=12)
TABLES = (
    options.DIRECTORY_OPTIONS,
    options.FILE_OPTIONS,
    options.MACRO_OPTIONS,
    options.SEPARATE_OPTIONS,
    options.UNTRUSTED,
    options.OPENMP,
    ("-Xclang", "-x", "-std=", "-march=", "-f"),
)
known = st.sampled_from(sorted({option for table in TABLES for option in table}))
ALLOWED = ("-I", "-D", "-U", "-F", "-m", "-f", "-nostd", "-nobuiltin", "-trigraphs", "-pthread")
WITH_VALUE = ("-isystem", "-iquote", "-idirafter", "-isysroot", "-iframework", "-imacros")


def outside_the_list(arguments: Iterable[str]) -> list[str]:
    rest = list(reversed(list(arguments)))
    found = []
    while rest:
        argument = rest.pop()
        if argument in WITH_VALUE:
            rest.pop()
        elif argument == "-Xclang":
            assert [rest.pop() for _ in range(2)] == ["-include", "-Xclang"]
            rest.pop()
        elif argument.startswith(("-fplugin", "-fpass-plugin", "-mllvm")):
            found.append(argument)
        elif not argument.startswith(ALLOWED):
            known_long = argument.startswith(("--target=", "--gcc-", "-stdlib="))
            found += [] if known_long else [argument]
    return found


@given(st.lists(words | known | st.tuples(known, words).map("".join), max_size=8))
def test_nothing_outside_the_list_gets_through(argv: list[str]) -> None:
    flags = read_flags(["cc", *argv], "/p", "a.c", roots=["/nowhere"])
    assert outside_the_list(flags.options) == []
    assert not any("\0" in argument for argument in flags.arguments)


@given(st.lists(words | known, max_size=8))
def test_reading_twice_gives_the_same(argv: list[str]) -> None:
    first = read_flags(argv, "/p", "a.c")
    assert first == read_flags(argv, "/p", "a.c")
    # What was handed on passes the list again unchanged, but for the macro OpenMP became.
    assert read_flags(["cc", *first.options], "/p", "a.c").options == first.options


# --- libclang takes what the tables hold: one unknown value there would fail the whole parse


def parses(arguments: Iterable[str]) -> bool:
    source = [("a.c", "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }")]
    try:
        unit = cindex.Index.create().parse("a.c", args=list(arguments), unsaved_files=source)
    except cindex.TranslationUnitLoadError:
        return False
    return any(c.kind == cindex.CursorKind.FOR_STMT for c in unit.cursor.walk_preorder())


def test_libclang_knows_every_standard() -> None:
    for language, standards in options.STANDARDS.items():
        for std in standards:
            assert parses(Flags(language, std).arguments), (language, std)


def test_libclang_knows_every_processor() -> None:
    for march in options.X86_CPUS | options.NEWER_CPUS.keys():
        assert parses(read(f"-march={march}").arguments), march
    for march in "armv8-a armv8.2-a+sve armv9-a armv7-a cortex-a72 a64fx rv64gcv power9".split():
        assert parses(read(f"-march={march}").arguments), march


@pytest.mark.parametrize(
    "command",
    [
        "-march=nonsense -mtune=nonsense -mcpu=nonsense",
        "--target=vax-dec-ultrix",
        "-std=c++77",
        "-xHost -xCORE-AVX512",
        "-fprofile-use=missing -mfunction-return=x -save-temps -### --version -",
        "-I",
        "-D",
        "-ferror-limit=0 -fgnu89-inline b.c",
    ],
)
def test_flags_that_fail_a_parse_do_not_reach_it(command: str) -> None:
    assert parses(read(command).arguments)
    assert parses(read(command, "/p/a.cpp").arguments)


def test_a_precompiled_header_beside_a_forced_include_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "pre.h").write_text("#define N 10", encoding="utf-8")
    (tmp_path / "pre.h.pch").write_text("not a header", encoding="utf-8")
    (tmp_path / "pre.h.gch").write_text("not a header", encoding="utf-8")
    source = tmp_path / "a.c"
    source.write_text("int a[N];", encoding="utf-8")
    flags = read_flags(["-include", "pre.h"], str(tmp_path), str(source))
    unit = cindex.Index.create().parse(os.fspath(source), args=list(flags.arguments))
    assert list(unit.diagnostics) == []


def test_a_folder_with_the_template_of_a_header_is_searched(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    (tmp_path / "one" / "made.h.in").write_text("typedef int number;\n", encoding="utf-8")
    source = tmp_path / "two" / "a.c"
    source.write_text('#include "made.h"\n', encoding="utf-8")
    assert str(tmp_path / "one") in FlagGuesser().flags(str(source)).arguments


@pytest.mark.parametrize(
    ("name", "others", "found"),
    [
        ("gsl/gsl_math.h", (), True),  # the name begins with the folder's
        ("project/gsl_math.h", (), True),  # the folder has the project's name
        ("gsl/gsl_math.h", ("third",), False),  # which of two is meant is open
        ("lib/gsl_math.h", (), False),
        ("gsl_math.h", (), False),  # its folder is searched
        ("gsl/more/gsl_math.h", (), False),
    ],
)
def test_a_header_that_a_build_gathers_is_the_only_one_of_its_name(
    tmp_path: Path, name: str, others: tuple[str, ...], found: bool
) -> None:
    root = tmp_path / "project"
    for folder in (".git", "one", "two", *others):
        (root / folder).mkdir(parents=True)
    for folder in ("one", *others):
        (root / folder / "gsl_math.h").write_text("typedef int number;\n", encoding="utf-8")
    source = root / "two" / "a.c"
    source.write_text(f"#include <{name}>\n", encoding="utf-8")
    flags = FlagGuesser().flags(str(source))
    assert flags.gathered == (((name, str(root / "one" / "gsl_math.h")),) if found else ())
    assert any("is taken for" in each for each in flags.assumptions) == found
