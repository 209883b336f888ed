"""The folder of a build, its compilers, and the commands so far."""

import os
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.core.compiler import DEFAULT_DRIVER, is_compiler
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import locate, run_program
from rooflint.measure.definitions.finder import DefinitionFinder
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.records import NamedTuple

_GCC: Final = "gcc"
_CXX_DRIVERS: Final = {"gcc": "g++", "clang": "clang++", "cc": "c++"}
WRAPPED: Final = tuple(
    [
        f"-Wl,--wrap={name}"
        for name in ("main", "malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign",
                     "free", "_Znwm", "_Znam")
    ]
)  # fmt: skip
"""Functions in whose place the harness has its own."""
HARNESS_FLAGS: Final = ("-O2", "-std=gnu17", "-w")
CODE_SHIFTS: Final = (2, 1, 3)
"""Places of the code beside that of the plain link, in steps of 16 bytes, to which compilers align
loops: cores fetch code by lines of 64 bytes, one a cycle, so that a loop of 25 bytes that lies
across two takes 2 cycles where it takes 1 within one (Zen 4). The first is the farthest: of two
places 32 bytes apart one at least holds such a loop whole."""
SHIFT_OBJECT: Final = "shift.o"
SHIFT_TEXT: Final = b'__asm__(".text; .skip 16, 0x90");'


class BuildTools(NamedTuple):
    """Compilers by path: of the user's file, of the harness, and the lister of symbols."""

    compiler: str
    c_compiler: str
    nm: str


def program_name(shift: int) -> str:
    """The file of the program whose code lies ``shift`` steps farther."""
    return f"program{shift}" if shift else "program"


class BuildFolder:
    """The folder of a build, and the commands so far."""

    def __init__(self, folder: str, dry_run: bool, definitions: DefinitionFinder | None) -> None:
        self.folder = folder
        self.definitions = definitions
        self.commands: list[tuple[str, ...]] = []
        self.is_dry = dry_run
        self.is_compiled = False
        self.early: list[str] = []
        self.objects = ["harness.o", "glue.o"]

    def path(self, name: str) -> str:
        """That of a file in the folder."""
        return os.path.join(self.folder, name)

    def write(self, name: str, text: bytes) -> str:
        """Writes a file; its path."""
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(text)
        return path

    def link_arguments(self, shift: int = 0) -> list[str]:
        """Objects in their order, the harness first, and options; all code lies ``shift`` steps
        farther."""
        options = [*WRAPPED, "-lm", "-pthread", "-o", self.path(program_name(shift))]
        if any("-fopenmp" in command for command in self.commands):
            options.append("-fopenmp")
        return [*map(self.path, [SHIFT_OBJECT] * shift + self.objects), *options]

    def run(self, *command: str) -> ExternalFailure | None:
        """Runs a command of the build, or only notes it."""
        self.commands.append(command)
        if self.is_dry:
            return None
        answer = run_program(command, folder=self.folder)
        return answer if isinstance(answer, ExternalFailure) else None


def find_tools(name: str, flags: Flags) -> BuildTools | MeasureRefusal:
    """The compiler of this name, or the usual one where it is empty, for the language of ``flags``;
    that of the harness."""
    chosen = name if is_compiler(os.path.basename(name)) else _usual()
    if name and not is_compiler(os.path.basename(name)):
        return _missing(name, "it is no C or C++ compiler")
    if not flags.is_c:
        folder, base = os.path.split(chosen)
        chosen = os.path.join(folder, _as_cxx(base))
    path, nm = locate(chosen), locate("nm")
    own = locate(_GCC) or locate(DEFAULT_DRIVER)
    if path is None or own is None or nm is None:
        return _missing(chosen, "it is not installed")
    return BuildTools(path, own, nm)


def _usual() -> str:
    return DEFAULT_DRIVER if locate(DEFAULT_DRIVER) else _GCC


def _as_cxx(base: str) -> str:
    name, dash, version = base.partition("-")
    return _CXX_DRIVERS.get(name, name) + dash + version


def _missing(name: str, reason: str) -> MeasureRefusal:
    return MeasureRefusal(code=RefusalCode.NO_COMPILER, arguments=(name, reason))
