"""Who analyses the files of a run: children of this process, or a cluster."""

import os
from typing import TYPE_CHECKING, Final, TypeAlias

from rooflint.errors import UsageError
from rooflint.pipeline.files import FileTask
from rooflint.pipeline.in_child import Analyst, Answer, Question, dialogue
from rooflint.pipeline.setup.options import Options
from rooflint.registry import Registry
from rooflint.workers.pool import Workers

if TYPE_CHECKING:
    from rooflint.pipeline.cluster import Cluster
    from rooflint.pipeline.compiled.assembled import SecondSource

RunWorkers: TypeAlias = "Workers[Question | None, Answer] | Cluster"
"""Who analyses the files of a run."""
CLUSTER_REMEDY: Final = "pip install 'rooflint[cluster]'"


def workers_of(options: Options, registry: Registry, linter: FileTask | None) -> RunWorkers:
    """Workers that start with the first file that is not known.

    Raises UsageError for a cluster where its package is not installed.
    """
    if options.cluster:
        try:
            from rooflint.pipeline.cluster import Cluster  # noqa: PLC0415 - Dask is optional
        except ModuleNotFoundError as error:
            raise UsageError(f"--cluster needs {error.name}: {CLUSTER_REMEDY}") from None
        return Cluster(options.cluster, options.limits, linter)
    jobs = options.jobs or os.cpu_count() or 1
    analyst = Analyst(registry.models, registry.rules, linter)
    return Workers(analyst, options.limits, dialogue(), jobs)


def assembly_source(options: Options) -> "SecondSource | None":
    """The analyser of assembly that the options name; None for the model."""
    if options.core_source == "model":
        return None
    from rooflint.pipeline.compiled.assembled import SecondSource  # noqa: PLC0415 - 40 ms

    return SecondSource(options.core_source, options.compiler)
