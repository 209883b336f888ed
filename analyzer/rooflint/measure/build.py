"""From a subject to a program: glue, objects, a link."""

import os
from collections.abc import Mapping, Sequence

from rooflint.compile_flags.regular_files import read_regular
from rooflint.core.external.build import select_flags
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.tools import version_of
from rooflint.measure.building.folder import (
    CODE_SHIFTS,
    HARNESS_FLAGS,
    BuildFolder,
    BuildTools,
    find_tools,
    program_name,
)
from rooflint.measure.building.linking import SourceBuild, link
from rooflint.measure.building.symbols import called_stubs
from rooflint.measure.definitions.finder import DefinitionFinder
from rooflint.measure.glue import HARNESS, Glue, write_glue
from rooflint.measure.marks import marked_copy
from rooflint.measure.program import ROW, Program, ProgramSize
from rooflint.measure.refusals import MeasureRefusal, RefusalCode
from rooflint.measure.subject import Subject
from rooflint.pipeline.compiled.assembled import compiler_arguments


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
    tools = find_tools(compiler or subject.flags.code.driver, subject.flags)
    builder = BuildFolder(folder, dry_run, definitions)
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
    build = SourceBuild(os.path.abspath(subject.path), subject.flags, flags)
    stubs = _built(builder, tools, glue, build, setup)
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
        stubs=called_stubs(stubs, subject.signature.unseen),
        loop_stubs=called_stubs(stubs, subject.signature.loop_calls),
        notes=glue.notes,
        compiler_path=tools.compiler,
        elsewhere=tuple([builder.path(program_name(shift)) for shift in CODE_SHIFTS]),
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
    builder: BuildFolder,
    tools: BuildTools,
    glue: Glue,
    source: SourceBuild,
    setup: str | None,
) -> tuple[str, ...] | ExternalFailure:
    """Compiles and links; the stubs."""
    suffix = "c" if glue.is_c else "cpp"
    text = builder.write(f"glue.{suffix}", glue.text.encode("utf-8", "surrogateescape"))
    failure = _compiled(builder, tools, source.arguments, text, setup)
    return link(builder, tools, source) if failure is None else failure


def _source(builder: BuildFolder, subject: Subject) -> str | MeasureRefusal:
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


def _flags(subject: Subject, compiler: str, macros: Sequence[tuple[str, int]]) -> list[str]:
    arguments = compiler_arguments(subject.flags, compiler)
    flags, _ = select_flags(arguments)
    if not subject.signature.is_c:
        flags.append("-fno-access-control")
    if subject.nest is not None or subject.text:  # the copy lies elsewhere, its headers do not
        flags = [f"-iquote{os.path.dirname(os.path.abspath(subject.path))}", *flags]
    return [*flags, *[f"-D{name}={value}" for name, value in macros]]


def _compiled(
    builder: BuildFolder, tools: BuildTools, flags: list[str], text: str, setup: str | None
) -> ExternalFailure | None:
    harness = str(HARNESS / "harness.c")
    jobs = [
        (tools.c_compiler, *HARNESS_FLAGS, "-c", harness, "-o", builder.path("harness.o")),
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
