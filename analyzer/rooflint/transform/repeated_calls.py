"""Calls that every iteration makes again: the length of a string, and an allocation of one size."""

from collections.abc import Collection, Iterator
from typing import Final

from msgspec.structs import replace

from rooflint.dependence import Assumption, memory_of, references_in, unproven
from rooflint.dependence.alias import MemoryReference
from rooflint.ir import (
    UNCOUNTED,
    Call,
    Function,
    IdentityKey,
    Loop,
    Statement,
    Value,
    literal_number,
    walk,
)
from rooflint.ir.definitions import changed_integers
from rooflint.records import NamedTuple
from rooflint.transform.nest.graph import sets_scalar
from rooflint.transform.nest.rewrite import statements_in
from rooflint.transform.nest.tree import insert_before, replace_nodes, site_of
from rooflint.transform.result import ChangedFunction, RefusalError, change, done

LENGTHS: Final = frozenset(("strlen", "wcslen"))
"""Functions that count the characters of a string up to its terminator, and do nothing else."""
_COUNTING: Final = frozenset(("call", "index", "const", "scalar", "convert", "compare"))
"""Operations of a condition that only compares with a length."""


def condition_length(loop: Loop) -> Call | None:
    """The call that counts a string's characters before each iteration, to end the loop there."""
    if UNCOUNTED not in loop.exits or len(loop.body) < 2:
        return None
    call, condition = loop.body[:2]
    if not isinstance(call, Call) or not isinstance(condition, Statement):
        return None
    is_length = call.name.removeprefix("std::") in LENGTHS and len(call.arrays) == 1
    return call if is_length and _compares_result(condition, call.name) else None


def _compares_result(condition: Statement, name: str) -> bool:
    """Whether straight code only compares the result of one call."""
    operations = [value.op for value in condition.values]
    called = [value.callee for value in condition.values if value.op == "call"]
    compares = operations[-1:] == ["compare"] and operations.count("compare") == 1
    return compares and called == [name] and _COUNTING.issuperset(operations)


@change
def count_once(function: Function, loop: str) -> ChangedFunction:
    """The length before the loop, whose condition then only compares.

    Assumes nothing about the loop's own stores into the string, of which a 0 would end it: whoever
    proposes the change has to name that condition.
    """
    site = site_of(function, loop)
    own = site.loop
    call = condition_length(own)
    if call is None:
        raise RefusalError(f"the condition of {loop} counts no string")
    (text,) = call.arrays
    moves = text in changed_integers((own,)) or sets_scalar(own, text)
    if moves or any(each.name == text for each in own.extra_inductions):
        raise RefusalError(f"{text} is another string in each iteration")
    if _writes_terminator(own, text):
        raise RefusalError(f"the loop ends {text} elsewhere")
    exits = tuple([way for way in own.exits if way != UNCOUNTED])
    counted = replace(own, body=own.body[2:], exits=exits, condition_reads=())
    new = replace_nodes(function, site.path, counted)
    new = insert_before(new, site.path, call)
    return done(new, "count_once", loop, assumes=length_changers(function, own, call))


def stores_into(loop: Loop, text: str) -> bool:
    """Whether the loop stores into the string by the name that its length is asked of."""
    return any(a.write and a.array == text for s in statements_in(loop.body) for a in s.accesses)


def length_changers(function: Function, loop: Loop, call: Call) -> tuple[Assumption, ...]:
    """Conditions for each iteration to find the same length: one assumption for each store by
    another name, and each call, that might change it.
    """
    (text,) = call.arrays
    memory = memory_of(function)
    written = references_in((loop,), memory).written
    array = memory.arrays.get(text)
    read = MemoryReference(text, array.type if array is not None else "i8")
    others = {
        node.name: None
        for node in walk(loop.body)
        if isinstance(node, Call) and node is not call and node.effects != "none"
    }
    return (
        *unproven(written, (read,), memory),
        *[f"{name} leaves {text} as it is" for name in others],
    )


def _writes_terminator(loop: Loop, text: str) -> bool:
    """Whether a store surely puts a 0 into the string."""
    return any(
        literal_number(node.values[value.args[0]]) == 0
        for node in statements_in(loop.body)
        for value in node.values
        if value.op == "store" and node.accesses[value.access].array == text
    )


RELEASES: Final = {
    "malloc": "free", "aligned_alloc": "free", "memalign": "free", "valloc": "free",
    "_mm_malloc": "_mm_free",
}  # fmt: skip
"""Allocators that leave the memory as it is, and what frees theirs."""
UNKNOWN_SIZE: Final = "?"
"""Stands for what a size without a closed form is made of."""
_ENDS: Final = frozenset(("continue", "jump"))
"""Exits that pass no release by for good."""


class AllocationPair(NamedTuple):
    """Memory that an iteration allocates and frees.

    array      the memory, as the IR calls it
    arguments  the statements of the loop's body that compute what both calls are handed
    """

    array: str
    allocation: Call
    release: Call
    arguments: tuple[Statement, ...]


def allocation_pair(loop: Loop) -> AllocationPair | None:
    """The one allocation of a loop's body that the same iteration frees."""
    made, freed = _calls(loop, RELEASES), _calls(loop, RELEASES.values())
    if len(made) != 1 or len(freed) != 1 or made[0] > freed[0]:
        return None
    allocation, release = loop.body[made[0]], loop.body[freed[0]]
    assert isinstance(allocation, Call)
    assert isinstance(release, Call)
    if RELEASES[allocation.name] != release.name or len(release.arrays) != 1:
        return None
    return AllocationPair(
        array=release.arrays[0],
        allocation=allocation,
        release=release,
        arguments=(*_arguments(loop, made[0]), *_arguments(loop, freed[0])),
    )


@change
def allocate_once(function: Function, loop: str) -> ChangedFunction:
    """The allocation before the loop; all iterations use the memory.

    Refused where the size changes from one iteration to the next.
    """
    site = site_of(function, loop)
    own = site.loop
    pair = allocation_pair(own)
    if pair is None:
        raise RefusalError(f"no iteration of {loop} frees what it allocates")
    leaves = next((way for way in own.exits if way not in _ENDS), "")
    if leaves:
        raise RefusalError(f"{loop} can be left by {leaves}")
    _require_steady_size(own, pair)
    moved = {IdentityKey(node) for node in (pair.allocation, pair.release, *pair.arguments)}
    body = tuple([node for node in own.body if IdentityKey(node) not in moved])
    new = replace_nodes(function, site.path, replace(own, body=body), pair.release)
    new = insert_before(new, site.path, pair.allocation)
    return done(new, "allocate_once", loop)


def _calls(loop: Loop, names: Collection[str]) -> list[int]:
    found = enumerate(loop.body)
    return [k for k, node in found if isinstance(node, Call) and node.name in names]


def _arguments(loop: Loop, call: int) -> Iterator[Statement]:
    """The statements behind a call that compute what it is handed: their values go nowhere."""
    for node in loop.body[call + 1 :]:
        if not isinstance(node, Statement) or node.values[-1].op in ("assign", "store"):
            return
        yield node


def _require_steady_size(loop: Loop, pair: AllocationPair) -> None:
    named = {name for size in pair.allocation.integers for name in size.mentions()}
    values = [value for statement in pair.arguments for value in statement.values]
    for value in values:
        named.update(_names(value))
    loads = any(value.op == "load" for value in values)
    if loads or any(_varies(loop, name) for name in named):
        raise RefusalError(f"the size of {pair.array} may change from one iteration to the next")


def _varies(loop: Loop, name: str) -> bool:
    """Whether a name may stand for another value in each iteration."""
    if name in (UNKNOWN_SIZE, loop.index) or name in changed_integers((loop,)):
        return True
    return sets_scalar(loop, name)


def _names(value: Value) -> Collection[str]:
    """The scalars and indices of a value that has no operands."""
    if value.op == "index":
        return {UNKNOWN_SIZE} if value.closed_form is None else value.closed_form.mentions()
    return {value.name} if value.op in ("scalar", "carried") else ()
