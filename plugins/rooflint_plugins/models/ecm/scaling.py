"""From one core to all: bandwidth saturation inside a NUMA domain, and domains side by side.

Two rules for the number of cores that saturate the memory interface. The ratio of the ECM papers,
n_S = ceil(T_ECM / T_mem); and the recursion over the bus utilisation of newer work, in which cores
that wait for each other add T_mem / 2 of latency each, so that saturation comes later:

    u(n) = min(1, n T_mem / (T_ECM + u(n - 1) (n - 1) T_mem / 2)),   T(n) = T_mem / u(n)

J. Hofmann, G. Hager, D. Fey: On the accuracy and usefulness of analytic energy models for
contemporary multicore processors, ISC 2018 (the recursion).
"""

import math
from typing import Final

ROUNDING: Final = 1e-9


def saturation(total_cy: float, memory_cy: float | None) -> int | None:
    """n_S as the ratio rounded up; None when nothing comes from memory or its limit is unknown."""
    if not memory_cy:
        return None
    return max(1, math.ceil(total_cy / memory_cy - ROUNDING))


def utilisations(total_cy: float, memory_cy: float, cores: int) -> list[float]:
    """How busy the memory interface is with 1 … ``cores`` active cores."""
    found: list[float] = []
    busy = 0.0
    for active in range(1, cores + 1):
        waiting = busy * (active - 1) * memory_cy / 2
        busy = min(1.0, active * memory_cy / (total_cy + waiting))
        found.append(busy)
    return found


def saturation_by_utilisation(total_cy: float, memory_cy: float | None, cores: int) -> int | None:
    """The first number of cores that keep the interface busy all the time; None if none does."""
    if not memory_cy:
        return None
    for active, busy in enumerate(utilisations(total_cy, memory_cy, cores), start=1):
        if busy >= 1 - ROUNDING:
            return active
    return None


def time_cy(
    total_cy: float, memory_cy: float, cores: int, domain_cores: int, drawn_cy: float = 0.0
) -> float:
    """Cycles per line of work of ``cores`` cores together: T(n) = 1 / P(n).

    Cores fill one NUMA domain of ``domain_cores`` after the other; each domain scales until its
    memory interface is saturated, and all together take ``drawn_cy`` at least for the bytes of the
    slowest link at the rate that so many cores sustain.
    """
    full, rest = divmod(cores, domain_cores)
    rate = full * _rate(total_cy, memory_cy, domain_cores) + _rate(total_cy, memory_cy, rest)
    return max(1 / rate if rate else 0.0, drawn_cy)


def _rate(total_cy: float, memory_cy: float, cores: int) -> float:
    if not cores or total_cy <= 0:
        return 0.0
    alone = cores / total_cy
    return alone if memory_cy <= 0 else min(alone, 1 / memory_cy)
