"""Facts meet a core: vector plan, port pressure, latencies; planned only on request."""

from rooflint.core.compiler import Compiler
from rooflint.core.lazy import DEFAULT_COMPILER, LazyPlan, PlanCache, as_compiled, kernels_beside

__all__ = ["DEFAULT_COMPILER", "Compiler", "LazyPlan", "PlanCache", "as_compiled", "kernels_beside"]
