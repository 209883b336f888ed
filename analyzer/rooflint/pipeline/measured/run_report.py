"""The report of a run as its doors show it: with measurements of the user, and verdicts."""

import os
from typing import TYPE_CHECKING

from rooflint.incremental.disk_store import measurements_folder
from rooflint.plugin_api.report import Report
from rooflint.records import NamedTuple
from rooflint.verdict.steps import with_verdicts

if TYPE_CHECKING:
    from rooflint.pipeline.run import Analysis


class RunReport(NamedTuple):
    """A report with verdicts; ``problem``: why measurements are missing, empty where none are."""

    report: Report
    problem: str


def run_report(analysis: "Analysis") -> RunReport:
    """Everything finished so far, judged."""
    report = analysis.report()._replace(doubts=analysis.doubts())
    if os.path.isdir(measurements_folder()):
        return _measured(analysis, report)
    if analysis.stage is None:
        return RunReport(with_verdicts(report), "")
    return RunReport(analysis.stage.report_with_verdicts(report), "")


def _measured(analysis: "Analysis", report: Report) -> RunReport:
    """The report beside what the user measured; nothing is loaded for a store without entries."""
    from rooflint.incremental.measurements import MeasurementStore  # noqa: PLC0415 - few have one
    from rooflint.pipeline.measured.reader import MeasurementReader  # noqa: PLC0415

    store = MeasurementStore()
    reader = MeasurementReader(store, analysis.options)
    files = tuple(map(reader.with_measurements, report.files))
    return RunReport(with_verdicts(report._replace(files=files)), store.problem)
