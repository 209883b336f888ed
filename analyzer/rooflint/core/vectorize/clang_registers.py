"""General registers that addresses take: they limit how many vectors LLVM keeps in flight.

Before its last passes a loop has an instruction for each address, and LLVM counts those whose
values live at once, with the values from before the loop (RegisterUsage of LoopVectorize,
``calculateRegisterUsage``). Arguments do not count there, nor do constants; starts of rows do.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sized
from typing import Final, TypeVar

from rooflint.core.graph.values import GraphNode
from rooflint.core.vectorize.vectorizer import VectorLoop
from rooflint.ir import Poly
from rooflint.records import NamedTuple

GENERAL_REGISTERS: Final = (31, 16)
"""Of AArch64 and of x86-64 (TargetTransformInfo::getNumberOfRegisters)."""
INDEX_AND_ADDRESS: Final = 2
"""Values that live at each load and store."""

Key = TypeVar("Key")
Member = TypeVar("Member")


class _RowStart(NamedTuple):
    """An address up to its last subscript."""

    array: str
    prefix: tuple[Poly, ...]


class _LastSubscript(NamedTuple):
    """The last subscript: the index, times ``factor``, and ``rest`` and a constant beside it."""

    factor: Poly
    rest: Poly
    constant: int


class _ElementAddress(NamedTuple):
    row: _RowStart
    subscript: _LastSubscript


def bodies_in_registers(loop: VectorLoop) -> int:
    """The bodies whose addresses fit into the general registers at once."""
    usage = _AddressUsage(loop)
    free = GENERAL_REGISTERS[loop.target.x86] - len(usage.invariant()) - 1
    return max(1, free // max(1, usage.most_live() - 1))


class _AddressUsage:
    """The addresses of a loop's loads and stores, in the order of the program.

    values  subscripts that several instructions need, which the loop computes
    based   rows with several constants beside one subscript: an address of their own
    """

    def __init__(self, loop: VectorLoop) -> None:
        self.own, self.arrays = loop.kernel.loops[-1], loop.arrays
        nodes = loop.graph.nodes
        moved = [n for n in loop.graph.accesses("load", "store") if n not in loop.kept]
        self.addresses = [self._address_of(nodes[number]) for number in moved]
        shared = self._shared()
        self.based = self._based(shared)
        users = _grouped((_begin(a).subscript, self._user(a, shared)) for a in self.addresses)
        self.values = set(filter(self._is_computed, shared | _with_several(users)))

    def _shared(self) -> set[_LastSubscript]:
        """The subscripts of several rows."""
        return _with_several(_grouped((a.subscript, a.row) for a in self.addresses))

    def _based(self, shared: Container[_LastSubscript]) -> set[_ElementAddress]:
        """The addresses beside which others lie that differ in a constant only."""
        alone = [a for a in self.addresses if a.subscript not in shared and self._moves(a)]
        return _with_several(_grouped((_begin(a), a.subscript.constant) for a in alone))

    def _address_of(self, node: GraphNode) -> _ElementAddress:
        access, index = node.access, self.own.index
        assert access is not None
        if not access.subscripts:
            return _ElementAddress(
                _RowStart(access.array, ()), _LastSubscript(Poly.constant(1), Poly({}), 0)
            )
        *prefix, last = access.subscripts
        factor = last.coefficient(index)
        if factor is None:
            return _ElementAddress(
                _RowStart(access.array, tuple(prefix)), _LastSubscript(Poly({}), last, 0)
            )
        rest = last - factor * Poly.symbol(index)
        constant = rest.terms.get((), 0)
        subscript = _LastSubscript(factor, rest - constant, constant)
        return _ElementAddress(_RowStart(access.array, tuple(prefix)), subscript)

    def _is_next(self, subscript: _LastSubscript) -> bool:
        """Whether it is the index of the next iteration, which each iteration computes."""
        return not subscript.rest and 0 != subscript.constant == self.own.step.value

    def _moves(self, address: _ElementAddress) -> bool:
        return not self._is_next(address.subscript) and not self._is_fixed(address.row.array)

    def _user(self, address: _ElementAddress, shared: Container[_LastSubscript]) -> object:
        """The value that needs the subscript without its constant: a row, or another subscript."""
        return address.subscript if address.subscript in shared else address.row

    def _is_fixed(self, array: str) -> bool:
        """Whether all extents but the first are constants, so that one instruction takes all
        subscripts."""
        extents = self.arrays[array].extents if array in self.arrays else ()
        return len(extents) > 1 and all(e is not None and e.value is not None for e in extents[1:])

    def _is_computed(self, subscript: _LastSubscript) -> bool:
        """Whether it is more than the index of this iteration or the next."""
        if subscript.factor.value != 1 or subscript.rest:
            return True
        return subscript.constant not in (0, self.own.step.value)

    def invariant(self) -> set[object]:
        """The values from before the loop: its end, starts of rows, and parts of subscripts."""
        found: set[object] = set()
        if self.own.upper.value is None:
            found.add(None)
        for address in self.addresses:
            found.update(self._starts(address))
        return found

    def _starts(self, address: _ElementAddress) -> Iterator[object]:
        row = address.row
        if self._is_fixed(row.array):
            yield from [each for each in row.prefix if each.value is None]
        elif row.prefix or self._is_loaded(row.array):
            yield row
        yield from self._parts(address)

    def _parts(self, address: _ElementAddress) -> Iterator[object]:
        """The part of a subscript, or of an address, that does not change in the loop."""
        subscript, begin = address.subscript, _begin(address)
        if {subscript, begin.subscript} & self.values:
            yield from [subscript.rest] if subscript.rest else []
        elif begin in self.based:
            yield from [begin] if subscript.rest else []
        elif subscript.rest or (self._is_computed(subscript) and self._moves(address)):
            yield address

    def _is_loaded(self, array: str) -> bool:
        """Whether its pointer is neither an argument nor the address of an object."""
        known = self.arrays.get(array)
        return known is None or known.storage not in ("parameter", "global")

    def most_live(self) -> int:
        """The most values of an iteration that live at a load or store."""
        spans = self._spans()
        live = [
            sum(span[0] <= time < span[1] for value, span in spans.items() if value != address)
            for time, address in enumerate(self.addresses)
        ]
        return INDEX_AND_ADDRESS + max(live, default=0)

    def _spans(self) -> dict[object, list[int]]:
        """The first and the last access for which a value is needed; the last address that needs
        one is computed before its load."""
        spans: dict[object, list[int]] = {}
        for time, address in enumerate(self.addresses):
            for value in self._values(address):
                spans.setdefault(value, [time, time])[1] = time
        if None in spans:  # the end of the loop tests the next index
            spans[None][1] = len(self.addresses)
        return spans

    def _values(self, address: _ElementAddress) -> Iterator[object]:
        """The values of the loop that make an address; None for the index of the next iteration."""
        subscript, begin = address.subscript, _begin(address)
        if self._is_next(subscript):
            yield None
            return
        yield from {subscript, begin.subscript} & self.values
        if subscript not in self.values and begin in self.based:
            yield begin


def _begin(address: _ElementAddress) -> _ElementAddress:
    """The address without its constant."""
    return address._replace(subscript=address.subscript._replace(constant=0))


def _grouped(pairs: Iterable[tuple[Key, Member]]) -> dict[Key, set[Member]]:
    found: dict[Key, set[Member]] = {}
    for key, member in pairs:
        found.setdefault(key, set()).add(member)
    return found


def _with_several(groups: Mapping[Key, Sized]) -> set[Key]:
    """The keys of groups of two members and more."""
    return {key for key, members in groups.items() if len(members) > 1}
