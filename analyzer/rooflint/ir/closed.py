"""Integers in closed form that a statement uses as values: their text as a polynomial."""

import re

from rooflint.ir.poly import ZERO, FunctionKind, Poly, function

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_@:][\w.'@:]*)|(.))")
_FUNCTIONS: dict[str, FunctionKind] = {
    "floor": "floordiv", "mod": "mod", "min": "min", "max": "max",
}  # fmt: skip


def poly_of(text: str) -> Poly | None:
    """The polynomial that prints as ``text``; None where it has values without closed form."""
    reader = _Reader(text)
    try:
        result = reader.sum()
        return result if reader.position == len(reader.tokens) else None
    except (IndexError, ValueError):
        return None


class _Reader:
    """Recursive descent over the few forms that ``Poly`` prints."""

    def __init__(self, text: str) -> None:
        self.tokens = [m.group(1) or m.group(2) or m.group(3) for m in _TOKEN.finditer(text)]
        self.position = 0

    def sum(self) -> Poly:
        total, sign = ZERO, 1
        if self.next_is("-"):
            sign = -1
        while True:
            total = total + self.product() * sign
            if self.next_is("+"):
                sign = 1
            elif self.next_is("-"):
                sign = -1
            else:
                return total

    def product(self) -> Poly:
        result = self.atom()
        while self.next_is("*"):
            result = result * self.atom()
        return result

    def atom(self) -> Poly:
        token = self.tokens[self.position]
        self.position += 1
        if token.isdigit():
            return Poly.constant(int(token))
        if token == "(":
            return self.name_in_parentheses()
        if not (token[0].isalpha() or token[0] in "_@:"):
            raise ValueError(token)
        kind = _FUNCTIONS.get(token)
        if kind is None or not self.next_is("("):
            return Poly.symbol(token)
        operands = [self.sum()]
        while self.next_is(","):
            operands.append(self.sum())
        self.expect(")")
        return function(kind, *operands)

    def name_in_parentheses(self) -> Poly:
        """``(f->n)``: a name that is no identifier, printed in parentheses."""
        depth = 1
        parts: list[str] = []
        while True:
            token = self.tokens[self.position]
            self.position += 1
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth == 0:
                return Poly.symbol("".join(parts))
            parts.append(token)

    def next_is(self, token: str) -> bool:
        if self.position < len(self.tokens) and self.tokens[self.position] == token:
            self.position += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.next_is(token):
            raise ValueError(token)
