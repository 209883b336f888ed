"""Calls: their parts, and the cycles of those whose body does not stand in their place.

The body of a function is summed up from its tree: operators at the rate of ordinary scalar code,
branches by half, loops at typical trips, calls at their own cost. Paths that never return do not
count. A function that calls what nobody knows has a lower bound; one that calls itself has none.
"""

from collections.abc import Mapping
from typing import Final

from rooflint.frontend.lower.control.no_return import is_final_call
from rooflint.frontend.lower.state.context import LoweringContext
from rooflint.frontend.lower.state.shared import Decl, TranslationUnitContext
from rooflint.frontend.parse import kinds
from rooflint.frontend.parse.tree import SyntaxTree, size_of
from rooflint.ir import CallCost
from rooflint.records import NamedTuple

MATHEMATICAL: Final = frozenset(
    """
    exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh
    cosh tanh asinh acosh atanh cbrt hypot erf erfc tgamma lgamma floor ceil round trunc
    rint nearbyint lround lrint fmod remainder copysign ldexp frexp modf isnan isinf
    isfinite signbit fdim rsqrt cabs creal cimag carg conj cexp csqrt real imag norm arg
    llround llrint ilogb logb scalbn sincos
    """.split()
)
"""Functions that are operations of the IR."""

CYCLES: Final[Mapping[str, float]] = {
    # text: 8 characters, the median of the measured loops over text
    "strlen": 7, "strnlen": 7, "strcmp": 9, "strncmp": 8, "strcasecmp": 9, "strncasecmp": 9,
    "strcoll": 9, "strchr": 8, "strrchr": 8, "index": 8, "strstr": 15, "strcpy": 8, "stpcpy": 8,
    "strncpy": 11, "strcat": 20, "strncat": 20, "strspn": 11, "strcspn": 12, "strpbrk": 9,
    "strtok": 33, "strtok_r": 33, "strdup": 39, "strndup": 39, "memcmp": 7, "bcmp": 7, "memchr": 8,
    "memrchr": 8, "atoi": 45, "atol": 45, "atoll": 45, "atof": 97, "strtol": 47, "strtoll": 47,
    "strtoul": 38, "strtoull": 38, "strtod": 94, "strtof": 94,
    # classes of characters: a look into a table
    **dict.fromkeys(
        ("isspace", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isprint", "ispunct",
         "isxdigit", "iscntrl", "isgraph", "isblank", "tolower", "toupper"), 2),
    # memory from the allocator's own lists
    "malloc": 15, "calloc": 28, "free": 14, "realloc": 47, "aligned_alloc": 40, "memalign": 40,
    "posix_memalign": 40,
    # formats of two conversions, to a buffer: no output takes place
    "printf": 180, "fprintf": 180, "sprintf": 200, "snprintf": 200, "vprintf": 180,
    "vfprintf": 180, "vsprintf": 200, "vsnprintf": 200, "sscanf": 182, "fscanf": 182, "scanf": 182,
    "puts": 60, "fputs": 60, "putchar": 9, "fputc": 9, "putc": 9, "fwrite": 62, "fread": 64,
    "fgetc": 8, "getc": 8, "getchar": 8, "fgets": 60, "feof": 8, "ferror": 8, "fflush": 54,
    "fileno": 8,
    # numbers, time, errors
    "rand": 50, "random": 50, "lrand48": 16, "drand48": 16, "rand_r": 12, "time": 9,
    "clock_gettime": 86, "gettimeofday": 86, "getenv": 30, "strerror": 216,
    "__errno_location": 2, "pthread_mutex_lock": 9, "pthread_mutex_unlock": 9,
    # instructions, or nothing at all
    **dict.fromkeys(
        ("__builtin_expect", "__builtin_constant_p", "__builtin_assume_aligned",
         "__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_prefetch",
         "__builtin_assume", "__builtin_object_size", "__builtin_dynamic_object_size",
         "__builtin_is_constant_evaluated", "_mm_prefetch"), 1),
    **dict.fromkeys(
        ("__builtin_clz", "__builtin_clzl", "__builtin_clzll", "__builtin_ctz", "__builtin_ctzl",
         "__builtin_ctzll", "__builtin_popcount", "__builtin_popcountl", "__builtin_popcountll",
         "__builtin_bswap16", "__builtin_bswap32", "__builtin_bswap64", "__builtin_ffs",
         "__builtin_parity", "htonl", "htons", "ntohl", "ntohs"), 3),
}  # fmt: skip
"""Cycles of a call, rough: glibc 2.36 in a loop of its own on a virtual machine (Intel Xeon) whose
clock was not steady, so the best of fifteen runs over that of a loop with one store, taken as one
cycle. Text has eight characters. Not measured but set like their nearest kin: strnlen, strcoll,
index, stpcpy, strcat, strncat, strtok, strtok_r, strndup, bcmp, memrchr, atoll, strtoll, strtoull,
strtof, realloc, the aligned allocators, the v-forms, puts, putchar, getchar, fgets, fscanf, scanf,
fileno, lrand48, gettimeofday, all classes of characters but isspace and tolower; bzero and bcopy
below. Builtins are judged: 1 and 3 cycles. Functions that enter the kernel each time are left out:
their time is no cycles of the program."""

COPIES: Final[Mapping[str, float]] = {
    "memcpy": 9,
    "memmove": 8,
    "memset": 8,
    "bzero": 8,
    "bcopy": 9,
}
"""The same for functions that move as many bytes as they are told, here at most 32."""
SMALL_COPY_BYTES: Final = 256
"""Bytes up to which a copy costs its call: eight vectors of 32 bytes, one a cycle. What is longer
is a stream of its own, whose length decides."""

CALL_CYCLES: Final = 5.0
"""There and back with a few instructions in between, as ``facts.kernels.UNKNOWN_CALL_CYCLES``."""
OPERATOR_CYCLES: Final = 0.5
"""Two operators a cycle: a judgement for scalar code with branches whose data are in the nearest
cache, not measured."""
MATHEMATICAL_CYCLES: Final = 20.0
"""About the median of ``core.libm`` for doubles, 18.5."""
BRANCH_SHARE: Final = 0.5
"""P(then) of a branch without a pattern, from 747 loops of 23 programs."""
TRIPS: Final = {kinds.FOR: 32.0, kinds.WHILE: 4.0, kinds.DO: 4.0, kinds.RANGE_FOR: 64.0}
"""Typical trips by the form of the loop: medians of the same programs for a bound that is a local
variable and for another condition; for the elements of a container a judgement."""
MAX_TREE: Final = 4000
"""Cursors of a body that is summed up."""
_OPERATORS: Final = frozenset(
    (kinds.BINARY, kinds.UNARY, kinds.COMPOUND_ASSIGN, kinds.SUBSCRIPT, kinds.MEMBER_REF)
)
_UNKNOWN: Final = frozenset((kinds.ASM, kinds.MS_ASM, kinds.GOTO, kinds.INDIRECT_GOTO))


def library_cost(name: str, length: int | None) -> CallCost | None:
    """The cost of a function of the C library; ``length``: bytes that a copy moves, if constant."""
    plain = name.removeprefix("__builtin_")
    copying = COPIES.get(plain)
    if copying is not None:
        return CallCost(copying, length is not None and length <= SMALL_COPY_BYTES)
    cycles = CYCLES.get(name, CYCLES.get(plain))
    if cycles is None and plain in MATHEMATICAL:
        cycles = MATHEMATICAL_CYCLES
    return None if cycles is None else CallCost(cycles)


def body_cost(unit: TranslationUnitContext, callee: Decl) -> CallCost | None:
    """The cost of a function by its body; None where it has none here, or calls itself."""
    costs = unit.callees.costs
    if callee.key in costs:
        return costs[callee.key]
    unit.callees.note_cost(callee.key, None)  # for one that calls itself
    cost = _body_cost(unit, callee)
    unit.callees.note_cost(callee.key, cost)
    return cost


def _body_cost(unit: TranslationUnitContext, callee: Decl) -> CallCost | None:
    if callee.kind not in kinds.CALLABLE and callee.kind != kinds.CONSTRUCTOR:
        return None
    definition = unit.clang.getCursorDefinition(callee.cursor)
    if not definition.d0 or unit.clang.CXXMethod_isVirtual(definition):
        return None
    tree = unit.tree(definition)
    body = tree.children[-1] if tree.children else tree
    if body.kind != kinds.COMPOUND or size_of(tree, MAX_TREE) >= MAX_TREE:
        return None
    cycles, complete = _CostSum(unit).of(body)
    return CallCost(CALL_CYCLES + cycles, complete and not unit.traits.broken)


class _CostSum:
    """Cycles of statements and expressions, and whether they are all of them."""

    def __init__(self, unit: TranslationUnitContext) -> None:
        self._unit = unit

    def of(self, tree: SyntaxTree) -> tuple[float, bool]:
        kind = tree.kind
        if kind in (kinds.IF, kinds.CONDITIONAL):
            return self._branch(tree)
        if kind == kinds.CALL:
            return self._call(tree)
        if kind == kinds.LAMBDA:
            return 0.0, True
        cycles, complete = self._all(tree.children)
        if kind in TRIPS:
            return cycles * TRIPS[kind], complete
        return cycles + OPERATOR_CYCLES * (kind in _OPERATORS), complete and kind not in _UNKNOWN

    def _all(self, trees: list[SyntaxTree]) -> tuple[float, bool]:
        parts = [self.of(tree) for tree in trees]
        return sum(cycles for cycles, _ in parts), all(complete for _, complete in parts)

    def _branch(self, tree: SyntaxTree) -> tuple[float, bool]:
        """The condition, and half of each arm; nothing of an arm that never returns."""
        cycles, complete = self._all(tree.children[:-2] or tree.children[:1])
        arms = tree.children[-2:] if len(tree.children) > 2 else tree.children[1:]
        for arm in arms:
            if not ends_program(self._unit, arm):
                more, whole = self.of(arm)
                cycles, complete = cycles + BRANCH_SHARE * more, complete and whole
        return cycles + OPERATOR_CYCLES, complete

    def _call(self, tree: SyntaxTree) -> tuple[float, bool]:
        callee = self._unit.referenced(tree.cursor)
        cycles, complete = self._all(tree.children)
        cost = body_cost(self._unit, callee) or library_cost(callee.name, None)
        if cost is None:
            return cycles + CALL_CYCLES, False
        return cycles + cost.cycles, complete and cost.complete


def ends_program(unit: TranslationUnitContext, path: SyntaxTree) -> bool:
    """Whether a statement or an expression calls a function that never returns, or throws."""
    if path.kind == kinds.THROW or is_final_call(unit, path):
        return True
    if path.kind in (kinds.COMPOUND, kinds.BINARY) or path.kind in kinds.CASTS:
        return any(ends_program(unit, child) for child in path.children)
    return False


class CallParts(NamedTuple):
    """A call; ``owner`` is the object of a method call."""

    tree: SyntaxTree
    callee: Decl
    owner: SyntaxTree | None
    arguments: list[SyntaxTree]

    @property
    def operands(self) -> list[SyntaxTree]:
        """The object of a method call, and the arguments."""
        return self.arguments if self.owner is None else [self.owner, *self.arguments]


def parts_of_call(context: LoweringContext, tree: SyntaxTree) -> CallParts:
    """The parts of a call; a constructor has neither a callee's name nor an object."""
    below = tree.children
    callee = context.unit.referenced(tree.cursor)
    owner: SyntaxTree | None = None
    arguments = below[1:]
    if below and _names(context, below[0], callee, kinds.MEMBER_REF):
        owner = next(iter(below[0].children), None)
    elif callee.name.startswith("operator") and callee.kind in (kinds.METHOD, kinds.FUNCTION):
        arguments = [c for c in below if not _names(context, c, callee, kinds.DECL_REF)]
        if callee.kind == kinds.METHOD and arguments:
            owner, *arguments = arguments
    elif callee.kind == kinds.CONSTRUCTOR:
        arguments = below
    return CallParts(tree=tree, callee=callee, owner=owner, arguments=arguments)


def _names(context: LoweringContext, tree: SyntaxTree, callee: Decl, kind: int) -> bool:
    return tree.kind == kind and context.unit.referenced(tree.cursor).key == callee.key
