"""Why something is unknown, left out or not vectorised: a kind to decide on, arguments to name.

Code compares kinds. ``TEMPLATES`` is the wording, and only what a person reads is made of it.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from rooflint.records import NamedTuple

ReasonKind: TypeAlias = Literal[
    # a value has no closed form
    "indirect", "pointer-read", "pointer-value", "pointer-difference", "computed", "count",
    "range-length", "container-size", "iterator-distance", "set-by-call", "set-in-branch",
    "changes-in-loop", "changes-irregularly", "behind-loop", "not-linear",
    # iterations may depend on each other
    "nonlinear-place", "open-divisor", "rows-overlap", "too-many-cases",
    # code is not modelled
    "access", "if", "inline-assembly", "does-not-compile", "call", "candidates",
    # a loop is not analysed
    "no-loop-shown", "outside-functions", "internal-error", "uncompiled-here", "uncompiled",
    "goto-loop", "switched-off",
    # a loop is not vectorised: its shape and the compiler
    "loops-inside", "no-vectoriser", "pragma", "early-exit", "not-analysed", "no-registers",
    # its operations
    "errno", "walking-address", "opaque-value", "unnamed-value", "scalar-type", "complex-nan",
    "vector-type",
    # what iterations hand on
    "recurrence", "conditional-value", "carried-value", "induction-order", "extreme", "reduction",
    "memory-reduction", "needs-earlier", "overwritten-later", "moves-otherwise",
    "written-elsewhere", "previous-value", "shared-condition", "last-value",
    # memory that may be the same
    "aliasing", "store-in-place", "unbounded-range", "pointer-pairs", "indirect-store",
    "no-scatter", "symbolic-step", "bit-field",
    # it would not pay
    "few-iterations", "wide-element", "masked-store", "constant-address", "remainder",
    "unknown-remainder", "unprofitable", "unprofitable-indirect", "unprofitable-stride",
    # instructions that there are not
    "no-instruction", "may-trap", "masked-load", "changing-bound",
    "changing-pointer", "switch", "wrapping-subscript",
]  # fmt: skip

CALLS: Final[frozenset[ReasonKind]] = frozenset(("call", "candidates"))
"""Kinds whose subject is a function that is called."""
HEADINGS: Final[Mapping[ReasonKind, str]] = {
    "uncompiled-here": "the code does not compile here",
    "uncompiled": "the code does not compile",
}
"""Kinds whose argument is left out where loops are counted by kind."""
TEMPLATES: Final[Mapping[ReasonKind, str]] = {
    "indirect": "indirect through {0}",
    "pointer-read": "a pointer read from {0}",
    "pointer-value": "the value of a pointer",
    "pointer-difference": "a difference of two pointers",
    "computed": "the result of {0}",
    "count": "a count",
    "range-length": "the length of a range",
    "container-size": "a container's size",
    "iterator-distance": "the distance of two iterators",
    "set-by-call": "{0} is set by a call",
    "set-in-branch": "{0} is set in a branch",
    "changes-in-loop": "{0} changes in the loop",
    "changes-irregularly": "{0} changes irregularly in the loop",
    "behind-loop": "{0} after its loop",
    "not-linear": "subscript not linear in the loop indices: {0}",
    "nonlinear-place": "its address is not linear in the loop indices",
    "open-divisor": "'{0}' has no positive constant divisor",
    "rows-overlap": "rows of {0} may overlap",
    "too-many-cases": "too many cases to distinguish",
    "access": "access {0}",
    "if": "if: {0}",
    "inline-assembly": "inline assembly",
    "does-not-compile": "does not compile: {0}",
    "call": "call of {0}",
    "candidates": "call of {0}, which may run {1}",
    "no-loop-shown": "libclang reports no loop here",
    "outside-functions": "outside every function that libclang reports",
    "internal-error": "an internal error; please report it",
    "uncompiled-here": f"{HEADINGS['uncompiled-here']}: {{0}}",
    "uncompiled": f"{HEADINGS['uncompiled']}: {{0}}",
    "goto-loop": "a loop formed by goto",
    "switched-off": "switched off by a rooflint comment",
    "loops-inside": "loops inside: only innermost loops are vectorised",
    "no-vectoriser": "{0} does not vectorise",
    "pragma": "a pragma forbids it",
    "early-exit": "data-dependent exit ({0})",
    "not-analysed": "not analysed: {0}",
    "no-registers": "{0} has no vector registers",
    "errno": "{0} may set errno (-fno-math-errno)",
    "walking-address": "an address computed from {0}, which changes in the loop",
    "opaque-value": "{0}",
    "unnamed-value": "a value that is not analysed",
    "scalar-type": "no vector instructions for {0}",
    "complex-nan": "complex product must handle NaN (-fcx-limited-range)",
    "vector-type": "already vector code",
    "recurrence": "recurrence: {0}",
    "conditional-value": "{0} keeps its value where the condition fails",
    "carried-value": "{0} needs its value from the previous iteration",
    "induction-order": "every iteration adds to {0} (-fassociative-math)",
    "extreme": "minimum or maximum of {0} must handle NaN (-ffinite-math-only)",
    "reduction": "reduction to {0} without reassociation (-fassociative-math)",
    "memory-reduction": "reduction in memory without reassociation (-fassociative-math)",
    "needs-earlier": "{0} reads the value stored {1} earlier",
    "overwritten-later": "{0} is read after a store that overwrites it {1} later",
    "moves-otherwise": "{0} has another stride than the stores to its array",
    "written-elsewhere": "{0} is written elsewhere in this loop",
    "previous-value": "{0} is a value of the previous iteration (gcc {1} accepts it)",
    "shared-condition": "{0} depend on the same condition",
    "last-value": "{0} is the value of the last iteration that meets a condition",
    "aliasing": "unknown aliasing: {0}",
    "store-in-place": "{0} stays in memory, other accesses may overlap it",
    "unbounded-range": "the range of {0} cannot be computed",
    "pointer-pairs": "{0} pairs of pointers to compare",
    "indirect-store": "indirect store to {0}",
    "bit-field": "{0} has bit fields (gcc {1} accepts them)",
    "no-scatter": "indirect store to {0}, no scatter instruction",
    "symbolic-step": "loads and stores of {0} in steps that are no constant",
    "few-iterations": "only {0} iterations",
    "masked-store": "store under a condition, no masked stores",
    "masked-load": "load of {0} under a condition, no masked loads",
    "no-instruction": "no vector instruction for {0} of {1}",
    "may-trap": "floating-point {0} under a condition may trap (-fno-trapping-math)",
    "wrapping-subscript": "the subscript of {0} may wrap at 2^32",
    "switch": "a switch selects what an iteration does",
    "changing-pointer": "a pointer to {0} lies in memory, and a store in the loop may change it",
    "changing-bound": "{0} bounds the loop, and a store in it may change it",
    "wide-element": "one {0}-bit element fills a register",
    "constant-address": "where {0} holds, addresses are constants: complicated access pattern",
    "remainder": "{0} iterations: -O2 accepts no remainder (-O3, -fvect-cost-model=dynamic)",
    "unknown-remainder": (
        "trip count is not known: -O2 accepts no remainder (-O3, -fvect-cost-model=dynamic)"
    ),
    "unprofitable": "not profitable",
    "unprofitable-indirect": "not profitable: {0} is accessed indirectly",
    "unprofitable-stride": "not profitable: {0} is accessed with a stride",
}
"""The wording of each kind; ``{0}`` is the first argument."""


def heading(kind: ReasonKind) -> str:
    """The words for all reasons of a kind."""
    return HEADINGS.get(kind, TEMPLATES[kind])


class Reason(NamedTuple):
    """Why something is as it is. ``arguments``: names of the source, numbers, or a reason's own."""

    kind: ReasonKind
    arguments: "tuple[str | Reason, ...]" = ()

    @property
    def cause(self) -> "Reason | None":
        """The reason behind this one, if there is one."""
        return next((each for each in self.arguments if isinstance(each, Reason)), None)

    @property
    def subject(self) -> str:
        """The name that the reason is about: its first argument; empty where it names none."""
        return next((each for each in self.arguments if isinstance(each, str)), "")

    def __str__(self) -> str:
        return TEMPLATES[self.kind].format(*self.arguments)
