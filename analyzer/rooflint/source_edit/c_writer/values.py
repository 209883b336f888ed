"""Statements as C: a value DAG as expressions, with a variable for what is used twice.

A value stands where it is used, as in the source, unless a store or an assignment before that
would change it. What only one arm of ``?:``, ``&&`` or ``||`` takes is never computed outside it.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from rooflint.ir import (
    Access,
    AddressValue,
    Arithmetic,
    CarriedRead,
    Const,
    Conversion,
    IndexValue,
    Load,
    Poly,
    Relation,
    ScalarRead,
    Selection,
    Statement,
    Value,
)
from rooflint.ir.text import detail_text
from rooflint.source_edit.c_writer.closed import Closed
from rooflint.source_edit.c_writer.words import (
    ATOM,
    BITS_AND,
    BITS_OR,
    BITS_XOR,
    BOTH,
    CHOICE,
    EITHER,
    EQUAL,
    FLOATS,
    LESS,
    PRODUCT,
    SHIFT,
    SUM,
    UNARY,
    CExpression,
    NotWrittenError,
    literal,
    type_text,
)
from rooflint.transform.narrowing import FUNCTIONS

BINARY: Final = {
    "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT),
    "rem": ("%", PRODUCT), "shl": ("<<", SHIFT), "shr": (">>", SHIFT), "and": ("&", BITS_AND),
    "or": ("|", BITS_OR), "xor": ("^", BITS_XOR),
}  # fmt: skip
LOGICAL: Final = {"and": ("&&", BOTH), "or": ("||", EITHER)}
TRIVIAL: Final = frozenset(("const", "index", "scalar", "carried"))
EFFECTS: Final = frozenset(("store", "assign"))
OPERATIONS: Final = {"min": "fmin", "max": "fmax", "abs": "fabs", "sqrt": "sqrt", "fma": "fma"}
ROUNDED: Final = {"f32": "f", "f64": "", "f80": "l"}


class Writer:
    """Names and texts of the nest around the statements.

    element   the lvalue of an access
    scalar    what a scalar is called
    called    what a function is called that is no mathematical one
    fresh     a name that nothing has, made of what is given
    unread    scalars whose assignments nobody sees
    """

    def __init__(
        self,
        closed: Closed,
        element: Callable[[Access], str],
        scalar: Callable[[str], str],
        called: Callable[[str], str],
        fresh: Callable[[str], str],
        unread: Collection[str],
    ) -> None:
        self.closed, self.element, self.scalar = closed, element, scalar
        self.called, self.fresh, self.unread = called, fresh, unread


class StatementText:
    """One statement being written."""

    def __init__(self, statement: Statement, writer: Writer, *, condition: bool = False) -> None:
        self.values, self.accesses = statement.values, statement.accesses
        self.writer = writer
        self.condition = condition
        self.names: dict[int, str] = {}
        self.users = self._users()
        self.temporaries = self._temporaries()

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """``(declares, target, rest)`` of each line in order: ``("", "a[i]", " = 1;")``.

        ``declares`` is the type of a variable that the line makes; scalars of the IR are the
        caller's to declare.
        """
        for number, value in enumerate(self.values):
            if value.op == "assign" and value.name not in self.writer.unread:
                target = self.writer.scalar(value.name)
                yield "", target, self._set(target, value)
            elif value.op == "store":
                if value.nontemporal:
                    raise NotWrittenError("a nontemporal store")
                target = self.writer.element(self.accesses[value.access])
                yield "", target, self._set(target, value)
            elif number in self.temporaries:
                array = f"{self.accesses[value.access].array}_" if value.op == "load" else ""
                base = f"{array}value"
                name = self.writer.fresh(base if base.isidentifier() else "value")
                text = self.expression(number).text
                self.names[number] = name
                yield type_text(value.type), name, f" = {text};"

    def tested(self) -> str:
        """The value of a condition; after ``lines``."""
        return self.operand(len(self.values) - 1).text

    def _users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.values]
        last = len(self.values) - 1
        for number in range(last, -1, -1):
            value = self.values[number]
            live = value.op in EFFECTS or users[number] or (self.condition and number == last)
            if live:
                for argument in value.args:
                    users[argument].append(number)
        return users

    def _temporaries(self) -> set[int]:
        """The values that get a variable: used twice, or changed before they are used."""
        found: set[int] = set()
        last = len(self.values) - 1
        used_at = [0] * len(self.values)
        optional = [False] * len(self.values)
        for number in range(last, -1, -1):
            value, users = self.values[number], self.users[number]
            if value.op in EFFECTS or not users:
                used_at[number] = number
                continue
            optional[number] = all(self._in_arm(number, u) or optional[u] for u in users)
            used_at[number] = max(used_at[user] for user in users)
            again = len(users) > 1 and value.op not in TRIVIAL and not optional[number]
            if again or self._changes(value, number, used_at[number]):
                if optional[number]:
                    raise NotWrittenError("a value of one arm is changed before it is used")
                found.add(number)
                used_at[number] = number
        return found

    def _in_arm(self, number: int, user: int) -> bool:
        value = self.values[user]
        if value.op == "select":
            return number != value.args[0]
        return value.op in LOGICAL and value.type == "bool" and number != value.args[0]

    def _changes(self, value: Value, begin: int, end: int) -> bool:
        """Whether something between the two values changes what ``value`` reads."""
        between = self.values[begin + 1 : end]
        if value.op in ("load", "call"):
            return any(each.op == "store" for each in between)
        if value.op in ("scalar", "carried"):
            return any(each.op == "assign" and each.name == value.name for each in between)
        return False

    def _set(self, target: str, value: Value) -> str:
        """The text behind the target: ``= x;``, or ``+= x;`` where it is a sum with itself."""
        source = value.args[0]
        inner = self.values[source]
        sign = BINARY.get(inner.op)
        if sign and inner.type == value.type and source not in self.temporaries and inner.args:
            left = inner.args[0]
            itself = self.values[left].op in ("load", "scalar", "carried")
            boolean = inner.type == "bool"
            if itself and not boolean and self.operand(left).text == target:
                return f" {sign[0]}= {self._plain(inner.args[1], inner.type).text};"
        return f" = {self._plain(source, value.type).text};"

    def _plain(self, number: int, kind: str) -> CExpression:
        """An operand where C converts to ``kind`` by itself."""
        value = self.values[number]
        if value.op == "convert" and value.type == kind and number not in self.temporaries:
            return self.operand(value.args[0])
        return self.operand(number)

    def operand(self, number: int) -> CExpression:
        """A value where it is used: by its name, or written out."""
        if number in self.names:
            return CExpression(self.names[number])
        return self.expression(number)

    def expression(self, number: int) -> CExpression:
        """A value written out."""
        value = self.values[number]
        op, kind = value.op, value.type
        if op in LOGICAL and kind == "bool":
            sign, level = LOGICAL[op]
            left, right = (self.operand(argument) for argument in value.args)
            return CExpression(f"{left.at(level)} {sign} {right.at(level + 1)}", level)
        if op in BINARY:
            return self._binary(value, *BINARY[op])
        leaf = self._leaf(value)
        return leaf if leaf is not None else self._composed(value)

    def _leaf(self, value: Value) -> CExpression | None:
        """A value that is made of no others; None for one that is."""
        match value:
            case Load(access=access):
                return CExpression(self.writer.element(self.accesses[access]))
            case Const():
                return literal(value)
            case ScalarRead(name=name) | CarriedRead(name=name):
                return CExpression(self.writer.scalar(name))
            case IndexValue() | AddressValue():
                return self.writer.closed.sum(self._poly(value))
        return None

    def _composed(self, value: Value) -> CExpression:
        """An operation that C has a sign for, apart from the binary ones; else a function."""
        match value:
            case Relation(operator=operator):
                return self._binary(value, operator, EQUAL if operator in ("==", "!=") else LESS)
            case Arithmetic(op="neg"):
                return self._signed("-", value)
            case Arithmetic(op="not"):
                return self._signed("!" if value.type == "bool" else "~", value)
            case Selection(args=args):
                test, then, orelse = (self.operand(argument) for argument in args)
                return _chosen(test, then, orelse)
            case Conversion(args=args):
                inner = self.operand(args[0]).at(UNARY)
                return CExpression(f"({type_text(value.type)}){inner}", UNARY)
        return self._function(value)

    def _signed(self, sign: str, value: Value) -> CExpression:
        inner = self.operand(value.args[0]).at(UNARY)
        return CExpression(f"-({inner})" if inner[0] == sign == "-" else sign + inner, UNARY)

    def _poly(self, value: Value) -> Poly:
        found = value.closed_form
        if found is None:
            raise NotWrittenError(f"'{detail_text(value)}' has no closed form")
        return found

    def _binary(self, value: Value, sign: str, level: int) -> CExpression:
        left, right = value.args
        kinds = [self.values[argument].type for argument in value.args]
        texts: list[CExpression] = []
        for argument, other in ((left, kinds[1]), (right, kinds[0])):
            converts = self.values[argument].op == "convert"
            widens = converts and other == value.type in FLOATS and self._widens(argument)
            both = all(self.values[each].op == "convert" for each in value.args)
            plain = widens and not (both and argument == left)
            texts.append(self._plain(argument, value.type) if plain else self.operand(argument))
        return CExpression(f"{texts[0].at(level)} {sign} {texts[1].at(level + 1)}", level)

    def _widens(self, number: int) -> bool:
        """Whether C makes this conversion by itself, besides an operand of its type."""
        value = self.values[number]
        before = self.values[value.args[0]].type
        order = ("f32", "f64", "f80")
        return before not in FLOATS or order.index(before) < order.index(value.type)

    def _function(self, value: Value) -> CExpression:
        type_text(value.type)
        arguments = [self.operand(argument) for argument in value.args]
        if value.op in ("min", "max", "abs") and value.type not in FLOATS:
            return _of_integers(value.op, arguments)
        name = self._function_name(value)
        return CExpression(f"{name}({', '.join(each.text for each in arguments)})")

    def _function_name(self, value: Value) -> str:
        """The C name of the function of an operation or a call, in the value's type."""
        mark = ROUNDED.get(value.type, "")
        if value.op in OPERATIONS:
            return OPERATIONS[value.op] + mark
        if value.op != "call":
            raise NotWrittenError(f"the operation {value.op} {detail_text(value)}".strip())
        base = value.callee if value.callee in FUNCTIONS else value.callee.removesuffix(mark)
        return base + mark if base in FUNCTIONS else self.writer.called(value.callee)


def _chosen(test: CExpression, then: CExpression, orelse: CExpression) -> CExpression:
    arms = f"{then.at(CHOICE + 1)} : {orelse.at(CHOICE)}"
    return CExpression(f"{test.at(CHOICE + 1)} ? {arms}", CHOICE)


def _of_integers(op: str, arguments: list[CExpression]) -> CExpression:
    """A minimum, a maximum or an absolute value of integers, for which C has no function."""
    if op == "abs":
        [inner] = arguments
        test = CExpression(f"{inner.at(LESS + 1)} < 0", LESS)
        return _chosen(test, CExpression(f"-{inner.at(ATOM)}", UNARY), inner)
    left, right = arguments
    sign = "<" if op == "min" else ">"
    return _chosen(
        CExpression(f"{left.at(LESS + 1)} {sign} {right.at(LESS + 1)}", LESS), left, right
    )
