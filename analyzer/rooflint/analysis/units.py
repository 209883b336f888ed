"""One file's functions as the front end sees them, for commands that start from a file."""

from rooflint.analysis.options import Options
from rooflint.errors import AnalysisError
from rooflint.frontend.find_flags import FlagFinder
from rooflint.frontend.request import Failure, Request
from rooflint.frontend.worker import Frontend
from rooflint.ir import Unit


def unit_of(path: str, options: Options) -> Unit:
    """The functions of ``path``; raises AnalysisError where it cannot be analysed."""
    flags = FlagFinder(options.build_dir, options.flags)
    with Frontend(jobs=1) as frontend:
        for _, answer in frontend.analyse_all([Request(path, flags.flags(path))]):
            if isinstance(answer, Failure):
                raise AnalysisError(f"{path}: not analysed: {answer.reason}")
            return answer
    raise AnalysisError(f"{path}: not analysed")
