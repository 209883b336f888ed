"""The front end behind a wall: libclang works in child processes, and a crash costs one file."""

import os
from collections.abc import Callable
from typing import Final

from rooflint.frontend.request import Request
from rooflint.ir.equations import Equations
from rooflint.ir.signature import FileSignatures
from rooflint.ir.unit import Unit
from rooflint.records import NamedTuple
from rooflint.workers.child import Target
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Limits
from rooflint.workers.pool import Workers

USUAL_LIMITS: Final = Limits()


class Extraction(NamedTuple):
    """Reads a file into its Unit; the process that asks never loads libclang."""

    def start(self) -> Callable[[Request], Unit]:
        """Loads libclang."""
        from rooflint.frontend.extract import extract  # noqa: PLC0415 - in the child alone

        return extract


class SignatureExtraction(NamedTuple):
    """Reads the signatures of a file's functions, as ``Extraction`` reads its loops."""

    def start(self) -> Callable[[Request], FileSignatures]:
        """Loads libclang."""
        from rooflint.frontend.declared.signatures import (  # noqa: PLC0415 - in the child alone
            file_signatures,
        )

        return file_signatures


class EquationExtraction(NamedTuple):
    """Reads the equations of a file, as ``Extraction`` reads its loops."""

    def start(self) -> Callable[[Request], Equations]:
        """Loads libclang."""
        from rooflint.frontend.equations.extraction import (  # noqa: PLC0415 - in the child alone
            file_equations,
        )

        return file_equations


class Frontend(Workers[Request, Unit]):
    """The front end: a Unit for each Request, or the Failure that it cost."""

    def __init__(
        self,
        limits: Limits = USUAL_LIMITS,
        jobs: int | None = None,
        target: Target = Extraction(),  # noqa: B008 - a value without fields
    ) -> None:
        dialogue = Dialogue[Request, Unit](Request, Unit)
        super().__init__(target, limits, dialogue, jobs or os.cpu_count() or 1)
