"""The pipeline, written once: every door calls this and adds nothing to it."""

from rooflint.analysis.dumping import printed_files
from rooflint.analysis.machines import machine_named
from rooflint.analysis.options import Options
from rooflint.analysis.ranking import count_kernels, top_kernels
from rooflint.analysis.run import Analysis, Source, analyse
from rooflint.analysis.sources import Found, find_sources
from rooflint.analysis.units import unit_of

__all__ = [
    "Analysis",
    "Found",
    "Options",
    "Source",
    "analyse",
    "count_kernels",
    "find_sources",
    "machine_named",
    "printed_files",
    "top_kernels",
    "unit_of",
]
