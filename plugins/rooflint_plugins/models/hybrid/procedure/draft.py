"""A procedure while it is derived; then what a sidecar states wins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rooflint.records import NamedTuple

from rooflint_plugins.models.hybrid.procedure import records
from rooflint_plugins.models.hybrid.procedure.expression import parse

PLACE = "derived"


class DraftOperation(NamedTuple):
    """An operation: a kernel's name, or the bytes of a transfer and the array that moves.

    ``note`` is a map clause that says so, then ``origin`` says that too.
    """

    kind: records.Kind
    text: str
    array: str = ""
    per: records.Per = "coprocessor"
    overlap: bool = True
    origin: records.Origin = "derived"
    note: str = ""


@dataclass(slots=True)
class StageDraft:
    """A stage while its operations are collected."""

    name: str
    iterations: str
    ops: list[DraftOperation] = field(default_factory=list)
    prologue: list[DraftOperation] = field(default_factory=list)
    epilogue: list[DraftOperation] = field(default_factory=list)


@dataclass(slots=True)
class ProcedureDraft:
    """Everything of a derived procedure as text."""

    name: str
    shape: str
    symbols: dict[str, float] = field(default_factory=dict)
    ops_total: str = ""
    repeat: float = 1.0
    one_count: bool = False
    kernels: dict[str, tuple[str, str]] = field(default_factory=dict)
    stages: list[StageDraft] = field(default_factory=list)
    fits: list[tuple[str, str, str]] = field(default_factory=list)

    def kernel(self, name: str, ops: str, dev_bytes: str) -> str:
        """Adds a kernel; returns its name. Without ``dev_bytes`` it works in registers alone."""
        self.kernels[name] = (ops, dev_bytes or "0")
        return name

    def stage(self, name: str, iterations: str) -> StageDraft:
        """Adds a stage."""
        made = StageDraft(name, iterations)
        self.stages.append(made)
        return made

    def fit(self, needed: str, room: str, why: str) -> None:
        """Adds a capacity condition, unless nothing is needed."""
        if needed:
            self.fits.append((needed, room, why))

    def procedure(self, sidecar: records.Procedure | None = None) -> records.Procedure:
        """The procedure; what a sidecar states wins over what was derived."""
        made = records.Procedure(
            name=self.name,
            file="derived",
            params=self._params(sidecar.params if sidecar else {}),
            let=sidecar.let if sidecar else {},
            ops_total=_text(self.ops_total, "ops_total"),
            kernels={name: _kernel(name, *texts) for name, texts in self.kernels.items()},
            stages=tuple([_stage(stage, number) for number, stage in enumerate(self.stages)]),
            fits=tuple([_fit(*texts) for texts in self.fits]),
            repeat=_text(f"{self.repeat:.15g}", "repeat") if self.repeat != 1 else None,
            shape=self.shape,
            one_count=self.one_count,
        )
        return made if sidecar is None else _overridden(made, sidecar)

    def _params(
        self, given: Mapping[str, records.SourcedExpression]
    ) -> dict[str, records.SourcedExpression]:
        """The symbols, with ``given`` in place of those of the same name and after the others."""
        symbols = self.symbols.items()
        params = {name: _text(f"{value:.15g}", f"params.{name}") for name, value in symbols}
        return {**params, **given}


def _kernel(name: str, ops: str, dev_bytes: str) -> records.ProcedureKernel:
    at = f"kernels.{name}"
    moved = _text(dev_bytes, f"{at}.dev_bytes") if dev_bytes else None
    return records.ProcedureKernel(name, _text(ops, f"{at}.ops"), dev_bytes=moved)


def _fit(needed: str, room: str, why: str) -> records.CapacityLimit:
    return records.CapacityLimit(_text(needed, "fits.bytes"), _text(room, "fits.le"), why)


def _stage(stage: StageDraft, number: int) -> records.ProcedureStage:
    at = f"stages.{number}"

    def ops(lines: Iterable[DraftOperation], key: str) -> tuple[records.StageOperation, ...]:
        return tuple([_operation(line, f"{at}.{key}.{n}") for n, line in enumerate(lines)])

    return records.ProcedureStage(
        name=stage.name,
        place=PLACE,
        iterations=_text(stage.iterations, f"{at}.iterations"),
        ops=ops(stage.ops, "ops"),
        prologue=ops(stage.prologue, "prologue"),
        epilogue=ops(stage.epilogue, "epilogue"),
    )


def _operation(line: DraftOperation, path: str) -> records.StageOperation:
    if line.kind == "kernel":
        return records.StageOperation("kernel", PLACE, kernel=line.text)
    volume = records.SourcedExpression(
        expression=parse(line.text),
        place=line.note or PLACE,
        path=f"{path}.bytes",
        origin=line.origin,
    )
    return records.StageOperation(
        line.kind, PLACE, volume, per=line.per, overlap=line.overlap, array=line.array
    )


def _overridden(made: records.Procedure, sidecar: records.Procedure) -> records.Procedure:
    """Kernels by name, or the only one; operations' totals, padding, stages where given."""
    kernels = dict(made.kernels)
    for name, own in sidecar.kernels.items():
        # a performance under another name is meant for all of them
        for target in [name] if name in kernels else list(kernels):
            derived = kernels[target]
            kernels[target] = derived._replace(
                ops=derived.ops if own.ops.origin == "default" else own.ops,
                perf=own.perf,
                isa=own.isa,
                dev_bytes=own.dev_bytes or derived.dev_bytes,
                measured=own.measured,
            )
    return made._replace(
        kernels=kernels,
        ops_total=sidecar.ops_total or made.ops_total,
        pad_factor=sidecar.pad_factor,
        repeat=sidecar.repeat or made.repeat,
        bind=sidecar.bind,
    )


def _text(text: str, path: str) -> records.SourcedExpression:
    return records.SourcedExpression(parse(text), place=PLACE, path=path, origin="derived")


def product(factors: Iterable[str]) -> str:
    """``a*b*c``, ones and empty factors left out."""
    return "*".join([f for f in factors if f and f != "1"]) or "1"
