"""Whether affine equalities and inequalities can hold together for integers.

Equalities are solved with the GCD test, inequalities by Fourier–Motzkin elimination with integer
tightening. The answer is one-sided: False is proof that no integers satisfy all of them, True says
no proof was found. W. Pugh: The Omega Test. Supercomputing 1991, sections 2.1 to 2.3.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from math import gcd
from typing import TypeAlias

from rooflint.ir import Poly, Reason, Unknown, plain
from rooflint.ir.poly import Monomial, PolyFunction, names_of
from rooflint.ir.terms import Form, combine_forms, scale_form
from rooflint.records import NamedTuple

MAX_INEQUALITIES = 300
_Left: TypeAlias = tuple[tuple[str, int], ...]
"""Names and their coefficients, sorted."""
TIMES = "·"
"""Between the factors of a product that counts as one unknown number."""


class NotLinearError(ArithmeticError):
    """A polynomial has no affine form, for a ``reason``."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


def is_feasible(equal: Iterable[Form], at_least: Iterable[Form]) -> bool:
    """Whether integers may exist with ``form == 0`` and ``form >= 0`` for all forms of each."""
    inequalities = _solved(list(equal), list(at_least))
    return inequalities is not None and _hold_together(inequalities)


class SplitSystem:
    """Equations and inequalities, in parts that have no name in common.

    All hold together where each part does. Further forms ask anew only the parts that they name,
    and each combination is asked once.
    """

    def __init__(self, equal: Iterable[Form], at_least: Iterable[Form]) -> None:
        parts = _joined([_Part(_names(form.form), (form,)) for form in _typed(equal, at_least)])
        self._parts = [part.forms for part in parts]
        self._part_of = {name: n for n, part in enumerate(parts) for name in part.names}
        self._answers: dict[object, bool] = {}

    def is_feasible_with(self, equal: Iterable[Form], at_least: Iterable[Form]) -> bool:
        """Whether integers may exist for all forms, these and those of the system."""
        groups = _joined([self._numbered(form) for form in _typed(equal, at_least)])
        named = frozenset[object]().union(*[group.names for group in groups])
        untouched = [n for n in range(len(self._parts)) if n not in named]
        return all(map(self._group_holds, groups)) and all(map(self._part_holds, untouched))

    def _numbered(self, typed: "_TypedForm") -> "_Part":
        """A further form; of names in parts, their numbers stand for them."""
        names = [self._part_of.get(name, name) for name in _names(typed.form)]
        return _Part(frozenset(names), (typed,))

    def _group_holds(self, group: "_Part") -> bool:
        key = frozenset([(each.is_zero, frozenset(each.form.items())) for each in group.forms])
        answer = self._answers.get(key)
        if answer is None:
            touched = [forms for n, forms in enumerate(self._parts) if n in group.names]
            answer = self._answers[key] = _hold([*chain.from_iterable(touched), *group.forms])
        return answer

    def _part_holds(self, number: int) -> bool:
        answer = self._answers.get(number)
        if answer is None:
            answer = self._answers[number] = _hold(self._parts[number])
        return answer


class _TypedForm(NamedTuple):
    """A form that is zero, or else at least zero."""

    is_zero: bool
    form: Form


class _Part(NamedTuple):
    """Forms, and what they name."""

    names: frozenset[object]
    forms: tuple[_TypedForm, ...]


def _typed(equal: Iterable[Form], at_least: Iterable[Form]) -> list[_TypedForm]:
    return [*[_TypedForm(True, form) for form in equal], *[_TypedForm(False, f) for f in at_least]]


def _names(form: Form) -> frozenset[object]:
    return frozenset(form.keys() - {""})


def _joined(parts: Iterable[_Part]) -> list[_Part]:
    """The parts, those with a name in common as one."""
    found: list[_Part] = []
    for part in parts:
        shared = [each for each in found if not each.names.isdisjoint(part.names)]
        names = part.names.union(*[each.names for each in shared])
        forms = [form for each in (*shared, part) for form in each.forms]
        found = [each for each in found if each.names.isdisjoint(part.names)]
        found.append(_Part(names, tuple(forms)))
    return found


def _hold(forms: Iterable[_TypedForm]) -> bool:
    equal: list[Form] = []
    at_least: list[Form] = []
    for is_zero, form in forms:
        (equal if is_zero else at_least).append(form)
    return is_feasible(equal, at_least)


def _solved(equations: list[Form], inequalities: list[Form]) -> list[Form] | None:
    """The inequalities without the names that equations decide; None where no integers solve them.
    The GCD test: a sum of multiples of g is a multiple of g."""
    while equations:
        form = equations.pop(_simplest(equations))
        factors = _factors(form)
        constant = form.get("", 0)
        if constant % gcd(*factors.values()) if factors else constant:
            return None
        if factors:
            name = min(factors, key=lambda n: abs(factors[n]))
            equations = [_without(other, form, name) for other in equations]
            inequalities = [_without(other, form, name) for other in inequalities]
    return inequalities


def _factors(form: Form) -> Form:
    return {name: c for name, c in form.items() if name and c}


def _simplest(equations: list[Form]) -> int:
    def weight(position: int) -> tuple[int, int]:
        sizes = [abs(c) for c in _factors(equations[position]).values()]
        return (min(sizes, default=0), len(sizes))

    return min(range(len(equations)), key=weight)


def _without(other: Form, equation: Form, name: str) -> Form:
    a, c = other.get(name, 0), equation[name]
    if not a:
        return other
    return combine_forms(other, abs(c), equation, -a if c > 0 else a)


def _hold_together(inequalities: list[Form]) -> bool:
    """Fourier–Motzkin elimination; True where it would take too many inequalities."""
    kept = _tightened(inequalities)
    while kept is not None:
        kept = _two_sided(kept)
        if not kept:
            return True
        name = _cheapest_name(kept)
        forms = [{**dict(key), "": constant} for key, constant in kept.items()]
        rest = [form for form in forms if name not in form]
        low = [form for form in forms if form.get(name, 0) > 0]
        high = [form for form in forms if form.get(name, 0) < 0]
        if len(rest) + len(low) * len(high) > MAX_INEQUALITIES:
            return True
        rest += [
            combine_forms(below, -above[name], above, below[name])
            for below in low
            for above in high
        ]
        kept = _tightened(rest)
    return False


def _sides(kept: Iterable[_Left]) -> tuple[Counter[str], Counter[str]]:
    terms = [term for key in kept for term in key]
    return Counter([n for n, c in terms if c > 0]), Counter([n for n, c in terms if c < 0])


def _cheapest_name(kept: Iterable[_Left]) -> str:
    lows, highs = _sides(kept)
    return min(sorted(lows | highs), key=lambda n: lows[n] * highs[n] - lows[n] - highs[n])


def _two_sided(kept: dict[_Left, int]) -> dict[_Left, int]:
    """Without the inequalities that a name can always meet, because all of those that it is in
    bound it from the same side."""
    while True:
        lows, highs = _sides(kept)
        loose = lows.keys() ^ highs.keys()
        if not loose:
            return kept
        kept = {k: v for k, v in kept.items() if loose.isdisjoint([name for name, _ in k])}


def _tightened(forms: Iterable[Form]) -> dict[_Left, int] | None:
    """The strongest constant per left side; None when one is below zero for sure."""
    kept: dict[_Left, int] = {}
    for form in forms:
        terms = sorted(_factors(form).items())
        constant = form.get("", 0)
        if terms:
            divisor = gcd(*[c for _, c in terms])
            key = tuple([(n, c // divisor) for n, c in terms])
            kept[key] = min(kept.get(key, constant // divisor), constant // divisor)
        elif constant < 0:
            return None
    return kept


class LinearForms:
    """Turns polynomials into forms over ``rename``'s values and size parameters.

    Products of size parameters count as one unknown number. Quotients and remainders by positive
    constants become unknown numbers of their own, bounded by ``constraints``: forms that are at
    least zero.
    """

    def __init__(self) -> None:
        self.constraints: list[Form] = []
        self._products: dict[str, tuple[str, ...]] = {"": ()}
        self._made: dict[object, str] = {}

    def form(self, poly: Poly, rename: dict[str, str]) -> Form:
        """``poly`` with loop indices renamed. Raises NotLinearError when it has no such form."""
        result: Form = {}
        for monomial, coefficient in poly.terms.items():
            name = self._name(monomial, rename)
            result[name] = result.get(name, 0) + coefficient
        return result

    def factors_of(self, name: str) -> tuple[str, ...]:
        """The names that are multiplied in a name of a form; none for the constant."""
        return self._products.get(name, (name,))

    def product(self, factors: Iterable[str]) -> str:
        """The name that stands for a product."""
        ordered = tuple(sorted(factors))
        name = TIMES.join(ordered)
        self._products[name] = ordered
        return name

    def _name(self, monomial: Monomial, rename: dict[str, str]) -> str:
        parts: list[str] = []
        moving = 0
        for atom in monomial:
            if isinstance(atom, str):
                moving += atom in rename
                parts.append(rename.get(atom, atom))
            elif isinstance(atom, Unknown):
                raise NotLinearError(atom.reason)
            else:
                if not rename.keys().isdisjoint(names_of(atom)):
                    moving += 2 if len(monomial) > 1 else 1
                parts.append(self._function(atom, rename))
        if moving > 1:
            raise NotLinearError(Reason("nonlinear-place"))
        return self.product(parts) if len(parts) > 1 else parts[0] if parts else ""

    def _function(self, atom: PolyFunction, rename: dict[str, str]) -> str:
        if atom.kind in ("min", "max"):
            return self._extreme(atom, rename)
        if atom.kind in ("select", "ceillog"):
            if rename.keys().isdisjoint(names_of(atom)):
                return str(atom)  # invariant: as good as a name
            raise NotLinearError(Reason("nonlinear-place"))
        by = atom.operands[1].value
        if by is None or by <= 0:
            raise NotLinearError(Reason("open-divisor", (plain(atom),)))
        inner = self.form(atom.operands[0], rename)
        quotient = self._quotient(atom, inner, by, rename)
        if atom.kind == "floordiv":
            return quotient
        remainder = f"{quotient}%"
        if ("mod", quotient) not in self._made:
            self._made["mod", quotient] = remainder
            for sign in (1, -1):  # remainder == inner - by * quotient
                self.constraints.append(
                    {**scale_form(inner, sign), quotient: -sign * by, remainder: -sign}
                )
        return remainder

    def _extreme(self, atom: PolyFunction, rename: dict[str, str]) -> str:
        key: object = (atom, *_relevant(atom, rename))
        if key not in self._made:
            self._made[key] = name = f"/{len(self._made)}"
            sign = 1 if atom.kind == "min" else -1
            for operand in atom.operands:
                inner = self.form(operand, rename)
                self.constraints.append(combine_forms(inner, sign, {name: 1}, -sign))
        return self._made[key]

    def _quotient(self, atom: PolyFunction, inner: Form, by: int, rename: dict[str, str]) -> str:
        """The name of ``floor(inner / by)``; a remainder by the same number shares it."""
        key: object = ("floordiv", atom.operands, *_relevant(atom, rename))
        if key not in self._made:
            self._made[key] = name = f"/{len(self._made)}"
            self.constraints.append({**inner, name: -by})
            self.constraints.append({**scale_form(inner, -1, by - 1), name: by})
        return self._made[key]


def _relevant(atom: PolyFunction, rename: dict[str, str]) -> list[tuple[str, str]]:
    return sorted([(name, rename[name]) for name in set(names_of(atom)) & rename.keys()])
