"""Figures that contradict each other: a level smaller than the one it contains, more bandwidth
from fewer cores."""

from rooflint.machine.parts import BandwidthEntry, CacheLevel
from rooflint.machine.section import Section

FALL = 1.1
"""Measured rates fall a little past saturation (6 % on EPYC 7452); more than 10 % is a slip."""


def check_caches(
    read: list[tuple[Section, CacheLevel]], line_bytes: int, cores_per_socket: int
) -> None:
    """Raise ConfigurationError at the first cache that cannot be."""
    nearer: CacheLevel | None = None
    for section, cache in read:
        way_bytes = cache.ways * line_bytes
        if cache.size_kib * 1024 % way_bytes:
            message = f"{cache.ways} ways of {line_bytes} B lines do not divide"
            raise section.error("ways", f"{message} {cache.size_kib:g} KiB")
        if cores_per_socket % cache.shared_by_cores:
            message = f"expected a divisor of the {cores_per_socket} cores per socket"
            raise section.error("shared_by_cores", f"{message}, got {cache.shared_by_cores}")
        if nearer is not None:
            _check_pair(section, cache, nearer)
        nearer = cache


def _check_pair(section: Section, cache: CacheLevel, nearer: CacheLevel) -> None:
    if cache.shared_by_cores % nearer.shared_by_cores:
        message = f"shared by {cache.shared_by_cores} cores, but {nearer.level} by "
        raise section.error("shared_by_cores", f"{message}{nearer.shared_by_cores}")
    # Only an inclusive level must have room for what every nearer cache under it holds.
    below = cache.shared_by_cores // nearer.shared_by_cores if cache.holds == "inclusive" else 1
    if cache.size_kib < nearer.size_kib * below:
        contents = f"{below} x {nearer.size_kib:g}" if below > 1 else f"{nearer.size_kib:g}"
        message = f"{cache.size_kib:g} KiB is smaller than the {contents} KiB of {nearer.level}"
        hint = " it includes" if cache.holds == "inclusive" else ""
        raise section.error("size_kib", f"{message}{hint}")
    if cache.latency_cy and nearer.latency_cy and cache.latency_cy < nearer.latency_cy:
        message = f"{cache.latency_cy:g} cycles is less than the {nearer.latency_cy:g} of"
        raise section.error("latency_cy", f"{message} {nearer.level}")


def check_bandwidth(
    read: list[tuple[Section, BandwidthEntry]], sockets: int, cores_per_socket: int
) -> None:
    """Raise ConfigurationError for a repeated entry, too many cores, or a rate that falls."""
    total = sockets * cores_per_socket
    seen: dict[tuple[str, str, int], BandwidthEntry] = {}
    for section, entry in read:
        if entry.cores > total:
            raise section.error("cores", f"the machine has {total} cores, got {entry.cores}")
        key = (entry.level, entry.pattern, entry.cores)
        if key in seen:
            message = f"{entry.level} {entry.pattern} for {entry.cores} cores is stated twice"
            raise section.error("cores", message)
        seen[key] = entry
    for section, entry in read:
        for other in seen.values():
            same = (other.level, other.pattern) == (entry.level, entry.pattern)
            across = other.cores <= cores_per_socket < entry.cores
            limit = entry.gb_s if across else entry.gb_s * FALL
            if same and other.cores < entry.cores and other.gb_s > limit:
                message = f"{entry.gb_s:g} GB/s with {entry.cores} cores is less than "
                raise section.error("gb_s", f"{message}{other.gb_s:g} with {other.cores}")
