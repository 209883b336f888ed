"""Measurements of the user's store, added to the functions of a report.

Nothing is parsed for a file without measurements. For others the front end tells, in its child,
whether the code is what was measured; no compiler runs, its program is only looked at.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.errors import RooflintError, UsageError
from rooflint.incremental.measurements import (
    MeasurementStore,
    StoredMeasurement,
    compiler_file,
)
from rooflint.incremental.store import MemoryStore, content_key
from rooflint.ir.signature import Signature
from rooflint.machine.probe.topology import read_topology
from rooflint.pipeline.measured.flag_digest import flag_digest
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.signatures import signatures_of
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    KernelReport,
    MachineResult,
    MeasuredLoop,
    MeasuredPrediction,
    MeasurementStanding,
)
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import canonical

Buffers = tuple[tuple[str, bytes], ...]
GUESS: Final = "role"
"""Origin of sizes that nobody set: a measurement, which names its own, contradicts none of them."""
KEPT_TEXTS: Final = 8
"""Of buffers that an editor asks about again and again."""


class _Now(NamedTuple):
    """A measurement is exact if these are the same: content of the function, flags, processor."""

    content: str
    flags: str
    cpu: str


class _ParsedSignatures(NamedTuple):
    """A file's flags and signatures; no flags where it cannot be parsed."""

    flags: Flags | None
    signatures: Sequence[Signature]


class MeasurementReader:
    """Adds measurements to reports; ``folder`` as ConfiguredFlags has it."""

    def __init__(
        self, store: MeasurementStore, options: Options, folder: str | None = None
    ) -> None:
        self._store = store
        self._flags = ConfiguredFlags(options, ConfigFinder(options.isolated), folder)
        self._cpu = ""
        self._parsed = MemoryStore[_ParsedSignatures](KEPT_TEXTS)

    def with_measurements(
        self, file: FileReport, text: bytes | None = None, others: Buffers = ()
    ) -> FileReport:
        """The report with all that was measured of its functions."""
        stored = {
            place: found
            for place, function in enumerate(file.functions)
            if (found := self._store.of_function(file.path, function.name))
        }
        if not stored:
            return file
        if text is None:
            flags, signatures = self._parse(file.path, None, ())
        else:
            flags, signatures = self._parsed_text(file.path, text, others)
        digest = flag_digest(flags) if flags is not None else ""
        functions = list(file.functions)
        for place, measurements in stored.items():
            function = functions[place]
            signature = _of_report(function, signatures)
            content = signature.content if signature is not None else ""
            now = _Now(content, digest, self._processor())
            start = signature.span.line if signature is not None else 0
            measured = tuple(self._measured(function, measurements, now, start))
            functions[place] = function._replace(measured=measured)
        return file._replace(functions=tuple(functions))

    def _parse(self, path: str, text: bytes | None, others: Buffers) -> _ParsedSignatures:
        try:
            flags = self._flags.flags(path)
            return _ParsedSignatures(flags, signatures_of(path, flags, text, others).signatures)
        except RooflintError:  # the analysis has said so
            return _ParsedSignatures(None, ())

    def _parsed_text(self, path: str, text: bytes, others: Buffers) -> _ParsedSignatures:
        key = content_key(path, text, *[part for other in others for part in other])
        known = self._parsed.get(key)
        if known is None:
            known = self._parse(path, text, others)
            self._parsed.put(key, known)
        return known

    def _processor(self) -> str:
        if not self._cpu:
            try:
                self._cpu = read_topology().model_name
            except UsageError:
                self._cpu = "unknown"
        return self._cpu

    def _measured(
        self,
        function: FunctionReport,
        measurements: Iterable[StoredMeasurement],
        now: _Now,
        start: int,
    ) -> Iterator[MeasuredLoop]:
        """Of the function and of each nest: all that are exact, else the youngest."""
        scopes: dict[int | None, list[MeasuredLoop]] = {}
        for each in measurements:
            changed = self._is_changed(each, now)
            nest = None if changed else each.identity.nest
            line = None if nest is None else start + nest
            standing: MeasurementStanding = "before a change"
            if not changed:
                standing = "exact" if _is_exact(each, function, line, now) else "other conditions"
            scopes.setdefault(line, []).append(_loop(each, standing, line))
        whole = scopes.get(None, [])
        if len(scopes) > 1 and all(each.standing == "before a change" for each in whole):
            scopes.pop(None, None)  # another figure of the function is younger than its change
        for loops in scopes.values():
            yield from _best(loops)

    def _is_changed(self, measurement: StoredMeasurement, now: _Now) -> bool:
        identity = measurement.identity
        if (identity.content, identity.flags) != (now.content, now.flags):
            return True
        compiler = measurement.compiler_file
        return compiler is not None and compiler_file(compiler.path) != compiler


def _of_report(function: FunctionReport, signatures: Sequence[Signature]) -> Signature | None:
    found = (
        each
        for each in signatures
        if each.name == function.name and each.span.line <= function.line <= each.span.end_line
    )
    return next(found, None)


def _is_exact(
    measurement: StoredMeasurement, function: FunctionReport, line: int | None, now: _Now
) -> bool:
    """Whether computer, compiler and sizes are those of a result of the report."""
    identity = measurement.identity
    if identity.cpu != now.cpu or measurement.compiler_file is None or identity.state != "warm":
        return False
    sizes = {canonical(name): value for name, value in identity.sizes.items()}
    kernels = list(_kernels(function, line))
    return bool(kernels) and all(
        any(_is_at(result, measurement, sizes) for result in kernel.results) for kernel in kernels
    )


def _kernels(function: FunctionReport, line: int | None) -> Iterator[KernelReport]:
    for nest in function.nests:
        if line is None or nest.line == line:
            yield from nest.kernels


def _is_at(result: MachineResult, measurement: StoredMeasurement, sizes: Mapping[str, int]) -> bool:
    identity = measurement.identity
    return (result.machine, result.cores) == (identity.machine, identity.cores) and all(
        sizes.get(canonical(name)) == size.value
        for name, size in result.sizes.items()
        if size.origin != GUESS
    )


def _best(loops: Sequence[MeasuredLoop]) -> Iterator[MeasuredLoop]:
    """One exact figure a machine; without any the youngest that stands better than the others."""
    exact: dict[str, MeasuredLoop] = {}
    for each in loops:
        if each.standing == "exact":
            exact.setdefault(each.machine, each)
    if exact:
        yield from exact.values()
        return
    same_code = [each for each in loops if each.standing == "other conditions"]
    yield (same_code or loops)[0]


def _loop(
    measurement: StoredMeasurement, standing: MeasurementStanding, line: int | None
) -> MeasuredLoop:
    identity = measurement.identity
    return MeasuredLoop(
        standing=standing,
        line=line,
        machine=identity.machine,
        cores=identity.cores,
        level=measurement.level,
        cycles_per_iteration=measurement.cycles_per_iteration,
        sizes=identity.sizes,
        cpu=identity.cpu,
        compiler=identity.compiler,
        predictions=tuple(
            [
                MeasuredPrediction(each.model, each.cycles_per_iteration)
                for each in measurement.predictions
            ]
        ),
    )
