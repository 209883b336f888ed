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
    return section.record(
        parts.CoreModel,
        buffers=section.read_record("buffers", parts.Buffers) or parts.Buffers(),
        ports=section.table("ports", Section.ports),
        operations=section.table("operations", _named_operation),
        overlap=section.read("overlap", partial(_overlap, levels=levels)) or parts.Overlap(),
    )


def _named_operation(section: Section, name: str) -> parts.CoreOperation:
    _check_name(section, name)
    return section.inner(name).whole(_operation)


def _operation(item: Section) -> parts.CoreOperation:
    uops = item.number_or_none("uops", zero=True)
    ports, cy = _use(item)
    return item.record(
        parts.CoreOperation,
        ports=ports,
        cy=cy,
        uops=1.0 if uops is None else uops,
        also=tuple([more.whole(_use) for more in item.sections("also")]),
    )


def _use(item: Section) -> parts.PortUse:
    ports = item.ports("ports")
    if not ports:
        raise item.error("ports", "expected the list of ports that can do it")
    if len(set(ports)) < len(ports):
        raise item.error("ports", "a port is named twice")
    return item.record(parts.PortUse, ports=ports)


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
    return section.record(parts.Overlap, non_overlapping=non_overlapping, overlapping_links=links)
