"""The files of a run with a line of progress on a terminal, until they end or Ctrl-C comes."""

import sys
import time
from collections.abc import Sequence
from typing import Final

from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.interruption import STOP_SIGNALS, interruption_code
from rooflint.escaping import visible
from rooflint.pipeline import Analysis, Source
from rooflint.workers.stop_signals import StopSignals

PROGRESS_AFTER_S: Final = 1.0
PROGRESS_EVERY_S: Final = 0.1
SHOWN_OF_PATH: Final = 60
MINUTE_S, HOUR_S = 60, 3600


def collect(analysis: Analysis, sources: Sequence[str | Source]) -> ExitCode:
    """Analyses every file; the code of Ctrl-C or SIGTERM where one cut that short, else FINE.

    What is finished is kept.
    """
    progress = Progress(len(sources), enabled=len(sources) > 1 and sys.stderr.isatty())
    wanted = [Source(source) if isinstance(source, str) else source for source in sources]
    code = ExitCode.FINE
    with StopSignals(STOP_SIGNALS) as stop:
        try:
            for done, file in enumerate(analysis.files(wanted, stop), 1):
                progress.show(done, file.path)
        except KeyboardInterrupt as request:
            code = interruption_code(request)
        finally:
            progress.clear()
    # also one that came after the last file
    return code if stop.requested is None else interruption_code(stop.requested())


class Progress:
    """``12/140, 25 s left: src/solver.c``, once a run has taken a second.

    The time left supposes that the other files take as long as those before them.
    """

    def __init__(self, total: int, enabled: bool) -> None:
        self.total = total
        self.enabled = enabled
        self.start_s = time.monotonic()
        self.next_s = self.start_s + PROGRESS_AFTER_S
        self.shown = False

    def show(self, done: int, path: str) -> None:
        """Redraws the line where enough time has passed."""
        now_s = time.monotonic()
        if self.enabled and now_s >= self.next_s:
            self.next_s = now_s + PROGRESS_EVERY_S
            self.shown = True
            left_s = (now_s - self.start_s) / done * (self.total - done)
            where = visible(path)[-SHOWN_OF_PATH:]
            sys.stderr.write(f"\r\x1b[K{done}/{self.total}, {duration(left_s)} left: {where}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Removes the line: the report follows."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """``40 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 2 * MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    minutes = round(seconds / MINUTE_S)
    return f"{minutes // 60} h {minutes % 60} min"
