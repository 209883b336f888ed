"""One file's functions as the front end sees them, for commands that start from a file."""

from rooflint.analysis.flags import ConfiguredFlags
from rooflint.analysis.options import Options
from rooflint.config import ConfigFinder
from rooflint.errors import AnalysisError
from rooflint.frontend.request import Failure, Request
from rooflint.frontend.worker import Frontend
from rooflint.ir import Unit


def unit_of(path: str, options: Options) -> Unit:
    """The functions of ``path``; raises AnalysisError where it cannot be analysed."""
    flags = ConfiguredFlags(options, ConfigFinder(options.isolated))
    with Frontend(jobs=1) as frontend:
        for _, answer in frontend.analyse_all([Request(path, flags.flags(path))]):
            if isinstance(answer, Failure):
                raise AnalysisError(f"{path}: not analysed: {answer.reason}")
            return answer
    raise AnalysisError(f"{path}: not analysed")
