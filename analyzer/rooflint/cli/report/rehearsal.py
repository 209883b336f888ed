"""Rehearsals of a command: they call, in one process, what most of its runs call.

A bundle has the code of the functions that were called beside their modules, and reads that of
others when they are called.
"""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from rooflint.incremental.disk_store import ENVIRONMENT
from rooflint.pipeline.stages.in_process import InProcess

if TYPE_CHECKING:
    from rooflint.pipeline.stages.analysts import WorkersOf

SAMPLE: Final = str(Path(__file__).with_name("rehearsal.c"))


def rehearse(run: "Callable[[list[str], WorkersOf | None], int]") -> None:
    """Runs a command, and once more where the results are known.

    For a process that does nothing else: its results are kept in a folder of their own.
    """
    with TemporaryDirectory() as folder:
        os.environ[ENVIRONMENT] = folder
        run([SAMPLE], InProcess)
        run([SAMPLE], None)
