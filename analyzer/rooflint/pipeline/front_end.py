"""The front end's view of files, where no model is needed."""

from collections.abc import Iterable, Iterator

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.errors import AnalysisError
from rooflint.frontend.request import Request
from rooflint.frontend.service import EquationExtraction, Frontend
from rooflint.ir import Unit
from rooflint.ir.equations import Equations
from rooflint.ir.text import print_function
from rooflint.pipeline.setup.options import Options
from rooflint.records import NamedTuple
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers


class PrintedFile(NamedTuple):
    """One file as text, or why there is none."""

    path: str
    text: str
    failure: str = ""


def printed_files(paths: Iterable[str], options: Options) -> Iterator[PrintedFile]:
    """Each file in order; raises RooflintError for a wrong compilation database."""
    flags = ConfiguredFlags(options, ConfigFinder(options.isolated))
    requests = (Request(path, flags.flags(path)) for path in paths)
    with Frontend(jobs=options.jobs or None) as frontend:
        for request, answer in frontend.analyse_all(requests):
            if isinstance(answer, Failure):
                yield PrintedFile(request.path, "", answer.reason)
            else:
                yield PrintedFile(request.path, _text(answer))


def _text(unit: Unit) -> str:
    lines = [f"file {unit.path} {unit.language} headers {unit.headers}\n"]
    lines += [print_function(source.function) for source in unit.functions]
    lines += [f"refused {refusal.line}: {refusal.reason}\n" for refusal in unit.refusals]
    lines += [f"{d.severity} {d.line}: {d.message}\n" for d in unit.diagnostics]
    return "".join(lines)


def unit_of(path: str, options: Options) -> Unit:
    """The functions of ``path``; raises AnalysisError where it cannot be analysed."""
    flags = ConfiguredFlags(options, ConfigFinder(options.isolated))
    with Frontend(jobs=1) as frontend:
        for _, answer in frontend.analyse_all([Request(path, flags.flags(path))]):
            if isinstance(answer, Failure):
                raise AnalysisError(f"{path}: not analysed: {answer.reason}")
            return answer
    raise AnalysisError(f"{path}: not analysed")


def equations_of(
    requests: Iterable[Request], jobs: int = 1
) -> Iterator[tuple[Request, Equations | Failure]]:
    """The equations of each file in order, or why there are none."""
    dialogue = Dialogue[Request, Equations](Request, Equations)
    with Workers(EquationExtraction(), Limits(), dialogue, jobs) as workers:
        yield from workers.analyse_all(requests)
