"""One file's functions as the front end sees them, for commands that start from a file."""

from rooflint.config.settings import ConfigFinder
from rooflint.errors import AnalysisError
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import Unit
from rooflint.pipeline.setup.flags import ConfiguredFlags
from rooflint.pipeline.setup.options import Options
from rooflint.workers.limits import Failure


def unit_of(path: str, options: Options) -> Unit:
    """The functions of ``path``; raises AnalysisError where it cannot be analysed."""
    flags = ConfiguredFlags(options, ConfigFinder(options.isolated))
    with Frontend(jobs=1) as frontend:
        for _, answer in frontend.analyse_all([Request(path, flags.flags(path))]):
            if isinstance(answer, Failure):
                raise AnalysisError(f"{path}: not analysed: {answer.reason}")
            return answer
    raise AnalysisError(f"{path}: not analysed")
