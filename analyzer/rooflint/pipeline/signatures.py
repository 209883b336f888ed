"""Signatures of a file's functions, read by the front end in its confined child."""

from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.errors import AnalysisError
from rooflint.frontend.request import Request
from rooflint.frontend.service import SignatureExtraction
from rooflint.ir.signature import FileSignatures
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

_LIMITS: Final = Limits()


def signatures_of(
    path: str,
    flags: Flags,
    text: bytes | None = None,
    others: tuple[tuple[str, bytes], ...] = (),
) -> FileSignatures:
    """The functions of ``path``, or of ``text`` in its place; ``others``: headers by path.

    Raises AnalysisError where it cannot be parsed.
    """
    dialogue = Dialogue[Request, FileSignatures](Request, FileSignatures)
    with Workers(SignatureExtraction(), _LIMITS, dialogue) as workers:
        answer = workers.analyse(Request(path=path, flags=flags, text=text, others=others))
    if isinstance(answer, Failure):
        raise AnalysisError(f"{path}: not analysed: {answer.reason}")
    return answer
