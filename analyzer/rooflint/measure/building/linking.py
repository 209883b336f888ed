"""The link: files of the project that define missing functions take part, stubs replace others."""

import os
from collections.abc import Iterable, Sequence
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.core.external.build import select_flags
from rooflint.core.external.figures import ExternalFailure
from rooflint.errors import AnalysisError
from rooflint.measure.building.folder import (
    CODE_SHIFTS,
    HARNESS_FLAGS,
    SHIFT_OBJECT,
    SHIFT_TEXT,
    BuildFolder,
    BuildTools,
    find_tools,
)
from rooflint.measure.building.symbols import (
    base_name,
    demangled_names,
    stub_text,
    undefined_symbols,
)
from rooflint.measure.definitions.finder import DefiningFile
from rooflint.measure.refusals import MeasureRefusal
from rooflint.pipeline.compiled.assembled import compiler_arguments
from rooflint.pipeline.signatures import signatures_of
from rooflint.records import NamedTuple

_MOST_ROUNDS: Final = 3
"""Of files that need further files: HPCG's multigrid step needs 2."""


class SourceBuild(NamedTuple):
    """The user's file: how it is parsed, and the arguments it is compiled with."""

    path: str
    parsed: Flags
    arguments: list[str]


def link(
    builder: BuildFolder, tools: BuildTools, source: SourceBuild
) -> tuple[str, ...] | ExternalFailure:
    """Links; the functions outside of the file that stubs replace.

    Files beside the user's that bear the name of a missing function take part, and those of the
    compile database that define one. A dry run asks the texts of the files what is missing.
    """
    return _Linker(builder, tools, source).link()


class _Linker:
    """Objects so far, and the files they come from as they are parsed."""

    def __init__(self, builder: BuildFolder, tools: BuildTools, source: SourceBuild) -> None:
        self.builder = builder
        self.tools = tools
        self.source = source
        self.files = [(source.path, source.parsed)]

    def link(self) -> tuple[str, ...] | ExternalFailure:
        objects = self.builder.objects
        missing = self.trial()
        for _ in range(_MOST_ROUNDS):
            before = len(objects)
            if isinstance(missing, ExternalFailure):
                return missing
            names = [
                name for name in map(base_name, demangled_names(missing)) if name.isidentifier()
            ]
            beside = self.add_companions(names)
            self.add_definitions([name for name in names if name not in beside])
            if len(objects) == before:
                break
            again = self.trial()
            if isinstance(again, ExternalFailure):  # two files define the same name, for instance
                del objects[before:]
                break
            missing = again
        return self.with_stubs(missing)

    def trial(self) -> tuple[str, ...] | ExternalFailure:
        """Links whatever is missing; the symbols that are."""
        lenient = "-Wl,--unresolved-symbols=ignore-in-object-files"
        failure = self.builder.run(self.tools.compiler, *self.builder.link_arguments(), lenient)
        if failure is not None:
            return failure
        if self.builder.is_dry:
            return _undefined_functions(self.files)
        return undefined_symbols(self.builder, self.tools.nm)

    def add_companions(self, names: Sequence[str]) -> set[str]:
        """Compiles files named after missing functions, and returns the names of those that
        compile."""
        added = set()
        folder, suffix = os.path.dirname(self.source.path), os.path.splitext(self.source.path)[1]
        for name in dict.fromkeys(names):
            path, result = os.path.join(folder, name + suffix), f"{name}.o"
            if os.path.isfile(path) and result not in self.builder.objects:
                arguments = (self.tools.compiler, *self.source.arguments)
                if self.add(arguments, path, result, self.source.parsed):
                    added.add(name)
        return added

    def add_definitions(self, names: Sequence[str]) -> None:
        """Compiles files of the project that define missing functions, each as its build does."""
        if self.builder.definitions is None:
            return
        missing = set(names)
        for file in self.builder.definitions.files(missing):
            is_compiled = any(file.path in command for command in self.builder.commands)
            if is_compiled or not missing & file.functions or not self.add_file(file):
                continue
            if not self.builder.is_dry:  # whether it compiles is not known there
                missing -= file.functions

    def add_file(self, file: DefiningFile) -> bool:
        """Whether the file compiles with its own flags; it takes part then."""
        tools = find_tools(file.flags.code.driver, file.flags)
        if isinstance(tools, MeasureRefusal):
            return False
        flags, _ = select_flags(compiler_arguments(file.flags, tools.compiler))
        result = f"defined{len(self.builder.objects)}.o"
        return self.add((tools.compiler, *flags), file.path, result, file.flags)

    def add(self, arguments: tuple[str, ...], path: str, result: str, parsed: Flags) -> bool:
        failure = self.builder.run(*arguments, "-w", "-c", path, "-o", self.builder.path(result))
        if failure is not None:
            self.builder.commands.pop()
            return False
        self.builder.objects.append(result)
        self.files.append((path, parsed))
        return True

    def with_stubs(self, missing: tuple[str, ...]) -> tuple[str, ...] | ExternalFailure:
        """The program with stubs in place of what is missing."""
        if self.builder.is_dry:
            return ()
        builder, tools = self.builder, self.tools
        stubs = builder.write("stubs.c", stub_text(missing).encode())
        failure = (
            builder.run(
                tools.c_compiler, *HARNESS_FLAGS, "-c", stubs, "-o", builder.path("stubs.o")
            )
            or self.program(0)
            or self.elsewhere()
        )
        return failure or demangled_names(missing)

    def program(self, shift: int) -> ExternalFailure | None:
        """The whole program with its code so many steps farther."""
        builder = self.builder
        arguments = builder.link_arguments(shift)
        return builder.run(self.tools.compiler, builder.path("stubs.o"), *arguments)

    def elsewhere(self) -> ExternalFailure | None:
        """The same program with its code at the other places."""
        builder = self.builder
        text, result = builder.write("shift.c", SHIFT_TEXT), builder.path(SHIFT_OBJECT)
        failure = builder.run(self.tools.c_compiler, *HARNESS_FLAGS, "-c", text, "-o", result)
        for shift in CODE_SHIFTS:
            failure = failure or self.program(shift)
        return failure


def _undefined_functions(files: Iterable[tuple[str, Flags]]) -> tuple[str, ...]:
    """Functions that the files call and none of them has; none of a file that cannot be parsed."""
    called: dict[str, None] = {}
    defined: set[str] = set()
    for path, flags in files:
        try:
            signatures = signatures_of(path, flags).signatures
        except AnalysisError:
            continue
        defined.update([each.name.rpartition("::")[2] for each in signatures])
        called |= dict.fromkeys(name for each in signatures for name in each.unseen)
    return tuple([name for name in called if name not in defined])
