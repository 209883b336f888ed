from collections.abc import Iterator
from functools import partial
from math import ceil
from typing import Final

from rooflint.facts import KernelFacts, Stream
from rooflint.ir import BYTES, Loop, Statement
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.records import NamedTuple
from rooflint.rule_kit.cache_fit import access_of, array_bytes, last_level
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import (
    bytes_words,
    innermost,
    kernel_of,
    statements_of,
    words_of,
)
from rooflint.transform.annotations import store_past_caches
from rooflint.transform.nest.tree import Site
from rooflint.transform.result import ChangedFunction

X86: Final = ("sse", "avx")
"""How the names of x86 instruction sets begin: from SSE2 on they have ``movntpd`` and its like."""
STREAM: Final = {
    "f64": "_mm_stream_pd(to + k, _mm_load_pd(line + k));",
    "f32": "_mm_stream_ps(to + k, _mm_load_ps(line + k));",
}
STREAM_INTEGERS: Final = (
    "_mm_stream_si128((__m128i *)(to + k), _mm_load_si128((const __m128i *)(line + k)));"
)
C_TYPES: Final = {"f64": "double", "f32": "float"}
PLAIN: Final = frozenset("f64 f32 i8 i16 i32 i64 u8 u16 u32 u64".split())
"""Types of elements that the sketch can store."""
DIVISIONS: Final = ("floordiv", "mod")
"""Of indices: they have no price in the core's models where a store takes their value."""
ROLLED: Final = "#pragma GCC unroll 1"
"""Above the loop over a line, for compilers that would unroll it before they vectorise."""
WORTHWHILE: Final = 1.1
"""Times that all transfers take longer than the stores alone: below, they cannot gain that much."""
REGISTER_BYTES: Final = 16
"""Of the stores that every x86-64 processor has, SSE2's."""


def _in_cache(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    last = last_level(context, facts)
    small = [
        name for name in match.names if array_bytes(context, facts, name) <= last.capacity_bytes
    ]
    if not small:
        return ""
    return (
        f"{', '.join(small)} stays in {last.name} ({bytes_words(last.capacity_bytes)}):"
        " streaming stores would evict it (measured 0.14 to 0.18x)"
    )


def _evaded(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    evasion = context.machine.memory.write_allocate_evasion
    if context.kernel(facts).rates.write_allocate and evasion != "none":
        return ""
    if evasion == "none":
        return f"{context.machine.name} has no stores that bypass the caches"
    return f"{context.machine.name} evades write-allocates by itself"


def _no_such_store(match: Match, context: RuleContext) -> str:
    if _has_intrinsics(context) or context.compiler.traits.streams_vectors:
        return ""
    return f"{context.compiler} has no stores that bypass the caches of {context.machine.name}"


def _has_intrinsics(context: RuleContext) -> bool:
    simd = context.machine.simd
    return simd is not None and simd.isa.startswith(X86)


def _library_call(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    operations = {v.op for s in facts.kernel.statements for v in s.values}
    loaded = [stream for stream in facts.streams if stream.reads]
    plain = operations <= {"load", "store", "const", "scalar"} and len(loaded) <= 1
    if plain and all(stream.pattern == "contiguous" for stream in loaded):
        name = "memcpy" if loaded else "memset"
        return f"compilers replace it by a call of {name}, which selects its stores by size"
    return ""


def _read_soon(match: Match, context: RuleContext) -> str:
    facts = kernel_of(match, context)
    last = last_level(context, facts)
    behind = [
        other for other in context.facts if other.kernel.loops[-1] is not facts.kernel.loops[-1]
    ]
    for name in match.names:
        for other in behind:
            shares = other.kernel.loops[0] is facts.kernel.loops[0]
            read = any(s.array == name and s.reads for s in other.streams)
            if shares and read and _per_pass(context, facts, name) <= last.capacity_bytes:
                return f"{name} is read again inside the same outer loop"
    return ""


def _write_bound(match: Match, context: RuleContext) -> str:
    """Streaming stores are no faster than the path that all lines take to memory."""
    kernel = context.kernel(kernel_of(match, context))
    last, rate = kernel.traffic.links[-1], context.machine.memory.write_gb_s
    moved = kernel.rates.of(kernel.traffic).get(last.link)
    if rate is None or moved is None or last.evict_bytes <= 0:
        return ""
    shared = context.machine.caches[-1].shared_by_cores
    writing = last.evict_bytes / (rate * ceil(kernel.cores / shared))
    moving = last.total_bytes / moved.gb_s
    if moving >= WORTHWHILE * writing:
        return ""
    return (
        f"{last.evict_bytes:.3g} B per iteration at {rate:g} GB/s of stores take as long as all"
        f" {last.total_bytes:.3g} at {moved.gb_s:.3g}"
    )


def _divides(match: Match, context: RuleContext) -> str:
    loop = context.sites[match.place].loop
    for atom in _atoms_of_values(loop):
        if isinstance(atom, PolyFunction) and atom.kind in DIVISIONS:
            dividend, divisor = atom.operands
            if divisor.value is None and loop.index in dividend.names():
                return f"each iteration divides integers: {dividend} by {divisor}"
    return ""


def _atoms_of_values(loop: Loop) -> Iterator[Atom]:
    for statement in statements_of(loop):
        for value in statement.values:
            if value.closed_form is not None:
                yield from value.closed_form.atoms()


def _per_pass(context: RuleContext, facts: KernelFacts, name: str) -> float:
    trips = context.kernel(facts).traffic.space.trips
    return sum(
        [s.element_bytes * len(s.references) * trips[-1] for s in facts.streams if s.array == name]
    )


class WriteAllocate(RuleDefaults):
    code = "RL105"
    slug = "write-allocate"
    summary = "lines that are only written are read from memory first"
    models = ("ecm", "roofline")
    needs = ("caches",)
    guards = (
        Guard("in-cache", "the array stays in the last level of cache", _in_cache),
        Guard("evaded", "the machine evades write-allocates, or cannot", _evaded),
        Guard("no-such-store", "the compiler ignores requests for such stores", _no_such_store),
        Guard("library-call", "the loop becomes memset or memcpy", _library_call),
        Guard("write-bound", "the path of stores to memory is as busy without the reads",
              _write_bound),
        Guard("divides", "an integer division takes longer than the lines", _divides),
        Guard("read-soon", "the lines are read again before they leave the caches", _read_soon),
    )  # fmt: skip

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
                "bypassing the caches",
                partial(store_past_caches, loop=site.name, arrays=names),
                fix=partial(_fix, context, site, filled),
                action=Action(ActionKind.OTHER, "streaming stores"),
            ),
        ),
        key=said,
        names=names,
    )


class _Filled(NamedTuple):
    """An array that the loop fills: ``first`` is what an iteration stores to, as C has it."""

    name: str
    kind: str
    first: str

    @property
    def size(self) -> int:
        return BYTES[self.kind]

    @property
    def element(self) -> str:
        unsigned = "u" if self.kind.startswith("u") else ""
        return C_TYPES.get(self.kind, f"{unsigned}int{8 * self.size}_t")


def _fix(
    context: RuleContext, site: Site, filled: list[Stream], result: ChangedFunction
) -> Fix | None:
    """Code for x86: gcc and clang obey no pragma there, and clang its own builtin only for vectors
    that it can prove aligned. A line is computed first, so that this part stays vector code."""
    kinds = {array.name: array.type for array in context.function.arrays}
    firsts = {s.array: words_of(access_of(site.loop, s)).lstrip("*") for s in reversed(filled)}
    arrays = [
        _Filled(stream.array.lstrip("*"), kinds.get(stream.array, ""), firsts[stream.array])
        for stream in {each.array: each for each in filled}.values()
    ]
    title = f"store {', '.join([each.name for each in arrays])} with streaming stores"
    if not _has_intrinsics(context):
        calls = [f"__builtin_nontemporal_store(..., &{a.first}); // = ...;" for a in arrays]
        return Fix("sketch", title, sketch="\n".join(calls))
    if any(each.kind not in PLAIN for each in arrays):
        return Fix("sketch", title)
    code = _code(arrays, context.machine.line_bytes, _rolled(context, site.loop))
    return Fix("sketch", title, sketch="\n".join(code))


def _rolled(context: RuleContext, loop: Loop) -> str:
    """The directive that a loop over a line needs; empty where it needs none."""
    return ROLLED if context.compiler.traits.unrolls_first and _mixes_sizes(loop) else ""


def _mixes_sizes(loop: Loop) -> bool:
    """Whether the elements that an iteration loads and stores differ in size."""
    return len({access.bytes for s in statements_of(loop) for access in s.accesses}) > 1


def _code(arrays: list[_Filled], line_bytes: int, rolled: str) -> Iterator[str]:
    yield "#include <immintrin.h>"
    yield "#include <stdint.h>"
    for kind, each in {array.kind: array for array in arrays}.items():
        store = STREAM.get(kind, STREAM_INTEGERS)
        of = each.element
        yield f"static inline void stream_line_{kind}({of} *to, const {of} *line)"
        count, step = line_bytes // each.size, REGISTER_BYTES // each.size
        yield f"{{\n  for (int k = 0; k < {count}; k += {step})\n    {store}\n}}"
    names = ", ".join([array.name for array in arrays])
    yield f"// a line at a time, from a {REGISTER_BYTES} B boundary of {names} on:"
    for each in arrays:
        count, line = line_bytes // each.size, f"{each.name}_line"
        yield f"//   _Alignas({REGISTER_BYTES}) {each.element} {line}[{count}];"
        if rolled:
            yield f"//   {rolled}"
        yield f"//   for (int k = 0; k < {count}; k++) {line}[k] = ...; // as it is, k further on"
        yield f"//   stream_line_{each.kind}(&{each.first}, {line});"
    yield "// plain stores before the first boundary and for the rest; _mm_sfence() after the loop"
