"""From a subject to a program: glue, objects, a link."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import read_regular
from rooflint.core.compiler import DEFAULT_DRIVER, is_compiler
from rooflint.core.external.build import select_flags
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import locate, run_program, version_of
from rooflint.measure.definitions.finder import DefiningFile, DefinitionFinder
from rooflint.measure.glue import HARNESS, Glue, write_glue
from rooflint.measure.marks import marked_copy
from rooflint.measure.program import ROW, Program, ProgramSize
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject
from rooflint.pipeline.assembled import compiler_arguments
from rooflint.records import NamedTuple

_GCC: Final = "gcc"
_MOST_ROUNDS: Final = 3
"""Of files that need further files: HPCG's multigrid step needs 2."""
_INDIRECT: Final = "i"
"""Kind of a symbol whose value a function of the file finds out while the program is loaded."""
_CXX_DRIVERS: Final = {"gcc": "g++", "clang": "clang++", "cc": "c++"}
_HARNESS_FLAGS: Final = ("-O2", "-std=gnu17", "-w")


class _Tools(NamedTuple):
    """Compilers by path: of the user's file, of the harness, and the lister of symbols."""

    compiler: str
    c_compiler: str
    nm: str


class _BuildFolder:
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
        return os.path.join(self.folder, name)

    def write(self, name: str, text: bytes) -> str:
        path = self.path(name)
        with open(path, "wb") as file:
            file.write(text)
        return path

    def link_arguments(self) -> list[str]:
        """Objects in their order, the harness first, and options."""
        options = ["-Wl,--wrap=main", "-lm", "-pthread", "-o", self.path("program")]
        if any("-fopenmp" in command for command in self.commands):
            options.append("-fopenmp")
        return [*map(self.path, self.objects), *options]

    def run(self, *command: str) -> ExternalFailure | None:
        self.commands.append(command)
        if self.is_dry:
            return None
        answer = run_program(command, folder=self.folder)
        return answer if isinstance(answer, ExternalFailure) else None


def build_program(
    subject: Subject,
    folder: str,
    sizes: Sequence[tuple[str, int]] = (),
    compiler: str | None = None,
    setup: str | None = None,
    dry_run: bool = False,
    extra: Sequence[str] = (),
    definitions: DefinitionFinder | None = None,
) -> Program | MeasureRefusal:
    """A program in ``folder``, which the caller makes and removes.

    ``sizes`` are given values, macros among them; ``compiler`` replaces that of the flags;
    ``setup`` is a C file with ``void rooflint_setup(void)``; ``extra`` flags come last.
    Files that ``definitions`` finds take part beside those named after a function.
    """
    tools = _tools(compiler or subject.flags.code.driver, subject.flags)
    builder = _BuildFolder(folder, dry_run, definitions)
    source = _source(builder, subject)
    if isinstance(tools, MeasureRefusal):
        return tools
    if isinstance(source, MeasureRefusal):
        return source
    glue = write_glue(subject.signature, source, dict(sizes), subject.overloaded, setup=setup or "")
    macros = _macros(glue, subject, sizes)
    if isinstance(macros, MeasureRefusal):
        return macros
    flags = [*_flags(subject, tools.compiler, macros), *extra]
    stubs = _built(builder, tools, glue, os.path.abspath(subject.path), flags, setup)
    if isinstance(stubs, ExternalFailure):
        code = RefusalCode.NOT_LINKED if builder.is_compiled else RefusalCode.NOT_COMPILED
        return _refusal(code, subject.path, stubs.reason)
    if builder.early:
        return _refusal(RefusalCode.EARLY_CODE, subject.path, ", ".join(builder.early))
    return Program(
        function=subject.signature.name,
        mode=subject.mode,
        executable=builder.path("program"),
        commands=tuple(builder.commands),
        compiler=version_of(tools.compiler),
        flags=tuple(flags),
        sizes=_sizes(glue, dict(sizes), macros),
        arrays=glue.arrays,
        cells=glue.cells,
        stubs=_called(stubs, subject.signature.unseen),
        loop_stubs=_called(stubs, subject.signature.loop_calls),
        notes=glue.notes,
        compiler_path=tools.compiler,
    )


def _macros(
    glue: Glue, subject: Subject, sizes: Sequence[tuple[str, int]]
) -> list[tuple[str, int]] | MeasureRefusal:
    """Values of names that are no sizes of the glue."""
    macros = [(name, value) for name, value in sizes if not _is_size(glue, name)]
    unknown = [name for name, _ in macros if not name.isidentifier()]
    if not unknown:
        return macros
    known = ", ".join([size.name for size in glue.sizes]) or "none"
    return _refusal(RefusalCode.UNKNOWN_SIZE, subject.signature.name, unknown[0], known)


def _built(
    builder: _BuildFolder,
    tools: _Tools,
    glue: Glue,
    source: str,
    flags: list[str],
    setup: str | None,
) -> tuple[str, ...] | ExternalFailure:
    """Compiles and links; the stubs."""
    suffix = "c" if glue.is_c else "cpp"
    text = builder.write(f"glue.{suffix}", glue.text.encode("utf-8", "surrogateescape"))
    failure = _compiled(builder, tools, flags, text, setup)
    return _linked(builder, tools, source, flags) if failure is None else failure


def _source(builder: _BuildFolder, subject: Subject) -> str | MeasureRefusal:
    """The file that the glue includes: the user's own, or a copy with marks or a function."""
    path = os.path.abspath(subject.path)
    suffix = os.path.splitext(path)[1]
    if subject.text:
        return builder.write(f"kernel{suffix}", subject.text.encode("utf-8", "surrogateescape"))
    if subject.nest is None:
        return path
    try:
        source = read_regular(path)
    except OSError as error:
        return _refusal(RefusalCode.NOT_PARSED, subject.path, error.strerror or str(error))
    return builder.write(f"marked{suffix}", marked_copy(source, path, subject.nest))


def _refusal(code: RefusalCode, *arguments: str) -> MeasureRefusal:
    return MeasureRefusal(code=code, arguments=arguments)


def _is_size(glue: Glue, name: str) -> bool:
    known = any(size.name == name for size in glue.sizes)
    return known or name in glue.nulls or name == ROW


def _sizes(
    glue: Glue, given: Mapping[str, int], macros: Sequence[tuple[str, int]]
) -> tuple[ProgramSize, ...]:
    row = [ProgramSize(name=ROW, value=given[ROW], origin="given")] if ROW in given else []
    compiled_in = [
        ProgramSize(name=name, value=value, origin="macro", settable=False)
        for name, value in macros
    ]
    return (*glue.sizes, *row, *compiled_in)


def _tools(name: str, flags: Flags) -> _Tools | MeasureRefusal:
    chosen = name if is_compiler(os.path.basename(name)) else _usual()
    if name and not is_compiler(os.path.basename(name)):
        return _refusal(RefusalCode.NO_COMPILER, name, "it is no C or C++ compiler")
    if not flags.is_c:
        folder, base = os.path.split(chosen)
        chosen = os.path.join(folder, _as_cxx(base))
    path, nm = locate(chosen), locate("nm")
    own = locate(_GCC) or locate(DEFAULT_DRIVER)
    if path is None or own is None or nm is None:
        return _refusal(RefusalCode.NO_COMPILER, chosen, "it is not installed")
    return _Tools(path, own, nm)


def _usual() -> str:
    return DEFAULT_DRIVER if locate(DEFAULT_DRIVER) else _GCC


def _as_cxx(base: str) -> str:
    name, dash, version = base.partition("-")
    return _CXX_DRIVERS.get(name, name) + dash + version


def _flags(subject: Subject, compiler: str, macros: Sequence[tuple[str, int]]) -> list[str]:
    arguments = compiler_arguments(subject.flags, compiler)
    flags, _ = select_flags(arguments)
    if not subject.signature.is_c:
        flags.append("-fno-access-control")
    if subject.nest is not None or subject.text:  # the copy lies elsewhere, its headers do not
        flags = [f"-iquote{os.path.dirname(os.path.abspath(subject.path))}", *flags]
    return [*flags, *[f"-D{name}={value}" for name, value in macros]]


def _compiled(
    builder: _BuildFolder, tools: _Tools, flags: list[str], text: str, setup: str | None
) -> ExternalFailure | None:
    harness = str(HARNESS / "harness.c")
    jobs = [
        (tools.c_compiler, *_HARNESS_FLAGS, "-c", harness, "-o", builder.path("harness.o")),
        (tools.compiler, *flags, "-w", "-c", text, "-o", builder.path("glue.o")),
    ]
    if setup:
        given = os.path.abspath(setup)
        jobs.append((tools.c_compiler, "-O1", "-w", "-c", given, "-o", builder.path("setup.o")))
        builder.objects.append("setup.o")
    for job in jobs:
        failure = builder.run(*job)
        if failure is not None:
            return failure
    builder.is_compiled = True
    return None


def _linked(
    builder: _BuildFolder, tools: _Tools, source: str, flags: list[str]
) -> tuple[str, ...] | ExternalFailure:
    """Links; the functions outside of the file that stubs replace.

    Files beside the user's that bear the name of a missing function take part, and those of the
    compile database that define one.
    """
    missing = _trial(builder, tools)
    for _ in range(_MOST_ROUNDS):
        before = len(builder.objects)
        if isinstance(missing, ExternalFailure):
            return missing
        _add_companions(builder, tools, source, flags, missing)
        _add_definitions(builder, missing)
        if len(builder.objects) == before:
            break
        again = _trial(builder, tools)
        if isinstance(again, ExternalFailure):  # two files define the same name, for instance
            del builder.objects[before:]
            break
        missing = again
    return _finished(builder, tools, missing)


def _trial(builder: _BuildFolder, tools: _Tools) -> tuple[str, ...] | ExternalFailure:
    """Links whatever is missing; the symbols that are."""
    lenient = "-Wl,--unresolved-symbols=ignore-in-object-files"
    failure = builder.run(tools.compiler, *builder.link_arguments(), lenient)
    if failure is not None or builder.is_dry:
        return failure or ()
    return _undefined(builder, tools.nm)


def _add_companions(
    builder: _BuildFolder,
    tools: _Tools,
    source: str,
    flags: list[str],
    missing: tuple[str, ...] | ExternalFailure,
) -> None:
    """Compiles files named after missing functions; one that does not compile is left out."""
    folder, suffix = os.path.dirname(source), os.path.splitext(source)[1]
    names = [] if isinstance(missing, ExternalFailure) else map(_base_name, _demangled(missing))
    for name in dict.fromkeys(names):
        path, result = os.path.join(folder, name + suffix), f"{name}.o"
        if name.isidentifier() and os.path.isfile(path) and result not in builder.objects:
            job = (tools.compiler, *flags, "-w", "-c", path, "-o", builder.path(result))
            if builder.run(*job) is None:
                builder.objects.append(result)
            else:
                builder.commands.pop()


def _add_definitions(builder: _BuildFolder, missing: tuple[str, ...] | ExternalFailure) -> None:
    """Compiles files of the project that define missing functions, each as its build does."""
    if builder.definitions is None or isinstance(missing, ExternalFailure):
        return
    names = {name for name in map(_base_name, _demangled(missing)) if name.isidentifier()}
    for file in builder.definitions.files(names):
        is_compiled = any(file.path in command for command in builder.commands)
        if not is_compiled and names & file.functions and _is_added(builder, file):
            names -= file.functions


def _is_added(builder: _BuildFolder, file: DefiningFile) -> bool:
    """Whether the file compiles with its own flags; it takes part then."""
    tools = _tools(file.flags.code.driver, file.flags)
    if isinstance(tools, MeasureRefusal):
        return False
    result = f"defined{len(builder.objects)}.o"
    flags, _ = select_flags(compiler_arguments(file.flags, tools.compiler))
    job = (tools.compiler, *flags, "-w", "-c", file.path, "-o", builder.path(result))
    if builder.run(*job) is not None:
        builder.commands.pop()
        return False
    builder.objects.append(result)
    return True


def _finished(
    builder: _BuildFolder, tools: _Tools, missing: tuple[str, ...] | ExternalFailure
) -> tuple[str, ...] | ExternalFailure:
    """The program with stubs in place of what is missing."""
    if isinstance(missing, ExternalFailure) or builder.is_dry:
        return missing
    stubs = builder.write("stubs.c", _stubs(missing).encode())
    failure = builder.run(
        tools.c_compiler, *_HARNESS_FLAGS, "-c", stubs, "-o", builder.path("stubs.o")
    ) or builder.run(tools.compiler, builder.path("stubs.o"), *builder.link_arguments())
    return failure or _demangled(missing)


def _undefined(builder: _BuildFolder, nm: str) -> tuple[str, ...] | ExternalFailure:
    """Symbols that need stubs; notes those that are code before the program's own begins."""
    linked = _symbols(nm, builder.path("program"))
    if isinstance(linked, ExternalFailure):
        return linked
    wanted: list[tuple[str, str]] = []
    for name in builder.objects:
        symbols = _symbols(nm, builder.path(name))
        if isinstance(symbols, ExternalFailure):
            return symbols
        wanted += symbols
    builder.early = [name for name, kind in wanted if kind == _INDIRECT]
    return _missing(dict.fromkeys(wanted), linked)


def _missing(
    wanted: Iterable[tuple[str, str]], linked: Iterable[tuple[str, str]]
) -> tuple[str, ...]:
    """Symbols of the user's file that neither the program nor a library defines.

    The linker leaves them out of the program; those of libraries have a version there.
    """
    known = {name.partition("@")[0] for name, _ in linked}
    return tuple([name for name, kind in wanted if kind == "U" and name not in known])


def _symbols(nm: str, path: str) -> list[tuple[str, str]] | ExternalFailure:
    """Names and kinds in an object file."""
    answer = run_program((nm, "--format=posix", path))
    if isinstance(answer, ExternalFailure):
        return answer
    rows = [line.split() for line in answer.out.splitlines()]
    return [(row[0], row[1]) for row in rows if len(row) > 1]


def _stubs(names: Sequence[str]) -> str:
    """Functions that return zero, as an integer and as a floating-point number."""
    lines = ["struct rooflint_zero { long long whole; double fraction; };"]
    for number, name in enumerate(names):
        declared = f"struct rooflint_zero rooflint_stub_{number}(void)"
        lines.append(f'{declared} __asm__("{name}");')
        lines.append(f"{declared}\n{{\n    return (struct rooflint_zero){{0, 0}};\n}}")
    return "\n".join([*lines, ""])


def _called(stubs: Sequence[str], unseen: Sequence[str]) -> tuple[str, ...]:
    """Those that the function may call; other functions of the file are never run."""
    names = frozenset(unseen)
    return tuple([stub for stub in stubs if _base_name(stub) in names])


def _base_name(function: str) -> str:
    """The name without scopes, template arguments and parameters."""
    return function.partition("(")[0].rpartition("::")[2].partition("<")[0]


def _demangled(names: tuple[str, ...]) -> tuple[str, ...]:
    program = shutil.which("c++filt")
    if program is None or not names:
        return names
    answer = run_program((program, *names))
    if isinstance(answer, ExternalFailure):
        return names
    return tuple(answer.out.splitlines())
