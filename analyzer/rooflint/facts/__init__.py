"""Facts of loop nests, symbolic and without a machine: work, trip counts, streams, footprints."""

from rooflint.facts.affine import trip_name
from rooflint.facts.compulsory import ArrayLines, compulsory_lines
from rooflint.facts.counting import FunctionWork, function_work
from rooflint.facts.kernel_facts import KernelFacts, facts_of
from rooflint.facts.kernels import Gap, Kernel, kernels
from rooflint.facts.space import Space, space_of
from rooflint.facts.streams import Reference, Stream, streams_of
from rooflint.facts.work import Work, work_of

__all__ = [
    "ArrayLines",
    "FunctionWork",
    "Gap",
    "Kernel",
    "KernelFacts",
    "Reference",
    "Space",
    "Stream",
    "Work",
    "compulsory_lines",
    "facts_of",
    "function_work",
    "kernels",
    "space_of",
    "streams_of",
    "trip_name",
    "work_of",
]
