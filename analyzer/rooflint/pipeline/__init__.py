"""The pipeline, written once: every door calls this and adds nothing to it."""

from collections.abc import Iterable

from rooflint.compile_flags.sources import Source, SourceList, find_sources
from rooflint.incremental.disk_store import ENVIRONMENT as CACHE_ENVIRONMENT
from rooflint.incremental.disk_store import DiskStore, default_folder, measurements_folder
from rooflint.pipeline.files import FileTask
from rooflint.pipeline.run import Analysis
from rooflint.pipeline.setup.machines import machine_named
from rooflint.pipeline.setup.options import Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.plugin_api.report import Report
from rooflint.registry import Registry
from rooflint.workers.limits import Limits

__all__ = [
    "CACHE_ENVIRONMENT",
    "Analysis",
    "DiskStore",
    "Limits",
    "Options",
    "SetupResolver",
    "Source",
    "SourceList",
    "analyse",
    "default_folder",
    "find_sources",
    "machine_named",
    "measurements_folder",
]


def analyse(
    sources: Iterable[Source],
    options: Options,
    registry: Registry,
    linter: FileTask | None = None,
) -> Report:
    """The whole pipeline in one call, for callers that want neither progress nor a way out."""
    analysis = Analysis(options, registry, linter)
    for _ in analysis.files(sources):
        pass
    return analysis.report()
