"""The XML of hwloc: ``lstopo --of xml``, of versions 1 and 2."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rooflint.errors import ConfigurationError
from rooflint.machine.identity.processor import processor_numbers
from rooflint.machine.topology.model import StatedCache, StatedTopology

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

INSTRUCTIONS: Final = "2"
"""hwloc's type of an instruction cache."""
PACKAGES: Final = ("Package", "Socket")
"""By versions 2 and 1."""
CLOCKS: Final = ("FrequencyBaseMHz", "FrequencyMaxMHz")
MAX_DEPTH: Final = 64


def is_hwloc(text: str) -> bool:
    """Whether a file is hwloc's."""
    return text.lstrip().startswith("<") and "<topology" in text[:1000]


def read_hwloc(text: str, file: str) -> StatedTopology:
    """The topology; ConfigurationError where the file has none, or packages that differ."""
    root = _root(text, file)
    objects = list(_objects(root))
    packages = [each for each in root.iter("object") if each.get("type") in PACKAGES]
    cores = [(each, above) for each, above in objects if each.get("type") == "Core"]
    threads = _count(root, "PU")
    if not cores or not threads:
        raise ConfigurationError("expected cores and hardware threads (Core, PU)", file)
    sockets = max(len(packages), 1)
    _check_packages(packages, len(cores), file)
    infos = _infos(packages[0] if packages else root)
    nodes = [each for each, _ in objects if each.get("type") == "NUMANode"]
    domains = list(filter(_has_cores, nodes))
    machine = _infos(next(iter(root), root))
    return StatedTopology(
        tool="hwloc",
        brand=infos.get("CPUModel", ""),
        processor=processor_numbers(_fields(infos), machine.get("Architecture", "")),
        core="",
        sockets=sockets,
        cores_per_socket=len(cores) // sockets,
        threads_per_core=max(threads // len(cores), 1),
        domains_per_socket=_share(len(domains), sockets, len(cores) // sockets),
        caches=_caches(*cores[0]),
        clock_ghz=_clock(root),
    )


def _check_packages(packages: list["Element"], cores: int, file: str) -> None:
    if len({_count(each, "Core") for each in packages}) > 1:
        raise ConfigurationError(f"{cores} cores in {len(packages)} packages that differ", file)


def _root(text: str, file: str) -> "Element":
    from xml.etree import ElementTree  # noqa: PLC0415 - which one command needs

    if "<!ENTITY" in text:
        raise ConfigurationError("entities are not read", file)
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ConfigurationError(f"not valid XML: {error.msg}", file, error.position[0]) from None


def _objects(
    node: "Element", above: tuple["Element", ...] = ()
) -> Iterator[tuple["Element", tuple["Element", ...]]]:
    for child in node if len(above) < MAX_DEPTH else ():
        if child.tag == "object":
            yield child, above
            yield from _objects(child, (*above, child))


def _count(node: "Element", kind: str) -> int:
    return sum(1 for each in node.iter("object") if each.get("type") == kind)


def _has_cores(domain: "Element") -> bool:
    """Memory of a coprocessor is a domain without cores."""
    return bool((domain.get("cpuset") or "").replace("0x", "").strip("0,"))


def _infos(node: "Element") -> dict[str, str]:
    return {each.get("name", ""): each.get("value", "") for each in node.findall("info")}


def _fields(infos: dict[str, str]) -> dict[str, str]:
    """By the names of ``/proc/cpuinfo``, which has the same numbers."""
    names = {
        "vendor_id": "CPUVendor",
        "cpu family": "CPUFamilyNumber",
        "model": "CPUModelNumber",
        "stepping": "CPUStepping",
        "CPU implementer": "CPUImplementer",
        "CPU part": "CPUPart",
        "model name": "CPUModel",
    }
    return {field: infos[name] for field, name in names.items() if name in infos}


def _share(domains: int, sockets: int, cores: int) -> int:
    count, rest = divmod(domains, sockets)
    return count if count and not rest and cores % count == 0 else 1


def _caches(core: "Element", above: tuple["Element", ...]) -> tuple[StatedCache, ...]:
    found = []
    for each in reversed(above):
        is_cache = (each.get("type") or "").endswith("Cache")
        if is_cache and each.get("cache_type", "0") != INSTRUCTIONS:
            inclusive = _infos(each).get("Inclusive")
            found.append(
                StatedCache(
                    size_bytes=_number(each.get("cache_size")),
                    cores=max(_count(each, "Core"), 1),
                    ways=max(_number(each.get("cache_associativity")), 0),
                    line_bytes=_number(each.get("cache_linesize")),
                    inclusive=None if inclusive is None else inclusive == "1",
                )
            )
    return tuple([cache for cache in found if cache.size_bytes > 0])


def _clock(root: "Element") -> float:
    kinds = [_infos(each) for each in root.iter("cpukind")]
    known = [_number(infos[name]) for name in CLOCKS for infos in kinds[:1] if name in infos]
    return known[0] / 1000 if known else 0.0


def _number(text: str | None) -> int:
    try:
        return int(text or 0)
    except ValueError:
        return 0
