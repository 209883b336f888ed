"""The vector plans of a file's loops beside the remarks of a compiler on them."""

from collections.abc import Iterator
from typing import Final

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.core.compiler import DEFAULT_DRIVER, is_compiler
from rooflint.core.external.figures import ExternalFailure
from rooflint.core.external.remarks import (
    FileRemarks,
    LoopFate,
    LoopRemarks,
    compiler_remarks,
    remarks_on,
)
from rooflint.pipeline.compiled.assembled import assembly_unit
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.report import FileReport, KernelReport, VectorReport
from rooflint.records import NamedTuple
from rooflint.registry import Registry


class LoopConfirmation(NamedTuple):
    """A loop as planned, None where no model asked, and as the compiler says it compiled it."""

    line: int
    planned: VectorReport | None
    compiled: LoopRemarks

    @property
    def agrees(self) -> bool | None:
        """Whether both have vectors, or neither; None where one of them says nothing of vectors."""
        if self.planned is None or self.compiled.fate not in (LoopFate.VECTORS, LoopFate.SCALAR):
            return None
        return (self.planned.width > 1) == (self.compiled.fate is LoopFate.VECTORS)


class FileConfirmation(NamedTuple):
    """The loops of a file as one compiler makes code for one machine."""

    machine: str
    source: FileRemarks
    loops: tuple[LoopConfirmation, ...]


PLANNING_MODEL: Final = "ecm"
"""It asks for the plan of every loop, which a report then has."""


def confirm(
    file: FileReport, options: Options, registry: Registry
) -> list[FileConfirmation | ExternalFailure]:
    """Compiles a file for each machine of its report, with the flags of its build.

    RooflintError for a mistake in the configuration that says which.
    """
    path = file.path
    resolver = SetupResolver(options, registry)
    flags = ConfiguredFlags(options, resolver.configs).flags(path)
    driver = flags.code.driver if is_compiler(flags.code.driver) else DEFAULT_DRIVER
    compiler = options.compiler or resolver.config_for(path).compiler or driver
    answers: list[FileConfirmation | ExternalFailure] = []
    for machine in resolver.setup_for(path).machines:
        found = compiler_remarks(assembly_unit(path, flags, machine, compiler))
        if isinstance(found, FileRemarks):
            loops = tuple(_loops(file, machine.name, found))
            answers.append(FileConfirmation(machine.name, found, loops))
        else:
            answers.append(found)
    return answers


def _loops(file: FileReport, machine: str, found: FileRemarks) -> Iterator[LoopConfirmation]:
    kernels = list(file.kernels())
    for kernel in kernels:
        planned = [result.vector for result in kernel.results if result.machine == machine]
        around = {loop.line for loop in kernel.loops}
        compiled = remarks_on(found.remarks, _own_lines(kernel, kernels), around)
        yield LoopConfirmation(kernel.line, planned[0] if planned else None, compiled)


def _own_lines(kernel: KernelReport, kernels: list[KernelReport]) -> set[int]:
    """The lines of a loop without those of the loops inside that are kernels themselves."""
    lines = _lines(kernel)
    inside = [set(_lines(each)) for each in kernels if each.line in lines and each != kernel]
    own = set(lines).difference(*[each for each in inside if len(each) < len(lines)])
    return own or {kernel.line}


def _lines(kernel: KernelReport) -> range:
    return range(kernel.line, max(kernel.line, kernel.end_line) + 1)
