"""A machine file as a core for the scheduler: ports, buffers, and the links as further ports."""

from math import ceil
from typing import Final

from rooflint.core.issue.micro_ops import ADDRESS
from rooflint.machine import CacheLevel, PortUse
from rooflint.plugin_api.hookspecs import Context
from rooflint.records import NamedTuple

from rooflint_plugins.models.bounds.parts import Form, Hold, PortKind, Resource, Role, ScheduledCore

COMPUTE: Final = frozenset(("add", "mul", "fma", "div", "sqrt"))
"""Classes whose floating-point instructions are work; all else is overhead."""
CALLS: Final = "call"
"""A port for library functions, which run one after the other."""
LINK: Final[PortKind] = "link"
PAGES: Final = "page walks"
"""A port for walks of the page table."""
TYPICAL_CY: Final = (4.0, 14.0, 40.0, 50.0)
TYPICAL_MEMORY_NS: Final = 90.0
TYPICAL_ROB: Final = 128
SECOND: Final = 1
"""Taken where the machine file says nothing, and reported then."""


class TargetLevel(NamedTuple):
    """A level of the hierarchy: latency of a load, and cycles that a line holds the link above it.

    ``prefetched_cy`` is the latency where a prefetcher has fetched the line ahead.
    """

    name: str
    latency_cy: int
    prefetched_cy: int
    up_cy: int
    down_cy: int


def _line_cycles(cache: CacheLevel, up: float) -> tuple[float, float]:
    return up, 0.0 if cache.duplex == "full" else cache.cy_per_line_down or up


class BoundsTarget:
    """Collects the ports and classes that a body uses; ``notes`` say what was taken for granted."""

    def __init__(self, context: Context, clock_ghz: float) -> None:
        self.context = context
        self.notes: dict[str, None] = {}
        self.ports: dict[str, int] = {}
        self.resources: dict[str, tuple[int, Resource]] = {}
        self.levels = self._levels(clock_ghz)

    def _levels(self, clock_ghz: float) -> tuple[TargetLevel, ...]:
        context, machine = self.context, self.context.machine
        names = machine.levels
        latencies = [self._latency(number, name, clock_ghz) for number, name in enumerate(names)]
        rates = context.rates.bandwidths(context.traffic.pattern)
        nearest = self._prefetched(names)
        found = []
        for number, name in enumerate(names):
            cache = machine.cache(name)
            up = down = 0.0
            rate = rates.get(machine.links[number])
            if number and cache is not None and cache.cy_per_line_up is not None:
                up, down = _line_cycles(cache, cache.cy_per_line_up)
            elif number and rate is not None:
                up = down = machine.line_bytes * context.cores * clock_ghz / rate.gb_s
            ahead = latencies[number if nearest is None else min(number, nearest)]
            found.append(TargetLevel(
                name=name, latency_cy=latencies[number], prefetched_cy=ahead,
                up_cy=round(up) or 1, down_cy=round(down),
            ))  # fmt: skip
        return tuple(found)

    def _prefetched(self, names: tuple[str, ...]) -> int | None:
        core = self.context.machine.core
        into = core.prefetch_into if core is not None else None
        if into == "none":
            self.notes["nothing is prefetched"] = None
            return None
        known = names.index(into) if into in names else min(SECOND, len(names) - 1)
        level = names[known]
        self.notes[f"sequential lines are prefetched into {level}"] = None
        return known

    def _latency(self, number: int, name: str, clock_ghz: float) -> int:
        machine = self.context.machine
        if name == "MEM":
            latency_ns = machine.memory.latency_ns
            if latency_ns is None:
                latency_ns = TYPICAL_MEMORY_NS
                self.notes[
                    f"memory latency of {latency_ns:g} ns assumed (not in the machine file)"
                ] = None
            return round(latency_ns * clock_ghz)
        cache = machine.cache(name)
        if cache is not None and cache.latency_cy is not None:
            return round(cache.latency_cy)
        known = TYPICAL_CY[min(number, len(TYPICAL_CY) - 1)]
        self.notes[f"{name} latency of {known:g} cycles assumed (not in the machine file)"] = None
        return round(known)

    def resource(self, name: str, group: str) -> int:
        """The position of a class."""
        if name not in self.resources:
            kind: Resource = Resource(name, None, group)  # type: ignore[arg-type]
            self.resources[name] = (len(self.resources), kind)
        return self.resources[name][0]

    def holds(self, uses: tuple[PortUse, ...]) -> tuple[Hold, ...]:
        """Ports by position, whole cycles."""
        found = []
        for use in uses:
            if use.ports and use.cy > 0:
                ports = tuple([self.ports.setdefault(p, len(self.ports)) for p in use.ports])
                found.append(Hold(ports, max(1, ceil(use.cy - 1e-9))))
        return tuple(found)

    def plain(
        self, name: str, group: str, latency: float, uses: tuple[PortUse, ...], uops: float
    ) -> Form:
        """An instruction without an access to memory."""
        holds = self.holds(uses)
        occupancy = max([hold.cycles for hold in holds if self.narrow(hold)], default=1)
        return Form(
            resource=self.resource(name, group),
            latency=max(1, round(latency), occupancy),
            occupancy=occupancy,
            holds=holds,
            role="compute",
            beyond=False,
            slots=max(1, round(uops)),
        )

    def narrow(self, hold: Hold) -> bool:
        """Whether a hold is on units, not on the address units behind ports."""
        names = {position: name for name, position in self.ports.items()}
        return not names[hold.ports[0]].endswith(ADDRESS)

    def access(
        self, base: Form, role: Role, depth: int, leaving: int, ahead: bool, lines: int
    ) -> Form:
        """A load or store whose line crosses ``depth`` links, and a changed one later ``leaving``.

        ``base`` is the same with the nearest level; ``ahead``: the line was prefetched.
        """
        holds = list(base.holds)
        links = self.context.machine.links
        for number in range(1, max(depth, leaving) + 1):
            level = self.levels[number]
            cycles = (level.up_cy if number <= depth else 0) + (
                level.down_cy if number <= leaving else 0
            )
            if cycles:
                port = self.ports.setdefault(links[number], len(self.ports))
                holds.append(Hold((port,), cycles * lines))
        if not depth:
            return base._replace(holds=tuple(holds))
        level = self.levels[depth]
        beyond_cy = (level.prefetched_cy if ahead else level.latency_cy) - self.levels[0].latency_cy
        occupancy = max(1, level.up_cy * lines)
        return base._replace(
            resource=self.resource(level.name, "memory"),
            latency=max(base.latency + max(0, beyond_cy), occupancy),
            occupancy=occupancy,
            holds=tuple(holds),
            beyond=True,
            bytes=lines * self.context.machine.line_bytes * (2 if leaving >= depth else 1),
        )

    def walking(self, form: Form, pages: int) -> Form:
        """An access that waits for so many page walks, which share their time with others'."""
        tlb = self.context.machine.tlb
        assert tlb is not None
        port = self.ports.setdefault(PAGES, len(self.ports))
        hold = Hold((port,), max(1, round(tlb.walk_cy)) * pages)
        return form._replace(holds=(*form.holds, hold))

    def core(self) -> ScheduledCore:
        """The core with all that was collected."""
        machine = self.context.machine
        assert machine.core is not None
        buffers = machine.core.buffers
        rob = buffers.rob
        if rob is None:
            rob = TYPICAL_ROB
            self.notes[f"a reorder buffer of {rob} entries assumed (not in the machine file)"] = (
                None
            )
        return ScheduledCore(
            resources=tuple([resource for _, resource in self.resources.values()]),
            ports=tuple(self.ports),
            fetch_width=machine.core.issue_width,
            rob=rob,
            rs=buffers.rs,
            load_buffer=buffers.load,
            store_buffer=buffers.store,
            line_fill=buffers.line_fill,
            ordering=machine.core.memory_order,
            in_order=machine.core.in_order,
            kinds={CALLS: "calls", PAGES: "page walks", **dict.fromkeys(machine.links, LINK)},
        )
