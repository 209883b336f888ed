"""Procedure files: YAML to Procedure, or one clear error ``file:line: what, near miss``."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from rooflint.errors import ConfigurationError, near_miss
from rooflint.machine.document import YamlNode, read_text
from rooflint.machine.document import parse as parse_yaml
from rooflint.machine.section import Section
from rooflint.scenario.sizes import canonical

from rooflint_plugins.models.hybrid.procedure import records
from rooflint_plugins.models.hybrid.procedure.expression import (
    ExpressionError,
    Number,
    ParsedExpression,
    parse,
)
from rooflint_plugins.models.hybrid.procedure.writer import SCHEMA

SHAPES = tuple(f"C{number}" for number in range(1, 9))
_UNITS = ("B", "FLOP", "OP", "Hz")
_OF_NUMBERS = frozenset("0123456789.eE+-")
_DECIMAL = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
RESERVED: Final = frozenset(
    "K DMEM DPEAK bw_cp HMEM HPEAK F BW banks log2 ceil floor min max sqrt".split()
)
"""Symbols of the machine, and functions; a procedure cannot give them another meaning."""


def load_procedures(path: Path) -> tuple[records.Procedure, ...]:
    """The procedures of a file: one mapping, or a list of them.

    Raises ConfigurationError.
    """
    return read_procedures(read_text(path), str(path))


def read_procedures(text: str, file: str) -> tuple[records.Procedure, ...]:
    """As ``load_procedures``, from text; ``file`` is for errors."""
    root = parse_yaml(text, file)
    nodes = root.data if isinstance(root.data, list) else [root]
    found = tuple([_procedure(node) for node in nodes])
    if not found:
        raise root.error("no procedure")
    for number, procedure in enumerate(found):
        if procedure.name in [other.name for other in found[:number]]:
            raise nodes[number].error(f"procedure '{procedure.name}' is defined twice")
    return found


def _procedure(node: YamlNode) -> records.Procedure:
    top = Section(node, "")
    schema = top.text("schema")
    if schema != SCHEMA:
        raise top.error("schema", f"expected {SCHEMA}, got '{schema}'")
    bind = _bind(top)
    sidecar = bind is not None and "stages" not in top
    procedure = records.Procedure(
        name=top.text("name"),
        file=node.file,
        params=_symbols(top, "params"),
        let=_symbols(top, "let"),
        ops_total=_text_or_none(top, "ops_total") if sidecar else _text(top, "ops_total"),
        kernels=_kernels(top, sidecar=sidecar),
        stages=tuple([_stage(s) for s in top.sections("stages")]),
        fits=tuple([_fit(s) for s in top.sections("fits")]),
        repeat=_text_or_none(top, "repeat"),
        pad_factor=_text_or_none(top, "pad_factor"),
        bind=bind,
        shape=top.choice_or("class", SHAPES, "") if "class" in top else "",
        elements=_symbols(top, "elements"),
        sizes=_sizes(top),
        sources=_sources(top),
        description=top.text("description") if "description" in top else "",
    )
    top.done()
    if not sidecar:
        _check(procedure, top)
    return procedure


def _bind(top: Section) -> records.Bind | None:
    section = top.section("bind")
    if section is None:
        return None
    arrays = section.section("arrays")
    found = records.Bind(
        file=section.text("file") if "file" in section else "",
        function=section.text("function") if "function" in section else "",
        loops=section.ports("loops"),
        arrays={key: arrays.text(key) for key in arrays.keys()} if arrays else {},  # noqa: SIM118
    )
    section.done()
    return found


def _sources(top: Section) -> Mapping[str, str]:
    section = top.section("sources")
    if section is None:
        return {}
    return {key: section.text(key) for key in section.keys()}  # noqa: SIM118


def _symbols(top: Section, key: str) -> dict[str, records.SourcedExpression]:
    section = top.section(key)
    if section is None:
        return {}
    found = {}
    for name in section.keys():  # noqa: SIM118
        if not (name.isascii() and name.isidentifier()):
            raise section.error(name, "expected a name of letters, digits and _")
        if name in RESERVED:
            raise section.error(name, "is a symbol of the machine or a function")
        found[name] = _text(section, name)
    return found


def _sizes(top: Section) -> dict[str, records.SourcedExpression]:
    """Keys are what the source calls them: ``row[i+1]-row[i]`` is no name of the language."""
    section = top.section("sizes")
    if section is None:
        return {}
    return {canonical(key): _text(section, key) for key in section.keys()}  # noqa: SIM118


def _kernels(top: Section, *, sidecar: bool) -> dict[str, records.ProcedureKernel]:
    section = top.section("kernels")
    if section is None:
        return {}
    found = {}
    for name in section.keys():  # noqa: SIM118
        one = Section(section.required(name), section.at(name))
        isa = one.section("isa")
        ops = _text_or_none(one, "ops")
        if ops is None:
            if not sidecar:
                one.required("ops")
            ops = records.SourcedExpression(
                expression=parse(0), place=_place(one.node), path=one.at("ops"), origin="default"
            )
        found[name] = records.ProcedureKernel(
            name=name,
            ops=ops,
            perf=_text_or_none(one, "perf"),
            isa={key: _text(isa, key) for key in isa.keys()} if isa else {},  # noqa: SIM118
            dev_bytes=_text_or_none(one, "dev_bytes"),
            measured=one.flag_or("measured", False),
        )
        one.done()
    return found


def _stage(section: Section) -> records.ProcedureStage:
    parts = {
        key: tuple([_operation(s) for s in section.sections(key)])
        for key in ("ops", "prologue", "epilogue")
    }
    if not parts["ops"]:
        raise section.node.error(f"{section.path}: a stage needs ops, the operations of one page")
    stage = records.ProcedureStage(
        name=section.text("name"),
        place=_place(section.node),
        iterations=_text_or_none(section, "iterations"),
        ceil=section.flag_or("ceil", False),
        **parts,
    )
    section.done()
    _check_order(stage, section)
    return stage


def _operation(section: Section) -> records.StageOperation:
    section.required("kind")
    kind = section.choice_or("kind", records.KINDS, "kernel")
    pattern = section.section("pattern")
    found = records.StageOperation(
        kind=kind,
        place=_place(section.node),
        bytes=_text_or_none(section, "bytes"),
        kernel=section.text("kernel") if "kernel" in section else "",
        seconds=_text_or_none(section, "seconds"),
        ops=_text_or_none(section, "ops"),
        perf=_text_or_none(section, "perf"),
        per=section.choice_or("per", records.PERS, "coprocessor"),
        overlap=section.flag_or("overlap", True),
        channel=section.text("channel") if "channel" in section else "main",
        pattern=_pattern(pattern) if pattern else None,
        refined=section.flag_or("refined", False),
        array=section.text("array") if "array" in section else "",
        id=section.text("id") if "id" in section else "",
        after=section.texts("after"),
    )
    section.done()
    needed = {"kernel": found.kernel, "host": found.seconds or found.ops}.get(kind, found.bytes)
    if not needed:
        key = {"kernel": "kernel", "host": "seconds (or ops)"}.get(kind, "bytes")
        raise section.node.error(f"{section.path}: a {kind} operation needs {key}")
    return found


def _pattern(section: Section) -> records.TransferPattern:
    run, stride = _text(section, "run_bytes"), _text(section, "stride_bytes")
    section.done()
    return records.TransferPattern(run, stride)


def _fit(section: Section) -> records.CapacityLimit:
    fit = records.CapacityLimit(_text(section, "bytes"), _text(section, "le"), section.text("why"))
    section.done()
    return fit


def _check(procedure: records.Procedure, top: Section) -> None:
    if not procedure.stages:
        raise top.error("stages", "expected at least one stage")
    for stage in procedure.stages:
        for op in (*stage.prologue, *stage.ops, *stage.epilogue):
            if op.kind == "kernel" and op.kernel not in procedure.kernels:
                known = ", ".join(procedure.kernels) or "none"
                hint = near_miss(op.kernel, procedure.kernels)
                message = f"no kernel '{op.kernel}' under kernels, which has {known}{hint}"
                raise ConfigurationError(f"{op.place}: {message}")


def _check_order(stage: records.ProcedureStage, section: Section) -> None:
    waits = {op.id: set(op.after) for op in stage.ops if op.id}
    for op in stage.ops:
        for name in op.after:
            if name not in waits:
                hint = near_miss(name, waits)
                message = f"after: no operation with id '{name}' in this stage{hint}"
                raise ConfigurationError(f"{op.place}: {message}")
    while ready := [name for name, after in waits.items() if not after & waits.keys()]:
        for name in ready:
            del waits[name]
    if waits:
        circle = ", ".join(sorted(waits))
        raise section.node.error(f"{section.path}: operations wait for each other: {circle}")


def _text_or_none(section: Section, key: str) -> records.SourcedExpression | None:
    return _text(section, key) if key in section else None


def _text(section: Section, key: str) -> records.SourcedExpression:
    node = section.required(key)
    path = section.at(key)
    if isinstance(node.data, bool) or not isinstance(node.data, int | float | str):
        raise node.error(f"{path}: expected a number or an expression")
    try:
        return records.SourcedExpression(quantity(node.data), _place(node), path)
    except ExpressionError as error:
        raise node.error(f"{path}: {error}") from None


def quantity(value: str | float) -> ParsedExpression:
    """An expression, or a number with a unit: ``64KiB``, ``2.7GB/s``, ``200MHz``, ``1.5GOP/s``.

    Raises ExpressionError.
    """
    number = _with_unit(value.strip()) if isinstance(value, str) else None
    if number is None:
        return parse(value)
    return ParsedExpression(str(value).strip(), Number(number))


def _with_unit(text: str) -> float | None:
    """The value of a number with a unit; None for any other text."""
    rate = text.removesuffix("/s")
    unit = next((unit for unit in _UNITS if rate.endswith(unit)), None)
    if unit is None:
        return None
    count = rate.removesuffix(unit)
    base = 1024.0 if count.endswith("i") else 1000.0
    count = count.removesuffix("i")
    prefix = count[-1:] if count[-1:] in _DECIMAL else ""
    digits = count.removesuffix(prefix).rstrip()
    if not digits[:1].isdigit() or not _OF_NUMBERS.issuperset(digits):
        return None
    try:
        return float(digits) * base ** _DECIMAL[prefix]
    except ValueError:
        return None


def _place(node: YamlNode) -> str:
    return f"{node.file}:{node.line}"


def texts(procedure: records.Procedure) -> Iterator[records.SourcedExpression]:
    """Every expression of a procedure, for checks of symbols and for provenance."""
    yield from procedure.params.values()
    yield from procedure.let.values()
    optional = (procedure.ops_total, procedure.repeat, procedure.pad_factor)
    yield from [text for text in optional if text is not None]
    for kernel in procedure.kernels.values():
        yield kernel.ops
        yield from _present((kernel.perf, kernel.dev_bytes, *kernel.isa.values()))
    for fit in procedure.fits:
        yield from (fit.bytes, fit.le)
    for stage in procedure.stages:
        yield from _present((stage.iterations,))
        for op in (*stage.prologue, *stage.ops, *stage.epilogue):
            yield from _present((op.bytes, op.seconds, op.ops, op.perf))


def _present(
    found: Iterable[records.SourcedExpression | None],
) -> Iterator[records.SourcedExpression]:
    return (text for text in found if text is not None)
