"""A procedure as the text of a procedure file; every value says where it comes from.

What is derived from source can so be read, edited and estimated again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from rooflint_plugins.models.hybrid.procedure import records

SCHEMA = "hybrid-procedure/1"
ROOFLINE = "# perf: default, the coprocessor's roofline over dev_bytes"


def procedure_yaml(
    procedure: records.Procedure, notes: Sequence[str] = (), function: str = ""
) -> str:
    """The file; ``notes`` are comments at its head, ``function`` the one it is bound to."""
    return "".join(f"{line}\n" for line in _lines(procedure, notes, function))


def _lines(procedure: records.Procedure, notes: Sequence[str], function: str) -> Iterator[str]:
    yield from [f"# {note}" for note in notes]
    yield f"schema: {SCHEMA}"
    yield f"name: {procedure.name}"
    if procedure.shape:
        yield f"class: {procedure.shape}"
    if procedure.description:
        yield f"description: {json.dumps(procedure.description, ensure_ascii=False)}"
    if function:
        yield f"bind: {{function: {_scalar(function)}}}"
    yield from _symbols("params", procedure.params)
    yield from _symbols("let", procedure.let)
    for key, text in (
        ("ops_total", procedure.ops_total),
        ("repeat", procedure.repeat),
        ("pad_factor", procedure.pad_factor),
    ):
        if text is not None:
            yield _value(key, text)
    if procedure.fits:
        yield "fits:"
        yield from [f"  - {_fit(fit)}" for fit in procedure.fits]
    yield "kernels:"
    yield from chain.from_iterable(map(_kernel, procedure.kernels.values()))
    yield "stages:"
    yield from chain.from_iterable(map(_stage, procedure.stages))


def _symbols(key: str, symbols: Mapping[str, records.SourcedExpression]) -> Iterator[str]:
    if symbols:
        yield f"{key}:"
        yield from [f"  {_value(name, text)}" for name, text in symbols.items()]


def _value(key: str, text: records.SourcedExpression) -> str:
    return f"{key}: {_scalar(text.expression.text)}{_origin(text)}"


def _origin(text: records.SourcedExpression) -> str:
    where = "" if text.origin in ("derived", "default") else f", {text.place}"
    return f"  # {text.origin}{where}"


def _scalar(text: str) -> str:
    plain = text and not set(text) & set(",:#[]{}\"'&!|>%@`") and text[0] not in "*?-"
    return text if plain else json.dumps(text, ensure_ascii=False)


def _flow(pairs: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs.items()) + "}"


def _fit(fit: records.CapacityLimit) -> str:
    pairs = {
        "bytes": _scalar(fit.bytes.expression.text),
        "le": _scalar(fit.le.expression.text),
        "why": json.dumps(fit.why, ensure_ascii=False),
    }
    return _flow(pairs) + _origin(fit.bytes)


def _kernel(kernel: records.ProcedureKernel) -> Iterator[str]:
    yield f"  {kernel.name}:"
    yield f"    {_value('ops', kernel.ops)}"
    if kernel.perf is not None:
        yield f"    {_value('perf', kernel.perf)}"
    if kernel.measured:
        yield "    measured: true"
    if kernel.isa:
        yield "    isa:"
        yield from [f"      {_value(name, text)}" for name, text in kernel.isa.items()]
    if kernel.dev_bytes is not None:
        yield f"    {_value('dev_bytes', kernel.dev_bytes)}"
        if kernel.perf is None and not kernel.isa:
            yield f"    {ROOFLINE}"


def _stage(stage: records.ProcedureStage) -> Iterator[str]:
    yield f"  - name: {_scalar(stage.name)}"
    if stage.iterations is not None:
        yield f"    {_value('iterations', stage.iterations)}"
    if stage.ceil:
        yield "    ceil: true"
    for key, ops in (
        ("prologue", stage.prologue),
        ("ops", stage.ops),
        ("epilogue", stage.epilogue),
    ):
        if ops:
            yield f"    {key}:"
            yield from [f"      - {_operation(op)}" for op in ops]


def _operation(op: records.StageOperation) -> str:
    amounts = {"bytes": op.bytes, "seconds": op.seconds, "ops": op.ops, "perf": op.perf}
    known = {key: text for key, text in amounts.items() if text is not None}
    pairs: dict[str, str] = {"kind": op.kind}
    if op.kernel:
        pairs["kernel"] = op.kernel
    pairs |= {key: _scalar(text.expression.text) for key, text in known.items()}
    plain = {"array": op.array, "id": op.id, "channel": op.channel if op.channel != "main" else ""}
    pairs |= {key: _scalar(value) for key, value in plain.items() if value}
    pairs |= dict(_flags(op))
    first = next(iter(known.values()), None)
    return _flow(pairs) + (_origin(first) if first is not None else "")


def _flags(op: records.StageOperation) -> Iterator[tuple[str, str]]:
    if op.per != "coprocessor":
        yield "per", op.per
    if not op.overlap:
        yield "overlap", "false"
    if op.refined:
        yield "refined", "true"
    if op.after:
        yield "after", f"[{', '.join(op.after)}]"
    if op.pattern is not None:
        yield "pattern", _pattern(op.pattern)


def _pattern(pattern: records.TransferPattern) -> str:
    texts = {"run_bytes": pattern.run_bytes, "stride_bytes": pattern.stride_bytes}
    return _flow({key: _scalar(text.expression.text) for key, text in texts.items()})
