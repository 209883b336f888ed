"""Whether affine equalities and inequalities can hold together for integers.

Equalities are solved with the GCD test, inequalities by Fourier–Motzkin elimination with integer
tightening. The answer is one-sided: False is proof that no integers satisfy all of them, True says
no proof was found. W. Pugh: The Omega Test. Supercomputing 1991, sections 2.1 to 2.3.

A form is ``{name: coefficient}`` with the constant under the name "".
"""

from collections.abc import Iterable
from math import gcd
from typing import TypeAlias

from rooflint.facts.points import Form
from rooflint.ir import Poly, Unknown
from rooflint.ir.poly import Function, Monomial

MAX_INEQUALITIES = 300
_Left: TypeAlias = tuple[tuple[str, int], ...]
"""Names and their coefficients, sorted."""
TIMES = "·"
"""Between the factors of a product that counts as one unknown number."""


class NotLinearError(ArithmeticError):
    """A polynomial has no affine form; ``args[0]`` says why."""


def is_feasible(equal: Iterable[Form], at_least: Iterable[Form]) -> bool:
    """Whether integers may exist with ``form == 0`` and ``form >= 0`` for all forms of each."""
    equations = [dict(form) for form in equal]
    inequalities = [dict(form) for form in at_least]
    while equations:
        form = equations.pop(_simplest(equations))
        coefficients = [c for name, c in form.items() if name and c]
        constant = form.get("", 0)
        if not coefficients:
            if constant:
                return False
            continue
        if constant % gcd(*coefficients):
            return False
        name = min((n for n, c in form.items() if n and c), key=lambda n: abs(form[n]))
        equations = [_without(other, form, name) for other in equations]
        inequalities = [_without(other, form, name) for other in inequalities]
    return _eliminated(inequalities)


def _simplest(equations: list[Form]) -> int:
    def weight(form: Form) -> tuple[int, int]:
        sizes = [abs(c) for n, c in form.items() if n and c]
        return (min(sizes, default=0), len(sizes))

    return min(range(len(equations)), key=lambda k: weight(equations[k]))


def _without(other: Form, equation: Form, name: str) -> Form:
    """``other`` times a positive number, with ``name`` replaced by what ``equation`` says it is."""
    a = other.get(name, 0)
    if not a:
        return other
    c = equation[name]
    times, minus = abs(c), a if c > 0 else -a
    result = {n: v * times for n, v in other.items()}
    for n, v in equation.items():
        result[n] = result.get(n, 0) - minus * v
    return {n: v for n, v in result.items() if v}


def _eliminated(inequalities: list[Form]) -> bool:
    kept = _tightened(inequalities)
    while kept is not None:
        kept = _two_sided(kept)
        names = {name for key in kept for name, _ in key}
        if not names:
            return True
        ups: dict[str, int] = dict.fromkeys(names, 0)
        downs: dict[str, int] = dict.fromkeys(names, 0)
        for key in kept:
            for name, c in key:
                (ups if c > 0 else downs)[name] += 1
        name = min(sorted(names), key=lambda n: ups[n] * downs[n] - ups[n] - downs[n])
        rest: list[Form] = []
        low: list[Form] = []
        high: list[Form] = []
        for key, constant in kept.items():
            form = dict(key)
            form[""] = constant
            c = form.get(name, 0)
            (low if c > 0 else high if c < 0 else rest).append(form)
        if len(rest) + len(low) * len(high) > MAX_INEQUALITIES:
            return True
        for below in low:
            for above in high:
                a, b = -above[name], below[name]
                joined = {n: v * a for n, v in below.items()}
                for n, v in above.items():
                    joined[n] = joined.get(n, 0) + v * b
                joined.pop(name)
                rest.append(joined)
        kept = _tightened(rest)
    return False


def _two_sided(kept: dict[_Left, int]) -> dict[_Left, int]:
    """Without the inequalities that a name can always meet, because all of those that it is in
    bound it from the same side."""
    while True:
        ups: set[str] = set()
        downs: set[str] = set()
        for key in kept:
            for name, c in key:
                (ups if c > 0 else downs).add(name)
        loose = ups ^ downs
        if not loose:
            return kept
        kept = {k: v for k, v in kept.items() if loose.isdisjoint([name for name, _ in k])}


def _tightened(forms: Iterable[Form]) -> dict[_Left, int] | None:
    """The strongest constant per left side; None when one is below zero for sure."""
    kept: dict[_Left, int] = {}
    for form in forms:
        terms = sorted([(n, c) for n, c in form.items() if n and c])
        constant = form.get("", 0)
        if not terms:
            if constant < 0:
                return None
            continue
        divisor = gcd(*[c for _, c in terms])
        key = tuple([(n, c // divisor) for n, c in terms])
        constant //= divisor
        if key not in kept or constant < kept[key]:
            kept[key] = constant
    return kept


class LinearForms:
    """Turns polynomials into forms over ``rename``'s values and size parameters.

    Products of size parameters count as one unknown number. Quotients and remainders by positive
    constants become unknown numbers of their own, fenced in by ``fences`` (each at least zero).
    """

    def __init__(self) -> None:
        self.fences: list[Form] = []
        self.made: dict[object, str] = {}

    def form(self, poly: Poly, rename: dict[str, str]) -> Form:
        """``poly`` with loop indices renamed. Raises NotLinearError when it has no such form."""
        result: Form = {}
        for monomial, coefficient in poly.terms.items():
            name = self._name(monomial, rename)
            result[name] = result.get(name, 0) + coefficient
        return result

    def _name(self, monomial: Monomial, rename: dict[str, str]) -> str:
        parts: list[str] = []
        moving = 0
        for atom in monomial:
            if isinstance(atom, str):
                moving += atom in rename
                parts.append(rename.get(atom, atom))
            elif isinstance(atom, Unknown):
                raise NotLinearError(str(atom.reason))
            else:
                if any(not rename.keys().isdisjoint(o.names()) for o in atom.operands):
                    moving += 2 if len(monomial) > 1 else 1
                parts.append(self._function(atom, rename))
        if moving > 1:
            raise NotLinearError("its place is not linear in the loop indices")
        return TIMES.join(sorted(parts))

    def _function(self, atom: Function, rename: dict[str, str]) -> str:
        if atom.kind in ("min", "max"):
            extreme: object = (atom, *_relevant(atom, rename))
            if extreme in self.made:
                return self.made[extreme]
            name = self.made[extreme] = f"/{len(self.made)}"
            for operand in atom.operands:
                inner = self.form(operand, rename)
                sign = 1 if atom.kind == "min" else -1
                fence = {n: sign * c for n, c in inner.items()}
                fence[name] = fence.get(name, 0) - sign
                self.fences.append(fence)
            return name
        by = atom.operands[1].value
        if by is None or by <= 0:
            raise NotLinearError(f"'{atom}' has no positive constant divisor")
        inner = self.form(atom.operands[0], rename)
        key: object = ("floordiv", atom.operands, *_relevant(atom, rename))
        name = self.made.get(key, "")
        if not name:
            name = self.made[key] = f"/{len(self.made)}"
            self.fences.append({**inner, name: -by})
            self.fences.append(
                {**{n: -c for n, c in inner.items()}, name: by, "": by - 1 - inner.get("", 0)}
            )
        if atom.kind == "floordiv":
            return name
        remainder = f"{name}%"
        if ("mod", key) not in self.made:
            self.made["mod", key] = remainder
            for sign in (1, -1):
                fence = {n: sign * c for n, c in inner.items()}
                fence[name] = -sign * by
                fence[remainder] = -sign
                self.fences.append(fence)
        return remainder


def _relevant(atom: Function, rename: dict[str, str]) -> list[tuple[str, str]]:
    names = Poly.symbol(atom).names()
    return sorted([(name, new) for name, new in rename.items() if name in names])
