"""Equations: statements of a file on integers of the program, and bounds of its loops.

A quantity is an integer that the program may know: a variable, a parameter, a member of a type, an
element at a constant index, the result of a function, the object behind a parameter. Files speak of
the same quantity under the same key. ``program`` solves the equations of all files together.
"""

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from rooflint.ir.control_flow import ConditionPattern, PathPattern
from rooflint.ir.unit import Comment, Span
from rooflint.ir.values import RelationalOperator

UnknownSource: TypeAlias = Literal[
    "input", "address-taken", "counter", "memory", "external-caller", "unresolved-call",
    "unmodelled", "too-many-values", "overflow",
]  # fmt: skip
"""The reason why a quantity may have further values than those of its constants."""

QuantityOperator: TypeAlias = Literal[
    "add", "sub", "mul", "div", "rem", "neg", "shl", "shr", "and", "or", "xor", "min", "max",
]  # fmt: skip
QUANTITY_OPERATORS: Final[frozenset[str]] = frozenset(get_args(QuantityOperator))


class IntegerTerm(Struct, frozen=True, array_like=True, tag="integer", tag_field="is"):
    """A constant."""

    value: int


class QuantityTerm(Struct, frozen=True, array_like=True, tag="quantity", tag_field="is"):
    """The quantity at this position of ``Equations.quantities``."""

    position: int


class IndexTerm(Struct, frozen=True, array_like=True, tag="index", tag_field="is"):
    """The index of the loop at this position of ``Equations.loops``, inside that loop."""

    loop: int


class OperationTerm(Struct, frozen=True, array_like=True, tag="operation", tag_field="is"):
    """An operation on integers."""

    operator: QuantityOperator
    operands: "tuple[Term, ...]"


class ChoiceTerm(Struct, frozen=True, array_like=True, tag="choice", tag_field="is"):
    """One of several terms: both arms of ``a ? b : c``."""

    alternatives: "tuple[Term, ...]"


class ComparisonTerm(Struct, frozen=True, array_like=True, tag="comparison", tag_field="is"):
    """1 where a comparison holds, and 0 where it does not."""

    left: "Term"
    relation: RelationalOperator
    right: "Term"


class UnknownTerm(Struct, frozen=True, array_like=True, tag="unknown", tag_field="is"):
    """A value that the source does not tell."""

    source: UnknownSource


Term: TypeAlias = (
    IntegerTerm
    | QuantityTerm
    | IndexTerm
    | OperationTerm
    | ChoiceTerm
    | ComparisonTerm
    | UnknownTerm
)

QuantityKind: TypeAlias = Literal[
    "variable", "parameter", "member", "element", "length", "extent", "result", "target",
    "written-target",
]  # fmt: skip
"""``length``: the number of elements of a container of the library; ``extent``: the bytes of the
object that a pointer leads to; ``target``: the object that a
pointer parameter points to, as callers leave it there; ``written-target``: as the function leaves
it."""


class Quantity(Struct, frozen=True, array_like=True, kw_only=True):
    """``key`` is the same in all files; ``name`` and ``scope`` are those of the source.

    ``function``: the key of the result of the function that a parameter or its target belongs to.
    """

    key: str
    name: str
    scope: str
    kind: QuantityKind
    function: str = ""


class Equation(Struct, frozen=True, array_like=True, kw_only=True):
    """The quantity at position ``target`` may have the value of ``term``.

    ``conditional``: the statement lies on a path of a branch of its function.
    """

    target: int
    term: Term
    line: int
    conditional: bool = False


class Accessor(Struct, frozen=True, array_like=True, kw_only=True):
    """A function whose result is a reference to a quantity, and so that quantity itself."""

    result: int
    quantity: int


LoopPattern: TypeAlias = Literal["counted", "endless", "once", "text", "list", "doubling", "other"]
"""``endless``: without a condition; ``once``: ``do … while (0)``; ``text``: on characters of a
string; ``list``: along links; ``doubling``: an index that is multiplied, divided or shifted."""


class BoundedLoop(Struct, frozen=True, array_like=True, kw_only=True):
    """A loop of the file; ``parent`` is the loop around it in the function, -1 for none.

    arm           the path of a branch that it lies on, numbered as in ``BranchSite``
    header        the header that it lies in, with ``span``; empty for the file itself
    lower, upper  first value of the index and the value that ``relation`` compares it with; None
                  where no such comparison counts the loop
    step          what one iteration adds to the index
    shared        a team of OpenMP shares its iterations
    floating      its condition orders floating values, as a time and its end
    tests         comparisons of integers that all hold while a loop goes on that nothing counts
    index         the name of the index of a counted loop
    """

    span: Span
    function: int
    parent: int
    arm: int
    form: Literal["for", "while", "do", "range-for"]
    lower: Term | None = None
    upper: Term | None = None
    step: Term = IntegerTerm(1)
    relation: RelationalOperator = "<"
    pattern: LoopPattern = "other"
    header: str = ""
    shared: bool = False
    floating: bool = False
    tests: "tuple[BranchTest, ...]" = ()
    index: str = ""


class BranchTest(Struct, frozen=True, array_like=True, kw_only=True):
    """Two integers compared; of several alternatives on the right, whether one is equal or none."""

    left: Term
    relation: RelationalOperator
    right: Term


class BranchSite(Struct, frozen=True, array_like=True, kw_only=True):
    """An ``if``; ``orelse`` is None where it has no other path.

    ``function`` and ``loop`` are those around it, and ``arm`` is the path of a branch around it:
    twice that branch's position, plus one for the other path; -1 for none. What follows a path that
    begins the next iteration lies on the other one. Each of the ``ways`` of a ``switch`` is a
    branch of its own. ``tests``: comparisons that all hold where the condition does.
    """

    function: int
    loop: int
    arm: int
    line: int
    condition: ConditionPattern
    then: PathPattern
    orelse: PathPattern | None = None
    ways: int = 2
    tests: tuple[BranchTest, ...] = ()


class CallSite(Struct, frozen=True, array_like=True, kw_only=True):
    """A call; positions of the two functions' results, and of the innermost loop around, or -1.

    ``arm``: the path of a branch that it lies on, numbered as in ``BranchSite``. ``length``: the
    bytes that ``memcpy`` and its kin are told to move.
    """

    caller: int
    callee: int
    loop: int
    arm: int
    line: int
    length: Term | None = None


def target_at_line(target: str, line: int) -> str:
    """The key of a call whose cost is its own: a copy of some length, or a call by a pointer."""
    return f"{target}@{line}"


class PointerCall(Struct, frozen=True, array_like=True, kw_only=True):
    """A call through a pointer to functions of the type ``signature``.

    ``holder``: the key of what holds the pointer, as in ``PointerFlow``; empty where no name does.
    """

    caller: int
    signature: str
    loop: int
    arm: int
    line: int
    holder: str = ""


LineRecord: TypeAlias = Equation | BranchSite | CallSite | PointerCall
"""Records of one line each."""


class PointerFlow(Struct, frozen=True, array_like=True, kw_only=True):
    """A place where what holds a pointer to functions gets that of ``source``.

    Both are keys: of a variable, a member, a parameter or a function's result; those of an array
    stand for all of its elements. A source may be a function, too.
    """

    holder: str
    source: str


class FunctionAddress(Struct, frozen=True, array_like=True, kw_only=True):
    """The address of a function, outside of a call of it; positions of results, -1 for none.

    ``receiver`` is the function that it is an argument of, and ``count`` the argument two before:
    the number of elements of ``qsort`` and ``bsearch``. ``caller`` is -1 outside of functions.
    """

    function: int
    signature: str
    caller: int
    loop: int
    arm: int
    receiver: int = -1
    count: Term | None = None


class WorkSite(Struct, frozen=True, array_like=True, kw_only=True):
    """Operators of a function in one loop, -1 for none, and on one path of a branch.

    ``operators``: arithmetic, comparisons and assignments; ``accesses``: elements of arrays and
    objects behind pointers; ``divisions``: of integers and floating values, but not by constants.
    """

    function: int
    loop: int
    arm: int
    operators: int
    accesses: int
    divisions: int


class TableAccess(Struct, frozen=True, array_like=True, kw_only=True):
    """An element that a function reads or writes outside of loops, on one path of a branch.

    ``bytes``: those of the object that it is an element of; ``element``: its index, of elements of
    rows the sum of theirs.
    """

    function: int
    arm: int
    bytes: Term
    element: Term


class CounterStep(Struct, frozen=True, array_like=True, kw_only=True):
    """A place where a quantity grows by ``step``, or is set to a constant where that is None.

    It falls by a constant that is negative. Indices of the loops that they count are no counters.
    """

    target: int
    step: Term | None
    function: int
    loop: int
    arm: int

    @property
    def falls(self) -> bool:
        """Whether a constant is taken away."""
        return isinstance(self.step, IntegerTerm) and self.step.value < 0

    @property
    def grows(self) -> bool:
        """Whether something is added."""
        return self.step is not None and not self.falls


class UpperEnd(Struct, frozen=True, array_like=True, kw_only=True):
    """The program ends where the quantity at ``target`` is larger than ``term``: an assertion."""

    target: int
    term: Term


class DefinedFunction(Struct, frozen=True, array_like=True, kw_only=True):
    """A function with a body; positions of its result, its parameters and its own variables.

    ``members``: positions of the members, and of the lengths of containers, that it speaks of;
    ``overrides``: results of the virtual functions that it overrides; ``header``: where its body
    lies, empty for the file itself; ``unmodelled``: has code whose work is not counted, which is
    inline assembly, jumps back, calls of what is not declared, or statements that do not compile.
    """

    result: int
    parameters: tuple[int, ...]
    span: Span | None
    entry: bool = False
    variables: tuple[int, ...] = ()
    members: tuple[int, ...] = ()
    overrides: tuple[int, ...] = ()
    header: str = ""
    unmodelled: bool = False


class Equations(Struct, frozen=True, array_like=True, kw_only=True):
    """The statements of one file. Positions in it refer to ``quantities`` and to ``loops``.

    ``functions`` and ``loops`` are those of the file and of the project's headers; ``comments``
    are the ``rooflint:`` comments of the file itself.
    """

    path: str
    quantities: tuple[Quantity, ...] = ()
    equations: tuple[Equation, ...] = ()
    accessors: tuple[Accessor, ...] = ()
    functions: tuple[DefinedFunction, ...] = ()
    loops: tuple[BoundedLoop, ...] = ()
    calls: tuple[CallSite, ...] = ()
    branches: tuple[BranchSite, ...] = ()
    pointer_calls: tuple[PointerCall, ...] = ()
    addresses: tuple[FunctionAddress, ...] = ()
    pointer_flows: tuple[PointerFlow, ...] = ()
    work: tuple[WorkSite, ...] = ()
    counters: tuple[CounterStep, ...] = ()
    upper_ends: tuple[UpperEnd, ...] = ()
    comments: tuple[Comment, ...] = ()
    tables: tuple[TableAccess, ...] = ()
