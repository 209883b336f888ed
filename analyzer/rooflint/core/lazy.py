"""The core plan of a kernel, made when somebody first asks for it."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from rooflint.core.compiler import Compiler
from rooflint.core.external.cycles import Second
from rooflint.facts import KernelFacts
from rooflint.ir import Function
from rooflint.machine import Machine

if TYPE_CHECKING:
    from rooflint.core.code import Code, CorePlan
    from rooflint.core.instructions import Body
    from rooflint.core.plan import Planner

DEFAULT_COMPILER = Compiler()


class Plans:
    """Core plans on one machine, made once for kernels of the same code."""

    def __init__(self) -> None:
        self._made: dict[object, tuple[Planner, CorePlan]] = {}

    def of(
        self, function: Function, facts: KernelFacts, machine: Machine, compiler: Compiler
    ) -> "tuple[Planner, CorePlan]":
        """The plan of a kernel, and what has made it."""
        kernel = facts.kernel
        key = (
            kernel.loops[-1],
            kernel.statements,
            kernel.innermost,
            kernel.regions,
            kernel.calls,
            tuple([gap.reason for gap in kernel.not_covered]),
            kernel.arrays_of(function),
            compiler,
        )
        found = self._made.get(key)
        if found is None:
            # by name: importing the planner takes longer than analysing a small file without it
            made = import_module("rooflint.core.plan").Planner
            planner: Planner = made(function, facts, machine, compiler)
            found = self._made[key] = planner, planner.plan()
        return found


class LazyPlan:
    """What all models of one kernel share; costs nothing where none of them looks at the core."""

    __slots__ = (
        "_known",
        "_measure",
        "_planner",
        "_plans",
        "_second",
        "compiler",
        "facts",
        "function",
        "machine",
    )

    def __init__(
        self,
        function: Function,
        facts: KernelFacts,
        machine: Machine,
        compiler: Compiler = DEFAULT_COMPILER,
        measure: Callable[[], Second] | None = None,
        plans: Plans | None = None,
    ) -> None:
        self.function = function
        self.facts = facts
        self.machine = machine
        self.compiler = compiler
        self._known: CorePlan | None = None
        self._planner: Planner | None = None
        self._plans = plans or Plans()
        self._measure = measure
        self._second: Second | None = None

    @property
    def second(self) -> Second | None:
        """The cycles from another source, measured when first asked for; None: nobody wants one."""
        if self._second is None and self._measure is not None:
            self._second = self._measure()
        return self._second

    @property
    def known(self) -> "CorePlan | None":
        """The plan if somebody has asked for it."""
        return self._known

    @property
    def plan(self) -> "CorePlan":
        """The plan; raises ValueError for a machine whose file has no ``core``."""
        if self._known is None:
            made = self._plans.of(self.function, self.facts, self.machine, self.compiler)
            self._planner, self._known = made
        return self._known

    def body(self, code: "Code") -> "Body":
        """The instructions of ``code``, which is one of the plan's."""
        assert self.plan and self._planner is not None
        body: Body = import_module("rooflint.core.instructions").body_of(self._planner, code)
        return body
