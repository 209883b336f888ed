"""Names in the IR of one function: its variables, and the symbols of its closed forms."""

from collections.abc import Iterable, Mapping, Sequence

from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.ir import DataSize, Poly, Reason, SourceForm, SourceName, Unknown
from rooflint.ir.poly import Atom, PolyFunction
from rooflint.ir.written import form_text, without_marks
from rooflint.records import NamedTuple


class VariableNames:
    """The names of variables and of members that count as variables, distinct in the function.

    ``named`` has every declaration that has been given a name; ``member_fields`` maps the key of a
    member that is a variable of its own to the key of its declaration.
    """

    def __init__(self, unit: TranslationUnitContext) -> None:
        self._unit = unit
        self.named: dict[tuple[str, int], Decl] = {}
        self.member_fields: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._members: dict[str, int] = {}
        self._claimed: list[str] = []

    def name(self, decl: Decl) -> str:
        """The declaration's name, distinct from every other declaration's in this function."""
        name = decl.name or "unnamed"
        if self._names.setdefault(name, decl.key) != decl.key:
            number = 2
            while self._names.setdefault(f"{decl.name}'{number}", decl.key) != decl.key:
                number += 1
            name = f"{decl.name}'{number}"
        self.named[name, decl.key] = decl
        return name

    def variable_named(self, name: str) -> Decl | None:
        """The variable that has the name at present."""
        return self._unit.known(self._names.get(name, 0))

    def claim(self, decl: Decl) -> str:
        """The name of a variable declared here; free again when its block ends."""
        name = self.name(decl)
        self._claimed.append(name)
        return name

    def mark(self) -> int:
        """The beginning of a block, for ``release``."""
        return len(self._claimed)

    def release(self, mark: int) -> None:
        """Frees the names claimed since ``mark``."""
        if len(self._claimed) > mark:
            for name in self._claimed[mark:]:
                self._names.pop(name, None)
            del self._claimed[mark:]

    def rank(self, key: int) -> tuple[str, bool, str, int, int]:
        """Puts variables in an order that depends neither on the addresses their keys are nor on
        other functions."""
        decl = self._unit.known(key)
        if decl is None:
            return self.name_of(key), False, "", -key, 0
        file, offset = self._unit.source.place_of(decl.cursor)
        return decl.name, decl.kind == kinds.FIELD, file, offset, decl.number

    def name_of(self, key: int) -> str:
        """The name given to the variable of that key."""
        for table in (self._names, self._members):
            for name, owner in table.items():
                if owner == key:
                    return name
        return "a variable"

    def present_name(self, decl: Decl) -> str:
        """The name that the declaration has been given, or else its own."""
        if self._names.get(decl.name) == decl.key:
            return decl.name
        return next((n for n, owner in self._names.items() if owner == decl.key), decl.name)

    def has_member(self, name: str) -> bool:
        """Whether the member has a key already."""
        return name in self._members

    def next_member(self) -> int:
        """The key that the next member gets: negative, unlike those of declarations."""
        return -1 - len(self._members)

    def member(self, name: str, field: Decl) -> int:
        """The key of a member of a record that does not move; ``field`` is its declaration."""
        key = self._members.setdefault(name, self.next_member())
        self.member_fields[key] = field.key
        return key


class StepRange(NamedTuple):
    """A value between ``base + least`` and ``base + most``."""

    base: Poly
    least: int
    most: int

    def joined(self, other: "StepRange") -> "StepRange | None":
        """Either of two values that begin alike."""
        if self.base != other.base:
            return None
        least, most = min(self.least, other.least), max(self.most, other.most)
        return StepRange(base=self.base, least=least, most=most)

    def moved(self, step: int) -> "StepRange":
        """The value ``step`` further."""
        return StepRange(base=self.base, least=self.least + step, most=self.most + step)


class HeldScalar(NamedTuple):
    """A scalar of the IR, by name and key."""

    name: str
    key: int
    type: str


class HeldPart(NamedTuple):
    """A sum: so many times what a scalar holds, and the rest."""

    scalar: HeldScalar
    times: int
    rest: Poly


def _only_unknown(poly: Poly) -> Unknown | None:
    """The unknown value that a polynomial is; None for any other."""
    if len(poly.terms) != 1:
        return None
    ((monomial, coefficient),) = poly.terms.items()
    if coefficient == 1 and len(monomial) == 1 and isinstance(monomial[0], Unknown):
        return monomial[0]
    return None


class SymbolTable:
    """The symbols of closed forms: size parameters, loop indices, values that nobody knows.

    ``active`` are the indices of the loops around. ``stated`` maps a variable to what statements
    last said that it holds; ``set_by_call`` are the sizes that a callee has set through a pointer.
    """

    def __init__(self) -> None:
        self.active: list[str] = []
        self.stated: dict[int, Poly] = {}
        self.set_by_call: set[str] = set()
        self._sizes: set[str] = set()
        self._indices: set[str] = set()
        self._texts: dict[str, int] = {}
        self._types: dict[str, str] = {}
        self._scalars: dict[Unknown, HeldScalar] = {}
        self._held: dict[Poly, HeldScalar] = {}
        self._steps: dict[Unknown, StepRange | None] = {}

    def enter(self, indices: Sequence[str]) -> None:
        """Lowering goes on inside loops of these indices."""
        self.active += indices

    def leave(self, indices: Sequence[str]) -> None:
        """Lowering goes on behind the loops entered last."""
        del self.active[len(self.active) - len(indices) :]

    def fresh(self, name: str) -> str:
        """A symbol for a variable that changes in a loop: not a size, not an enclosing index."""
        chosen, number = name, 1
        while chosen in self._sizes or chosen in self.active:
            number += 1
            chosen = f"{name}'{number}"
        self._indices.add(chosen)
        return chosen

    def size(self, name: str) -> Poly:
        """The size parameter ``name``; never one of the names that loops of this function use."""
        chosen, number = name, 1
        while chosen in self._indices:
            number += 1
            chosen = f"{name}'{number}"
        self._sizes.add(chosen)
        return Poly.symbol(chosen)

    def data_size(self, form: SourceForm) -> Poly:
        """The size parameter that is named by its source text."""
        return self.size(form_text(form)) if len(form) == 1 else Poly.symbol(DataSize(form))

    def variable(self, name: str, reason: Reason, depends: Iterable[str] | None = None) -> Poly:
        """The value of a variable that has no closed form."""
        return self.unknown((SourceName(name),), reason, depends)

    def unknown(
        self, form: SourceForm, reason: Reason, depends: Iterable[str] | None = None
    ) -> Poly:
        """A value without closed form; a size parameter when no loop around changes it."""
        depends = self.active if depends is None else depends
        form = without_marks(form)
        varies = tuple(sorted(name for name in set(depends) if name in self.active))
        if not varies:
            return self.data_size(form)
        return Poly.symbol(Unknown(form, reason, varies))

    def distinct(self, form: SourceForm) -> SourceForm:
        """``text``, or the first of ``text'2``, ``text'3`` ... that is not in use."""
        text = form_text(form)
        number = self._texts[text] = self._texts.get(text, 0) + 1
        return form if number == 1 else (*form, f"'{number}")

    def state(self, key: int, poly: Poly) -> None:
        """Records that a statement gives the variable this value."""
        self.stated[key] = poly

    def note_set_by_call(self, poly: Poly) -> None:
        """Records that a callee has set the value that ``poly`` names."""
        self.set_by_call |= poly.names() - set(self.active)

    def note_type(self, symbol: str, type_: str) -> None:
        """Remembers the type of the variable that ``symbol`` stands for."""
        self._types[symbol] = type_

    def types_of(self, poly: Poly) -> list[str]:
        """The types of the variables in a closed form, as far as they are known."""
        return [type_ for atom in poly.atoms() for type_ in self._types_of_atom(atom)]

    def _types_of_atom(self, atom: Atom) -> list[str]:
        """A scalar's own type stands for those of the variables that its value depends on."""
        if isinstance(atom, PolyFunction):
            return [type_ for operand in atom.operands for type_ in self.types_of(operand)]
        if isinstance(atom, str):
            return [self._types[atom]] if atom in self._types else []
        scalar = self._scalars.get(atom)
        if scalar is not None:
            return [scalar.type]
        return [self._types[name] for name in sorted(atom.depends) if name in self._types]

    def note_scalar(self, poly: Poly, name: str, key: int, type_: str) -> None:
        """Remembers that a closed form with an unknown value is what the scalar ``name`` holds."""
        scalar = HeldScalar(name=name, key=key, type=type_)
        unknown = _only_unknown(poly)
        if unknown is not None:
            self._scalars.setdefault(unknown, scalar)
        elif poly.unknowns():
            self._held[poly] = scalar

    def note_choice(self, chosen: Poly, either: Poly, other: Poly) -> None:
        """Remembers that ``chosen`` is either of two values, the steps from their common start."""
        unknown = _only_unknown(chosen)
        if unknown is None:
            return
        left, right = self._steps_of(either), self._steps_of(other)
        joined = None if left is None or right is None else left.joined(right)
        if unknown in self._steps:
            known = self._steps[unknown]
            joined = None if known is None or joined is None else known.joined(joined)
        self._steps[unknown] = joined

    def pace(self, symbol: str, after: Poly) -> int:
        """The largest step of a variable that was ``symbol``, all in one direction; else 0."""
        steps = self._steps_of(after)
        for unknown in [
            u for u, each in self._steps.items() if each and symbol in each.base.names()
        ]:
            del self._steps[unknown]
        if steps is None or steps.base != Poly.symbol(symbol) or steps.least < 0 < steps.most:
            return 0
        return steps.most or steps.least

    def bounded(self, value: Poly, *, pace: int = 0, limit: int = 0) -> Poly:
        """The unknown value as one that moves by at most ``pace`` in an iteration, or is one of
        ``limit`` neighbouring numbers."""
        unknown = _only_unknown(value) if pace or limit else None
        if unknown is None:
            return value
        return Poly.symbol(unknown._replace(pace=pace, limit=limit))

    def _steps_of(self, poly: Poly) -> "StepRange | None":
        constant = poly.terms.get((), 0)
        base = poly - constant
        unknown = _only_unknown(base)
        if unknown is None:
            return StepRange(base=base, least=constant, most=constant)
        found = self._steps.get(unknown)
        return None if found is None else found.moved(constant)

    def scalar_of(self, poly: Poly, env: Mapping[int, object]) -> "HeldScalar | None":
        """The scalar that holds a closed form with an unknown value; a sum only where ``env`` says
        that nothing has changed it since."""
        held = self._held.get(poly)
        if held is not None and env.get(held.key) == poly:
            return held
        unknown = _only_unknown(poly)
        return None if unknown is None else self._scalars.get(unknown)

    def part_of(self, poly: Poly, env: Mapping[int, object]) -> "HeldPart | None":
        """The part of a sum that a scalar holds, where the rest has fewer unknown values."""
        unknowns = frozenset(poly.unknowns())
        best, fewest = None, (len(unknowns), 0)
        for held, scalar in self._held.items() if unknowns else ():
            own = held.unknowns()
            if env.get(scalar.key) == held and unknowns.issuperset(own):
                leading = next(each for each in held.terms if Poly({each: 1}).unknowns())
                times = poly.terms.get(leading, 0) // held.terms[leading]
                rest = poly - held * times
                left = len(frozenset(rest.unknowns()) & unknowns), -len(own)
                if times and left < fewest and left[0] < len(unknowns):
                    best, fewest = HeldPart(scalar=scalar, times=times, rest=rest), left
        return best
