"""What libclang gets can be read in one way only, whatever files are called."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rooflint.compile_flags import options
from rooflint.compile_flags.flag_reader import read_flags
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.guess import guess_flags
from rooflint.compile_flags.options import Language, is_header_name
from rooflint.errors import AnalysisError
from rooflint.frontend.extract import extract
from rooflint.frontend.parse.clang_arguments import absolute, refuse_unexpected
from rooflint.frontend.parse.clang_c import Clang
from rooflint.frontend.parse.headers import real_tier, shim_tier
from rooflint.frontend.request import Request

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"
TEXT = LOOP.encode()
LANGUAGES: tuple[Language, ...] = ("c", "c++", "cuda", "hip", "cl")


@pytest.fixture(scope="module")
def clang() -> Clang:
    return Clang()


@pytest.mark.parametrize("name", ["a.c", "./a.c", "--config=x", "@a.c", "", "-", "/a\0.c"])
def test_a_path_that_could_be_read_otherwise_is_refused(clang: Clang, name: str) -> None:
    with pytest.raises(AnalysisError, match="the path is not absolute"):
        clang.parse(name, ("-x", "c"), ((name, TEXT),))
    with pytest.raises(AnalysisError, match="the path is not absolute"):
        clang.parse("/a.c", ("-x", "c"), (("/a.c", TEXT), (name, b"")))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--config=/x.cfg",), ("--config", "/x.cfg"), ("@/x.rsp",), ("--",), ("-",), ("a.c",),
        ("-MD",), ("-MF", "/out"), ("-MF/out",), ("-o", "/out"), ("-o/out",), ("-save-temps",),
        ("-Xclang", "-load", "-Xclang", "/x.so"), ("-Xclang", "-include", "/x.h"), ("-Xclang",),
        ("-fplugin=/x.so",), ("-mllvm", "-load=/x.so"), ("-B/x",), ("-specs=/x",),
        ("-ivfsoverlay", "/x.yaml"), ("-include-pch", "/x"), ("-include", "-o"), ("-include",),
        ("-include", "@x"), ("-Irelative",), ("-I",), ("-I=relative",), ("-isystem", "relative"),
        ("-isystem", "-o"), ("-x", "c-header"), ("-x",), ("--gcc-toolchain=relative",), ("-D",),
        ("-march=native;x",), ("-std=c11 -o/x",), ("--target=x86_64 -o",), ("-DX\0",), ("",),
        ("--serialize-diagnostics", "/x"), ("-working-directory", "/x"), ("-fcrash-diagnostics",),
        ("-resource-dir", "/x"), ("-ftime-trace=/x",), ("--config-user-dir=/x",), ("-cc1",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_argument_of_another_kind_is_refused(clang: Clang, arguments: tuple[str, ...]) -> None:
    with pytest.raises(AnalysisError, match="not passed to libclang: the argument"):
        clang.parse("/a.c", ("-x", "c", *arguments), (("/a.c", TEXT),))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_front_end_adds_itself_is_expected(language: Language) -> None:
    flags = Flags(language).arguments
    for tier in (shim_tier(language), real_tier(language)):
        if tier is not None:
            refuse_unexpected("/a.c", (*flags, *tier[0]), [name for name, _ in tier[1]])


WORDS = st.sampled_from(
    (
        *options.DIRECTORY_OPTIONS, *options.FILE_OPTIONS, *options.MACRO_OPTIONS,
        *sorted(options.SEPARATE_OPTIONS), *options.UNTRUSTED, *options.CODE_SWITCHES,
        "-std=c++17", "-std=nonsense", "-std=c++17 -o x", "-x", "c++", "cuda", "none", "-xc", "--",
        "@x.rsp", "-march=haswell", "-march=native", "-march=armv8-a", "-mavx2", "-m32", "-O3",
        "--target=aarch64-linux-gnu", "--target=-o", "--gcc-toolchain=gcc", "-fopenmp", "-ansi",
        "-fno-exceptions", "-fno-builtin-memcpy", "-nostdinc", "-pthread", "-stdlib=libc++",
        "=/usr", "=usr", "-I=usr", "-I", "-Iinc", "-I-", "-D", "-DX", "-D=", "-U", "-Uo", "-MF",
        "--config=x", "-Wp,-MD,out", "-Xpreprocessor", "-MF,out", "/Iinc", "/FIx.h", "cl", "gcc",
        "x.h", "-x.h", "\n", "\u202e", "\udcff", "é", " ", "%s", "'", '"', "-", "", "..", "/",
    )
)  # fmt: skip


@given(
    words=st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=12),
    language=st.sampled_from(LANGUAGES),
)
def test_whatever_a_build_says_the_front_end_hands_over_what_is_expected(
    words: list[str], language: Language
) -> None:
    flags = read_flags(["cc", *words], "/build", "/tree/a.c", language=language)
    refuse_unexpected("/tree/a.c", flags.arguments, ())
    refuse_unexpected("/tree/a.c", flags.reduced().arguments, ())
    refuse_unexpected("/tree/a.c", flags.with_std("gnu89").arguments, ())


@given(st.text(st.characters(exclude_characters="\0/"), min_size=1).map(lambda name: name[:80]))
def test_every_name_of_a_file_becomes_one_that_is_no_option(name: str) -> None:
    refuse_unexpected(absolute(name), guess_flags(absolute(name)).arguments, [absolute(name)])


@pytest.mark.parametrize("name", ["", "-x.h", "@x.h", "=x.h", "/x.h", "x\0.h"])
def test_names_of_headers(name: str) -> None:
    assert not is_header_name(name)
    assert is_header_name("x.h")
    assert is_header_name("sys/x.h")


NAMELESS = """struct { double v[9]; } box;
void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = box.w + head.w; }
"""


@pytest.mark.parametrize("folder", ["", "tree", "tree/.."])
def test_messages_have_the_names_that_the_user_gave(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tree").mkdir()
    monkeypatch.chdir(tmp_path)
    path = os.path.join(folder, "a.c")
    Path(folder, "head.h").write_text("struct { double v[9]; } head;\n")
    Path(folder, "loose.dat").write_text("int x = nothing;\n")
    Path(path).write_text('#include "head.h"\n#include "loose.dat"\n' + NAMELESS)
    unit = extract(Request(path, Flags("c")))
    assert unit.path == path
    said = [diagnostic.message for diagnostic in unit.diagnostics]
    assert f"no member named 'w' in 'struct (unnamed at {path}:3:1)'" in said
    header = os.path.join(folder or ".", "head.h")
    assert f"no member named 'w' in 'struct (unnamed at {header}:1:1)'" in said
    whole = extract(Request(str(tmp_path / path), Flags("c")))
    assert f"'struct (unnamed at {tmp_path / path}:3:1)'" in repr(whole.diagnostics)


def test_an_error_calls_the_file_what_the_user_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("#pragma clang __debug parser_crash\n" + LOOP)
    with pytest.raises(AnalysisError, match=r"^a\.c: libclang could not parse: the parser crashed"):
        extract(Request("a.c", Flags("c")))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.c")
    for path in (str(tmp_path / "pipe.c"), "/dev/zero", str(tmp_path)):
        with pytest.raises(AnalysisError, match=r"not a regular file|Is a directory"):
            extract(Request(path, Flags("c")))


def test_a_folder_named_like_an_option_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: Callable[[], list[str]]
) -> None:
    tree = tmp_path / "tree"
    (tree / "--config=sub").mkdir(parents=True)
    (tree / "sub").mkdir()
    (tree / "--config=sub" / "cfg.c").write_text(LOOP)
    (tree / "sub" / "cfg.c").write_text(f'-MD -MF {tmp_path}/out -MT "text" ok.c')
    (tree / "ok.c").write_text(LOOP)
    monkeypatch.chdir(tree)
    before = written()
    unit = extract(Request("--config=sub/cfg.c", Flags("c")))
    assert [source.function.name for source in unit.functions] == ["f"]
    assert written() == before


@pytest.fixture
def written(tmp_path: Path) -> Callable[[], list[str]]:
    return lambda: sorted(str(path) for path in tmp_path.rglob("*"))
