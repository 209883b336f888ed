"""The pipeline, written once: every door calls this and adds nothing to it."""

from rooflint.analysis.benches import Benches
from rooflint.analysis.cache import ENVIRONMENT as CACHE_ENVIRONMENT
from rooflint.analysis.cache import Cache, default_folder
from rooflint.analysis.counterparts import (
    SettingDifference,
    SettingsReader,
    judged_by_counterparts,
)
from rooflint.analysis.dumping import printed_files
from rooflint.analysis.headers import Headers, included_headers
from rooflint.analysis.machines import machine_named
from rooflint.analysis.options import Options
from rooflint.analysis.ranking import count_kernels, top_kernels
from rooflint.analysis.run import Analysis, Source, analyse
from rooflint.analysis.sources import Found, find_sources
from rooflint.analysis.units import unit_of
from rooflint.frontend.request import Limits

__all__ = [
    "CACHE_ENVIRONMENT",
    "Analysis",
    "Benches",
    "Cache",
    "Found",
    "Headers",
    "Limits",
    "Options",
    "SettingDifference",
    "SettingsReader",
    "Source",
    "analyse",
    "count_kernels",
    "default_folder",
    "find_sources",
    "included_headers",
    "judged_by_counterparts",
    "machine_named",
    "printed_files",
    "top_kernels",
    "unit_of",
]
