"""Fills ``bundled/`` with the language server: ``python build_bundle.py TARGET WHEEL [PYTHON]``.

TARGET is a platform of Visual Studio Code, such as linux-x64, and WHEEL the one of Rooflint for it.
``bundled/libs`` gets the server with all it imports, for every CPython of VERSIONS: compiled parts
of packages have the version in their name, so those of all versions share a folder. PYTHON, the
folder of a relocatable CPython for TARGET, becomes ``bundled/python`` without what a server never
imports; the extension then needs no Python at all. Symbols go too, where ``strip`` is installed
and knows the target. The packages come from the index that pip uses; packing the result needs no
network.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

HERE = Path(__file__).parent
BUNDLED = HERE / "bundled"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "linux-x64": ("linux_x86_64", "manylinux2014_x86_64", "manylinux_2_28_x86_64"),
    "linux-arm64": ("linux_aarch64", "manylinux2014_aarch64", "manylinux_2_28_aarch64"),
    "darwin-x64": ("macosx_10_9_x86_64", "macosx_10_13_x86_64", "macosx_11_0_x86_64"),
    "darwin-arm64": ("macosx_11_0_arm64",),
    "win32-x64": ("win_amd64",),
}
"""Tags of wheels that run on each target, those of pip."""
COMPILED = ("*.so", "*.pyd")
LEFT_OUT = (
    "bin",
    "share",
    "sympy/**/tests",
    "sympy/**/benchmarks",
    # ``import sympy`` reads none of these
    "sympy/parsing/autolev",
    "sympy/parsing/latex",
    "sympy/physics",
    "sympy/stats",
    "mpmath/tests",
    "isympy.py",
    "**/*.pyi",
)
"""Of the packages; the extension starts the server as a module."""
LEFT_OUT_OF_PYTHON = (
    "include",
    "share",
    "lib/*.a",
    "lib/pkgconfig",
    *[
        f"lib/python3.*/{name}"
        for name in (
            "config-*", "distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data",
            "site-packages", "test", "tkinter", "turtledemo", "**/__pycache__", "**/*.a",
        )
    ],
    *[
        f"lib/python3.*/lib-dynload/{name}*.so"
        for name in ("_codecs_", "_curses", "_dbm", "_gdbm", "_sqlite3", "_test", "_tkinter",
                     "_xx", "audioop", "nis", "ossaudiodev", "readline", "xx")
    ],
)  # fmt: skip
"""Of the interpreter: development, installation, graphics, terminals, databases, Asian text."""


def install(requirement: str, target: str, version: str, folder: Path) -> None:
    """Unpacks a requirement and all that it needs for a target and a CPython into a folder."""
    platforms = [word for tag in PLATFORMS[target] for word in ("--platform", tag)]
    command = [
        *(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"),
        *("--no-compile", "--only-binary", ":all:", "--implementation", "cp"),
        *("--python-version", version, *platforms, "--target", str(folder), requirement),
    ]
    subprocess.run(command, check=True)


def add_compiled(libs: Path, other: Path) -> None:
    """Copies the compiled modules of another CPython beside those that are there."""
    for pattern in COMPILED:
        for module in other.rglob(pattern):
            place = libs / module.relative_to(other)
            if not place.exists():
                shutil.copy2(module, place)


def leave_out(libs: Path, patterns: Iterable[str]) -> None:
    """Removes what the server never imports."""
    for pattern in patterns:
        for path in list(libs.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def strip(folder: Path) -> None:
    """Removes the symbols of compiled files that ``strip`` knows; others stay as they are."""
    program = shutil.which("strip")
    if program is None:
        return
    of_python = [path for path in folder.glob("python/bin/*") if not path.is_symlink()]
    for path in (*folder.rglob("*.so"), *folder.rglob("*.so.*"), *of_python):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200)
            subprocess.run([program, "--strip-unneeded", path], check=False, capture_output=True)


def build(target: str, wheel: Path, python: Path | None) -> None:
    """Writes ``bundled/`` anew."""
    shutil.rmtree(BUNDLED, ignore_errors=True)
    libs = BUNDLED / "libs"
    first, *others = VERSIONS
    install(f"{wheel}[lsp]", target, first, libs)
    for version in others:
        with tempfile.TemporaryDirectory() as folder:
            install(f"{wheel}[lsp]", target, version, Path(folder))
            add_compiled(libs, Path(folder))
    leave_out(libs, LEFT_OUT)
    if python is not None:
        shutil.copytree(python, BUNDLED / "python", symlinks=True)
        leave_out(BUNDLED / "python", LEFT_OUT_OF_PYTHON)
    strip(BUNDLED)


def main(arguments: Sequence[str]) -> int:
    """Reads the command line; 2 where it is wrong."""
    if len(arguments) not in (2, 3) or arguments[0] not in PLATFORMS:
        sys.stderr.write(f"usage: build_bundle.py {'|'.join(PLATFORMS)} WHEEL [PYTHON]\n")
        return 2
    python = Path(arguments[2]) if arguments[2:] else None
    build(arguments[0], Path(arguments[1]).resolve(), python)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
