"""Facts of loop nests, symbolic and without a machine: work, trip counts, streams, footprints."""

from rooflint.facts.affine import trip_name
from rooflint.facts.compulsory import (
    ArrayLines,
    StreamFootprint,
    StreamWalk,
    compulsory_lines,
    part_of,
    stream_walk,
)
from rooflint.facts.counting import FunctionWork, function_work
from rooflint.facts.footprint import ByteBox, boxes_of
from rooflint.facts.guards import LoopGuard, never_holds
from rooflint.facts.kernel_facts import KernelFacts, facts_of, rolled_loops
from rooflint.facts.kernels import Gap, Kernel, kernels
from rooflint.facts.moves import exchanged_elements
from rooflint.facts.space import Space, space_of
from rooflint.facts.streams import Reference, Stream, streams_of
from rooflint.facts.text_values import as_written
from rooflint.facts.touched import KernelFootprints, NestFootprint, size_of_footprint
from rooflint.facts.work import Work, work_of

__all__ = [
    "ArrayLines",
    "ByteBox",
    "FunctionWork",
    "Gap",
    "Kernel",
    "KernelFacts",
    "KernelFootprints",
    "LoopGuard",
    "NestFootprint",
    "Reference",
    "Space",
    "Stream",
    "StreamFootprint",
    "StreamWalk",
    "Work",
    "as_written",
    "boxes_of",
    "compulsory_lines",
    "exchanged_elements",
    "facts_of",
    "function_work",
    "kernels",
    "never_holds",
    "part_of",
    "rolled_loops",
    "size_of_footprint",
    "space_of",
    "stream_walk",
    "streams_of",
    "trip_name",
    "work_of",
]
