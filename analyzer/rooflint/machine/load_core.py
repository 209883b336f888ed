"""The ``core`` section of a machine file."""

from functools import partial
from itertools import pairwise

from rooflint.errors import near_miss
from rooflint.machine import parts
from rooflint.machine.section import Section

_TYPES = (*parts.TYPE_BYTES, *dict.fromkeys(parts.TYPE_GROUPS.values()))


def read_core(top: Section, levels: tuple[str, ...]) -> parts.CoreModel | None:
    """One core's ports, operations and buffers; None when the file has no ``core``.

    ``levels`` are those of the machine, nearest first, for the names of its links.
    """
    return top.read("core", partial(_core, levels=levels))


def _core(section: Section, levels: tuple[str, ...]) -> parts.CoreModel:
    ports = section.section("ports")
    operations = section.section("operations")
    names = list(ports.keys()) if ports else []
    return parts.CoreModel(
        issue_width=section.count_or_none("issue_width"),
        buffers=section.read("buffers", _buffers) or parts.Buffers(),
        ports={name: ports.ports(name) for name in names} if ports else {},
        operations=_operations(operations) if operations else {},
        overlap=section.read("overlap", partial(_overlap, levels=levels)) or parts.Overlap(),
        fused_loads=section.flag_or("fused_loads", False),
        in_order=section.flag_or("in_order", False),
        memory_order=section.choice_or("memory_order", ("none", "x86", "arm"), "none"),
        prefetch_into=section.choice_or("prefetch_into", ("none", "L1", "L2", "L3"), None),
        mispredict_cy=section.number_or_none("mispredict_cy"),
    )


def _buffers(section: Section) -> parts.Buffers:
    return parts.Buffers(**{key: section.count_or_none(key) for key in parts.Buffers._fields})


def _operations(section: Section) -> dict[str, parts.CoreOperation]:
    operations = {}
    for name in section.keys():  # noqa: SIM118  (not a dict)
        _check_name(section, name)
        operations[name] = Section(section.required(name), section.at(name)).whole(_operation)
    return operations


def _operation(item: Section) -> parts.CoreOperation:
    uops = item.number_or_none("uops", zero=True)
    ports, cy = _use(item)
    return parts.CoreOperation(
        latency_cy=item.number_or_none("latency_cy"),
        ports=ports,
        cy=cy,
        uops=1.0 if uops is None else uops,
        also=tuple(more.whole(_use) for more in item.sections("also")),
        accumulate_cy=item.number_or_none("accumulate_cy"),
    )


def _use(item: Section) -> parts.PortUse:
    ports = item.ports("ports")
    if not ports:
        raise item.error("ports", "expected the list of ports that can do it")
    if len(set(ports)) < len(ports):
        raise item.error("ports", "a port is named twice")
    cy = item.number_or_none("cy")
    return parts.PortUse(ports, 1.0 if cy is None else cy)


def _check_name(section: Section, name: str) -> None:
    kind, *rest = name.split(".")
    if kind not in parts.CLASSES:
        hint = near_miss(kind, parts.CLASSES) or f", expected one of {', '.join(parts.CLASSES)}"
        raise section.error(name, f"unknown operation class '{kind}'{hint}")
    for allowed in (_TYPES, parts.WIDTHS):
        if rest and rest[0] in allowed:
            rest = rest[1:]
    if rest:
        known = (*_TYPES, *parts.WIDTHS)
        hint = near_miss(rest[0], known)
        raise section.error(name, f"expected class[.type][.width], got '{rest[0]}'{hint}")


def _overlap(section: Section, levels: tuple[str, ...]) -> parts.Overlap:
    non_overlapping = section.texts("non_overlapping") if "non_overlapping" in section else ()
    for name in non_overlapping:
        if name not in parts.CLASSES:
            message = f"unknown operation class '{name}'{near_miss(name, parts.CLASSES)}"
            raise section.error("non_overlapping", message)
    links = section.texts("overlapping_links")
    known = [f"{near}-{far}" for near, far in pairwise(("REG", *levels))]
    for link in links:
        if link not in known:
            hint = near_miss(link, known) or f", expected some of {', '.join(known)}"
            raise section.error("overlapping_links", f"unknown link '{link}'{hint}")
    return parts.Overlap(
        non_overlapping=non_overlapping,
        links=section.choice_or("links", ("serial", "overlapping"), "serial"),
        overlapping_links=links,
    )
