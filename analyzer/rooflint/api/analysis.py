"""``analyze``: one run of the pipeline, with the same settings as ``rooflint analyze``."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.api.report import RankedReport
from rooflint.config.settings import parse_cores
from rooflint.errors import ConfigurationError, UsageError
from rooflint.lint import lint_file
from rooflint.machine import Machine
from rooflint.pipeline import Analysis, Options, Source, SourceList, find_sources
from rooflint.pipeline.measured.run_report import run_report
from rooflint.plugin_api.report import Report
from rooflint.registry import load_registry
from rooflint.scenario.sizes import parse_size, sizes_by_name

StrPath: TypeAlias = str | os.PathLike[str]
MachineChoice: TypeAlias = StrPath | Machine
ESTIMATORS: Final = ("ecm",)
"""Models beside those of reports that a verdict is made of."""


class RooflintWarning(UserWarning):
    """A doubt about a run: a size that no loop has, a header that is missing, a lost plugin."""


def analyze(  # noqa: PLR0913 - the options of a run
    paths: StrPath | Iterable[StrPath],
    *,
    machine: MachineChoice | Sequence[MachineChoice] | None = None,
    cores: int | str | None = None,
    sizes: Mapping[str, float] | None = None,
    flags: Sequence[str] = (),
    build_dir: StrPath | None = None,
    models: Sequence[str] = (),
    lint: bool = True,
    jobs: int | None = None,
    config: bool = True,
    cache: bool = True,
) -> RankedReport:
    """Analyses C and C++ source: what limits each loop, how fast it could be, what to change.

    paths      files and folders, or a ``compile_commands.json``
    machine    by name, alias, file or as ``load_machine`` gives it; several are compared
    cores      active cores: a number, ``socket`` or ``node``
    sizes      values of sizes that the source leaves open: ``{"n": 10_000_000}``
    flags      of the compiler, for files without an entry in the compilation database
    build_dir  the folder of ``compile_commands.json``; else the nearest above a file
    models     only these
    lint       whether rules propose changes, with their predicted gain
    jobs       files analysed at a time; None: one per processor
    config     whether ``rooflint.toml`` and the like are read
    cache      whether results are kept between runs

    Raises UsageError for a wrong argument and ConfigurationError where a wrong configuration
    leaves no file. A file that cannot be analysed is one of ``Report.failed``; doubts are
    ``RooflintWarning``.
    """
    sources = _sources(paths)
    options = Options(
        machines=_machines(machine),
        cores=_cores(cores),
        sizes=_sizes(sizes or {}),
        flags=tuple(flags),
        build_dir=sources.database if build_dir is None else os.fspath(build_dir),
        models=tuple(models),
        jobs=jobs or 0,
        isolated=not config,
        cache_dir=None if cache else "",
        estimators=ESTIMATORS,
        advice=lint,
        reuse_in_full=True,
        detailed=True,
    )
    analysis = Analysis(options, load_registry(), lint_file)
    for _ in analysis.files(map(Source, sources.sources)):
        pass
    report, problem = run_report(analysis)
    _check(analysis, report)
    doubts = tuple(filter(None, (*sources.problems, problem, *_doubts(analysis, report))))
    for doubt in doubts:
        warnings.warn(doubt, RooflintWarning, stacklevel=2)
    return RankedReport(report, doubts)


def _sources(paths: StrPath | Iterable[StrPath]) -> SourceList:
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    sources = find_sources([os.fspath(path) for path in several])
    if sources.unusable and not sources.sources:
        raise UsageError(sources.problems[0])
    return sources


def _machines(choice: MachineChoice | Sequence[MachineChoice] | None) -> tuple[str, ...]:
    if choice is None:
        return ()
    several = [choice] if isinstance(choice, str | os.PathLike | Machine) else choice
    return tuple([each.file if isinstance(each, Machine) else os.fspath(each) for each in several])


def _cores(cores: int | str | None) -> str | None:
    try:
        return None if cores is None else parse_cores(str(cores))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _sizes(sizes: Mapping[str, float]) -> dict[str, int]:
    return sizes_by_name([_size(name, value) for name, value in sizes.items()])


def _size(name: str, value: float) -> tuple[str, int]:
    if float(value).is_integer():
        return parse_size(f"{name}={int(value)}")
    raise UsageError(f"sizes: {name} is {value}, expected a whole number such as 4096 or 1e6")


def _check(analysis: Analysis, report: Report) -> None:
    """Raises ConfigurationError where mistakes leave no file."""
    if analysis.problems and all(file.status == "failed" for file in report.files):
        raise ConfigurationError(analysis.problems[0])


def _doubts(analysis: Analysis, report: Report) -> Iterator[str]:
    yield from analysis.unused_sizes()
    headers = report.missing_headers()
    if headers:
        yield f"headers not found: {', '.join(headers)}; build_dir= or flags= locates them"
    yield from analysis.warnings
    yield from analysis.problems
    yield from report.plugin_failures
    yield from analysis.internal
