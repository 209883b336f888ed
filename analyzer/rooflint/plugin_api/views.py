"""Views of the analysis for models: a plugin imports these here, wherever they are made."""

from typing import TYPE_CHECKING, Protocol

from rooflint.facts import Kernel, KernelFacts

if TYPE_CHECKING:
    from rooflint.core import Compiler
    from rooflint.core.code import Code, CorePlan, RowSpace
    from rooflint.core.external.cycles import ExternalCoreCycles
    from rooflint.core.instructions import CompiledBody

__all__ = ["CoreView", "Kernel", "KernelFacts", "LevelMisses"]


class CoreView(Protocol):
    """The core's part of a kernel: planned when a model first asks, and shared by all of them."""

    @property
    def compiler(self) -> "Compiler":
        """Whose code is planned, with the flags of the file."""

    @property
    def plan_if_made(self) -> "CorePlan | None":
        """The plan if a model has asked for it."""

    @property
    def plan(self) -> "CorePlan":
        """Vectors, ports and latencies; ValueError for a machine whose file has no ``core``."""

    @property
    def external(self) -> "ExternalCoreCycles | None":
        """Cycles from a compiler's assembly; None where the user wants the model's own."""

    def body(self, code: "Code") -> "CompiledBody":
        """The instructions of ``code``, which is one of the plan's."""

    def code_for(self, rows: "RowSpace") -> "tuple[Code, tuple[str, ...]]":
        """The code of the mean execution of the loop, its ends included, with its assumptions."""

    def wrong_guesses(self, code: "Code") -> float:
        """Branches of an iteration of ``code`` that are guessed wrong at most."""

    def with_overlap(self, code: "Code", rows: "RowSpace") -> "Code":
        """``code`` of the plan, with what its chains cost where executions of the loop overlap."""


class LevelMisses(Protocol):
    """Lines that a level of the hierarchy misses over all iterations of a kernel, by kind."""

    @property
    def level(self) -> str:
        """``L1``."""

    @property
    def compulsory(self) -> float:
        """Those of cold caches."""

    @property
    def capacity(self) -> float:
        """Those of a cache without sets that is too small."""

    @property
    def conflict(self) -> float:
        """Those of lines that share too few ways."""

    @property
    def total(self) -> float:
        """All of them."""
