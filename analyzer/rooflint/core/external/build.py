"""A source file to assembly, by the compiler that the user named, in a folder of its own.

Only flags that shape code or say where headers are get through: none that loads a plugin, runs a
program, writes elsewhere or reads options from a file.
"""

import hashlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterable
from typing import Final

from rooflint.core.compiler import is_compiler
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.store import TextStore
from rooflint.core.external.tools import locate, run_program, version_of
from rooflint.records import NamedTuple
from rooflint.startup.late_pattern import late_pattern

PAIRS: Final = frozenset(("-x", "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include"))
EXACT: Final = frozenset(("-pthread", "-ansi", "-w", "-nostdinc", "-nostdinc++"))
PREFIXES: Final = (
    "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-std=", "-O", "-x", "--target=",
    "-march=", "-mcpu=", "-mtune=", "-mfpu=", "-mfloat-abi=", "-mprefer-vector-width=",
    "-msve-vector-bits=", "-mavx", "-msse", "-mfma", "-mno-avx", "-mno-sse", "-mno-fma", "-mf16c",
    "-mbmi", "-m32", "-m64", "-ffast-math", "-fno-fast-math", "-fassociative-math",
    "-fno-associative-math", "-freciprocal-math", "-ffinite-math-only", "-fno-finite-math-only",
    "-fno-signed-zeros", "-fno-trapping-math", "-funsafe-math-optimizations", "-fmath-errno",
    "-fno-math-errno", "-ffp-contract=", "-fopenmp", "-fno-openmp", "-funroll-loops",
    "-fno-unroll-loops", "-fvectorize", "-fno-vectorize", "-ftree-vectorize",
    "-fno-tree-vectorize", "-fslp-vectorize", "-fno-slp-vectorize", "-fstrict-aliasing",
    "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-finline", "-fno-inline", "-fwrapv",
    "-fsigned-char", "-funsigned-char", "-fno-builtin", "-fomit-frame-pointer",
)  # fmt: skip
NEVER: Final = ("-fopenmp-offload", "-fplugin", "-fopenmp-targets", "-Xopenmp", "-fopenmp=lib/")
"""Options that match a prefix above but load or run something."""
REMARK: Final = late_pattern(
    r"^(.+):(\d+):\d+: remark: vectorized loop \(vectorization width: (?:vscale x )?(\d+),"
    r" interleaved count: (\d+)\)",
    re.MULTILINE,
)


class CompilationUnit(NamedTuple):
    """A source file with its flags; ``path`` absolute, flags as the front end let them through."""

    path: str
    flags: tuple[str, ...]
    compiler: str = "clang"


class VectorRemark(NamedTuple):
    """clang's remark on a loop: elements in a vector, vectors side by side."""

    width: int
    interleaved: int


class Assembly(NamedTuple):
    """A listing; ``remarks`` by line of the source file itself, None of a compiler without them."""

    text: str
    remarks: dict[int, VectorRemark] | None
    compiler: str


def select_flags(flags: Iterable[str]) -> tuple[list[str], list[str]]:
    """The flags that are handed on, and those that are not."""
    handed, dropped = list[str](), list[str]()
    waiting = ""
    for flag in flags:
        if waiting:
            # a compiler reads options from a file wherever an argument begins with an at sign
            (dropped if flag.startswith(("@", "-")) else handed).extend((waiting, flag))
            waiting = ""
        elif flag in PAIRS:
            waiting = flag
        elif flag in EXACT or (flag.startswith(PREFIXES) and not flag.startswith(NEVER)):
            handed.append(flag)
        else:
            dropped.append(flag)
    return handed, dropped


class InstalledCompiler(NamedTuple):
    """A compiler of the environment: the path of its program, and the line that has its version."""

    path: str
    version: str

    @property
    def is_clang(self) -> bool:
        """Whether it takes clang's options for remarks and line tables."""
        return "clang" in self.version.lower()


def installed_compiler(wanted: str) -> InstalledCompiler | ExternalFailure:
    """The compiler of a name or a path; a failure where it is none, or is not installed."""
    name = os.path.basename(wanted)
    if not is_compiler(name):
        return ExternalFailure(f"{name} is no compiler that is known here, expected clang or gcc")
    path = locate(wanted)
    if path is None:
        return ExternalFailure(f"{wanted} is not installed")
    return InstalledCompiler(path, version_of(path))


def compile_unit(unit: CompilationUnit, store: TextStore) -> Assembly | ExternalFailure:
    """The assembly of a file; from the store where file, headers, flags, compiler are the same."""
    compiler = installed_compiler(unit.compiler)
    if isinstance(compiler, ExternalFailure):
        return compiler
    path, version = compiler
    flags, _ = select_flags(unit.flags)
    try:
        with open(unit.path, "rb") as file:
            source = file.read()
    except OSError as error:
        return ExternalFailure(f"{unit.path}: {error.strerror}")
    words = ("assembly", unit.path, version, path, *flags)
    key = hashlib.sha256(b"\0".join([*[word.encode() for word in words], source])).hexdigest()
    kept = store.read(key)
    if kept is None:
        made = _made(path, flags, unit.path, compiler.is_clang)
        if isinstance(made, ExternalFailure):
            return made
        kept, headers = made
        store.write(key, kept, headers)
    listing, _, remarks = kept.partition("\0")
    return Assembly(listing, _remarks(remarks, unit.path) if remarks else None, version)


def _made(
    path: str, flags: list[str], source: str, clang: bool
) -> tuple[str, list[str]] | ExternalFailure:
    """Listing and remarks with a zero byte between, and the headers that were read."""
    with tempfile.TemporaryDirectory(prefix="rooflint-") as folder:
        out, needed = os.path.join(folder, "out.s"), os.path.join(folder, "out.d")
        command = [path, *flags, "-S", "-o", out, "-MD", "-MF", needed, "-w"]
        command += ["-gline-tables-only", "-Rpass=loop-vectorize"] if clang else ["-g1"]
        answer = run_program(
            [*command, "--", source] if clang else [*command, source], folder=folder
        )
        if isinstance(answer, ExternalFailure):
            return answer
        try:
            with open(out, encoding="utf-8", errors="replace") as file:
                listing = file.read()
            with open(needed, encoding="utf-8", errors="replace") as file:
                headers = shlex.split(file.read().replace("\\\n", " "))[1:]
        except OSError as error:
            return ExternalFailure(f"{os.path.basename(path)} wrote no listing: {error.strerror}")
    said = f"\n{answer.err}" if clang else ""
    return f"{listing}\0{said}", [os.path.join(folder, h) for h in headers if h != source]


def _remarks(text: str, path: str) -> dict[int, VectorRemark]:
    return {
        int(m[2]): VectorRemark(int(m[3]), int(m[4]))
        for m in REMARK.finditer(text)
        if os.path.normpath(m[1]) == os.path.normpath(path)
    }
