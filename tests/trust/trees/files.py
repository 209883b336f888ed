"""Trees whose files are links and devices, and sources that name what is not theirs."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

LOOP = "void other(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"


def folder_loops(tree: Path, outside: Path) -> None:
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "here").symlink_to(".")
    (tree / "a" / "b" / "up").symlink_to("../..")
    (tree / "a" / "b" / "absolute").symlink_to(tree)
    (tree / "a" / "b" / "c.c").write_text(LOOP)


def links_outside(tree: Path, outside: Path) -> None:
    (tree / "secret.c").symlink_to(outside / "secret.txt")
    (tree / "whole").symlink_to(outside)
    (tree / "passwords.h").symlink_to("/etc/passwd")
    (tree / "gone.c").symlink_to("nowhere.c")
    (tree / "a.c").write_text('#include "whole/secret.txt"\n#include "passwords.h"\n' + LOOP)


def links_to_devices(tree: Path, outside: Path) -> None:
    for number, device in enumerate(("zero", "urandom", "null", "stdin", "tty", "full", "fd/0")):
        (tree / f"d{number}.c").symlink_to(f"/dev/{device}")
        (tree / f"d{number}.h").symlink_to(f"/dev/{device}")


def pipes(tree: Path, outside: Path) -> None:
    for name in ("a.c", "a.h", "rooflint.toml.c", ".clangd", "Makefile"):
        os.mkfifo(tree / name)


def sockets(tree: Path, outside: Path) -> None:
    folder = os.getcwd()
    try:
        os.chdir(tree)  # a socket's path may have 107 bytes
        for name in ("s.c", "s.h"):
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(name)
    finally:
        os.chdir(folder)


def unreadable(tree: Path, outside: Path) -> None:
    (tree / "no.c").write_text(LOOP)
    (tree / "no.c").chmod(0)
    (tree / "empty.c").touch()
    (tree / "folder.c").mkdir()
    (tree / "folder.c" / "a.c").write_text(LOOP)


def includes_devices(tree: Path, outside: Path) -> None:
    for name in ("stdin", "null", "tty", "fd/0", "full"):
        (tree / f"{name.replace('/', '_')}.c").write_text(f'#include "/dev/{name}"\n' + LOOP)


def includes_processes(tree: Path, outside: Path) -> None:
    names = ("self/environ", "self/mem", "self/maps", "1/environ", "self/cmdline")
    includes = "".join(f'#include "/proc/{name}"\n' for name in names)
    (tree / "a.c").write_text(includes + LOOP)


def includes_zeros(tree: Path, outside: Path) -> None:
    (tree / "a.c").write_text('#include "/dev/zero"\n' + LOOP)


def includes_a_pipe(tree: Path, outside: Path) -> None:
    os.mkfifo(tree / "pipe.h")
    (tree / "a.c").write_text('#include "pipe.h"\n' + LOOP)


def includes_itself(tree: Path, outside: Path) -> None:
    (tree / "a.c").write_text('#include "a.c"\n#include __FILE__\n' + LOOP)
    (tree / "b.h").write_text('#include "c.h"\n' + LOOP)
    (tree / "c.h").write_text('#include "b.h"\n')
    (tree / "b.c").write_text('#include "b.h"\n' + LOOP)


def secrets_in_messages(tree: Path, outside: Path) -> None:
    secret = outside / "secret.txt"
    (tree / "a.c").write_text(
        f'#include "{secret}"\n#if __has_include("{secret}")\nint there;\n#endif\n'
        f'#include_next "{secret}"\n#import "{secret}"\n#embed "{secret}"\n'
        f'const char all[] = {{\n#embed "{secret}"\n}};\n' + LOOP
    )


def assembler(tree: Path, outside: Path) -> None:
    text = f'.incbin \\"{outside}/secret.txt\\"\\n.include \\"/etc/passwd\\"\\n'
    (tree / "a.c").write_text(f'__asm__("{text}");\n' + LOOP)


def pragmas(tree: Path, outside: Path) -> None:
    (tree / "a.c").write_text(
        f'#pragma GCC dependency "{outside}/secret.txt"\n#pragma comment(lib, "evil")\n'
        f'#pragma GCC pch_preprocess "{outside}/secret.txt"\n#pragma clang module load evil\n'
        '#pragma include_alias("a.h", "/etc/passwd")\n#pragma redefine_extname f g\n'
        f'#pragma clang __debug dump {outside}/OUT\n_Pragma("GCC dependency \\"/etc/passwd\\"")\n'
        + LOOP
    )


def crashes(tree: Path, outside: Path) -> None:
    """Clang's own means of trying what happens to a program that it breaks."""
    deeds = (
        "crash",
        "parser_crash",
        "assert",
        "llvm_fatal_error",
        "llvm_unreachable",
    )
    for deed in deeds:
        (tree / f"{deed}.c").write_text(f"#pragma clang __debug {deed}\n" + LOOP)


def modules(tree: Path, outside: Path) -> None:
    (tree / "module.modulemap").write_text('module evil { header "a.h" export * }\n')
    (tree / "a.h").write_text("int x;\n")
    (tree / "a.cpp").write_text("import evil;\nmodule;\nexport module x;\nimport <a.h>;\n" + LOOP)
    (tree / "a.c").write_text(
        "#pragma clang module build evil\nmodule evil {}\n#pragma clang module contents\n"
        "#pragma clang module endbuild\n@import evil;\n" + LOOP
    )


def lines(tree: Path, outside: Path) -> None:
    """Directives that give the lines after them another file's name."""
    (tree / "a.c").write_text(
        '#line 7 "/etc/passwd"\nint x = "";\n#line 2147483647 "-o"\nint y = "";\n'
        '# 1 "ok.c" 1 3\nint z = "";\n#line 1 "\\033]0;title\\007"\n#error \x1b[2J \u202e </td>\n'
        + LOOP
    )


def comments(tree: Path, outside: Path) -> None:
    (tree / "a.c").write_text(
        "// rooflint: off\n// rooflint: n=9**9**9**9\n// rooflint: n=__import__('os').system('x')\n"
        "// rooflint: allow(RL101) \x1b[2J\u202e\n// NOLINTBEGIN\n/* rooflint: file-allow(ALL) */\n"
        + LOOP
    )


def odd_text(tree: Path, outside: Path) -> None:
    for name, data in {
        "zeros": b"\0" * 5000,
        "utf16": ("\ufeff" + LOOP).encode("utf-16"),
        "bytes": bytes(range(256)) * 20,
        "mark": b"\xef\xbb\xbf" + LOOP.encode(),
        "unclosed": b'R"(' + LOOP.encode(),
        "backslash": b"\\\n" * 3000 + LOOP.encode(),
    }.items():
        (tree / f"{name}.cpp").write_bytes(data)


def deep(tree: Path, outside: Path) -> None:
    (tree / "a.c").write_text(f"int x = {'(' * 30_000}1{')' * 30_000};\n" + LOOP)
    (tree / "b.cpp").write_text("template <int n> struct A { A<n + 1> a; }; A<0> a;\n" + LOOP)


TREES: tuple[Callable[[Path, Path], None], ...] = (
    folder_loops, links_outside, links_to_devices, pipes, sockets, unreadable, includes_devices,
    includes_processes, includes_zeros, includes_a_pipe, includes_itself,
    secrets_in_messages, assembler, pragmas, crashes, modules, lines, comments, odd_text, deep,
)  # fmt: skip
LIMITS = {
    "includes_zeros": ("--file-memory", "512"),
    "links_to_devices": ("--file-memory", "512"),
    "includes_devices": ("--file-memory", "512"),
    "includes_a_pipe": ("--file-seconds", "1"),
}
"""So that a file that never ends costs the test little."""
