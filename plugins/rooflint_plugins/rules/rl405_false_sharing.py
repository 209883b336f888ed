from collections.abc import Iterator

from rooflint.ir import Access, Loop
from rooflint.plugin_api.rule import Guard, Match, RuleContext
from rooflint.rule_kit.cache_fit import accesses_in
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.openmp import clause, opens, shared_loops
from rooflint.rule_kit.queries import kernels_in, words_of

THREAD_NUMBER = "omp_get_thread_num"


def _in_register(match: Match, context: RuleContext) -> str:
    loop = context.sites[match.place].loop
    written = [a for a in accesses_in(loop) if a.write and _stride(a) is not None]
    moving = any(loop.index in access.offset.names() for access in written)
    return "each thread moves on to other lines" if moving else ""


class FalseSharing(RuleDefaults):
    code = "RL405"
    slug = "false-sharing"
    summary = "threads store to different elements of the same cache line"
    status = "preview"
    models = ("ecm", "roofline")
    guards = (Guard("moves-on", "the stores leave the line after a few iterations", _in_register),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Stores at the thread's number, and chunks of a schedule shorter than a line."""
        for site in context.sites.values():
            found = _by_number(context, site.loop)
            if found is not None and _in_parallel(context, site.name):
                yield _numbered(context, site.name, found)
        for shared in shared_loops(context):
            schedule = (clause(shared.region, "schedule") or "").replace(" ", "").split(",")
            if len(schedule) > 1 and schedule[1].isdecimal():
                yield from _chunked(context, shared.site.name, int(schedule[1]))


RULE = FalseSharing()


def _stride(access: Access) -> int | None:
    coefficient = access.offset.coefficient(THREAD_NUMBER)
    found = None if coefficient is None else coefficient.value
    return found or None


def _by_number(context: RuleContext, loop: Loop) -> tuple[Access, int] | None:
    for access in accesses_in(loop):
        step = _stride(access) if access.write else None
        if step is not None and abs(step) < context.machine.line_bytes:
            return access, abs(step)
    return None


def _in_parallel(context: RuleContext, place: str) -> bool:
    loop = context.sites[place].loop
    return any(
        facts.kernel.loops[-1] is loop and any(map(opens, facts.kernel.regions))
        for facts in kernels_in(context, place)
    )


def _numbered(context: RuleContext, place: str, found: tuple[Access, int]) -> Match:
    access, step = found
    line = context.machine.line_bytes
    sharing = line // step
    return Match(
        place,
        f"{words_of(access)}: {sharing} threads store to one line of {line} B;"
        " a private variable per thread would stay in a register",
        names=(access.array,),
    )


def _chunked(context: RuleContext, place: str, chunk: int) -> Iterator[Match]:
    loop = context.sites[place].loop
    line = context.machine.line_bytes
    seen: set[str] = set()
    for access in accesses_in(loop):
        step = access.offset.coefficient(loop.index)
        bytes_ = None if step is None else (step * loop.step).value
        if not access.write or not bytes_ or access.array in seen:
            continue
        if abs(bytes_) * chunk < line and access.offset.names() <= {loop.index}:
            seen.add(access.array)
            yield Match(
                place,
                f"{words_of(access)}: chunks of {chunk} are {abs(bytes_) * chunk} B,"
                f" {line // (abs(bytes_) * chunk)} threads store to one line of {line} B",
                key=f"chunk:{access.array}",
            )
