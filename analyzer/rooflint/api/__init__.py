"""The Python API: ``rooflint.analyze`` and the records that it returns.

``rooflint`` itself has these names and loads them when one is asked for. Everything else in this
distribution may change without notice.
"""

from rooflint.api.analysis import RooflintWarning, analyze
from rooflint.api.lookup import load_machine, machines
from rooflint.api.loops import RankedLoop
from rooflint.api.report import LostFile, RankedReport, RefusedLoop
from rooflint.errors import ConfigurationError, RooflintError, UsageError
from rooflint.machine import Machine, MachineEntry
from rooflint.plugin_api.advice import Advice
from rooflint.plugin_api.prediction import Prediction
from rooflint.plugin_api.verdict import Verdict
from rooflint.render.explanations import explanation as explain

Report = RankedReport
Loop = RankedLoop

__all__ = [
    "Advice",
    "ConfigurationError",
    "Loop",
    "LostFile",
    "Machine",
    "MachineEntry",
    "Prediction",
    "RefusedLoop",
    "Report",
    "RooflintError",
    "RooflintWarning",
    "UsageError",
    "Verdict",
    "analyze",
    "explain",
    "load_machine",
    "machines",
]
