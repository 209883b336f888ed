"""RL105: lines that are overwritten whole are read from memory first."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from rooflint.advice import Fix
from rooflint.facts import KernelFacts, Stream
from rooflint.ir import Statement
from rooflint.matching import bytes_words, innermost, kernels_in, not_known
from rooflint.residence import array_bytes, last_level
from rooflint.rule import Change, Guard, Match, RuleContext
from rooflint.transform import Site, Transformed, store_past_caches


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    last = last_level(context, facts)
    small = [
        name
        for name in match.key.split(", ")
        if array_bytes(context, facts, name) <= last.capacity_bytes
    ]
    if not small:
        return ""
    return (
        f"{', '.join(small)} stays in {last.name} ({bytes_words(last.capacity_bytes)}):"
        " streaming stores would throw it out (measured 0.14 to 0.18x)"
    )


def _size_assumed(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    return not_known(context, facts, "in a cache, streaming stores would cost several times")


def _evaded(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    evasion = context.machine.memory.write_allocate_evasion
    if context.kernel(facts).rates.write_allocate and evasion != "none":
        return ""
    if evasion == "none":
        return f"{context.machine.name} has no stores that go past the caches"
    return f"{context.machine.name} evades write-allocates by itself"


def _library_call(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    operations = {v.op for s in facts.kernel.statements for v in s.values}
    loaded = [stream for stream in facts.streams if stream.reads]
    plain = operations <= {"load", "store", "const", "scalar"} and len(loaded) <= 1
    if plain and all(stream.pattern == "contiguous" for stream in loaded):
        name = "memcpy" if loaded else "memset"
        return f"compilers make a call of {name} of it, which picks its stores by size"
    return ""


def _read_soon(match: Match, context: RuleContext) -> str:
    facts = kernels_in(context, match.place)[0]
    last = last_level(context, facts)
    behind = [
        other for other in context.facts if other.kernel.loops[-1] is not facts.kernel.loops[-1]
    ]
    for name in match.key.split(", "):
        for other in behind:
            shares = set(map(id, other.kernel.loops)) & set(map(id, facts.kernel.loops))
            read = any(s.array == name and s.reads for s in other.streams)
            if shares and read and _per_pass(context, facts, name) <= last.capacity_bytes:
                return f"{name} is read again inside the same outer loop"
    return ""


def _per_pass(context: RuleContext, facts: KernelFacts, name: str) -> float:
    """Bytes of an array that one run of the kernel's own loop stores."""
    trips = context.kernel(facts).traffic.space.trips
    return sum(
        [s.element_bytes * len(s.references) * trips[-1] for s in facts.streams if s.array == name]
    )


class WriteAllocate:
    """A store that misses reads the line it is about to overwrite."""

    code = "RL105"
    slug = "write-allocate"
    summary = "lines that are only written are read from memory first"
    aliases = ()
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("roofline", "bounds")
    needs = ("caches",)
    guards = (
        Guard("in-cache", "the array stays in the last level of cache", _in_cache),
        Guard(
            "size-assumed", "nothing says that the array is larger than the caches", _size_assumed
        ),
        Guard("evaded", "the machine evades write-allocates, or cannot", _evaded),
        Guard("library-call", "the loop becomes memset or memcpy", _library_call),
        Guard("read-soon", "the lines are read again before they leave the caches", _read_soon),
    )

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops that fill arrays element by element and do not read them."""
        if not context.machine.write_allocate:
            return
        for site, facts in innermost(context):
            filled = _filled(facts)
            if filled:
                yield _match(context, site, facts, filled)


RULE = WriteAllocate()


def _filled(facts: KernelFacts) -> list[Stream]:
    """Streams of arrays that the loop stores to without a gap and never loads."""
    loaded = {s.array for s in facts.streams if s.reads}
    strided = {s.array for s in facts.streams if s.writes and s.pattern != "contiguous"}
    return [
        s
        for s in facts.streams
        if s.writes
        and s.array not in loaded | strided | facts.nontemporal
        and not _conditional(facts, s.array)
    ]


def _conditional(facts: KernelFacts, array: str) -> bool:
    """Whether a store to the array stands in a branch of the loop: lines would be filled partly."""
    direct = {
        access.array
        for node in facts.kernel.loops[-1].body
        if isinstance(node, Statement)
        for access in node.accesses
        if access.write
    }
    return array not in direct


def _match(context: RuleContext, site: Site, facts: KernelFacts, filled: list[Stream]) -> Match:
    names = tuple(dict.fromkeys([s.array for s in filled]))
    link = context.kernel(facts).traffic.links[-1]
    last = last_level(context, facts)
    element = min([s.element_bytes for s in filled])
    said = ", ".join(names)
    more = last.capacity_bytes // element
    return Match(
        site.name,
        f"stores to {said} read their lines first: {link.total_bytes:.3g} B per iteration over"
        f" {link.link}, {link.total_bytes - link.write_allocate_bytes:.3g} without;"
        f" from {more:.2g} elements on ({last.name})",
        (
            Change(
                "storing past the caches",
                partial(store_past_caches, loop=site.name, arrays=names),
                fix=partial(_fix, said),
            ),
        ),
        key=said,
    )


def _fix(names: str, result: Transformed) -> Fix:
    return Fix(
        "sketch",
        f"store {names} past the caches",
        sketch=(
            f"clang: __builtin_nontemporal_store; icx: #pragma vector nontemporal({names});\n"
            "intrinsics: _mm256_stream_pd on 32 B boundaries, _mm_sfence() after the loop"
        ),
    )
