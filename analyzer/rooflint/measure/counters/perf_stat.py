"""Output of ``perf stat -x``: a line an event, in the order of fields that its manual gives.

Fields: value, unit, event, run time of the counter in ns, percentage of the time that it ran;
further ones are derived values. A comma may be part of an event's name, hence another separator.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rooflint.errors import AnalysisError
from rooflint.measure.counters.readings import CounterReading, CountState

SEPARATOR: Final = ";"
_STATES: Final = {
    "<not counted>": CountState.NOT_COUNTED,
    "<not supported>": CountState.NOT_SUPPORTED,
}
_FIELDS: Final = 5


def perf_command(perf: str, events: Sequence[str], output: str) -> tuple[str, ...]:
    """The command in front of that of the program to count; perf writes to the file ``output``."""
    listed = [part for event in events for part in ("-e", event)]
    return (perf, "stat", "-x", SEPARATOR, "-o", output, *listed, "--")


def read_perf_stat(text: str, path: str) -> tuple[CounterReading, ...]:
    """The readings in their order; raises AnalysisError that names the line of ``path``."""
    return tuple(_readings(text, path))


def _readings(text: str, path: str) -> Iterator[CounterReading]:
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split(SEPARATOR)
        is_comment = not line.strip() or line.startswith("#")
        if is_comment or not any(fields[:_FIELDS]):  # a derived value on a line of its own
            continue
        if len(fields) < _FIELDS:
            raise AnalysisError(f"{path}:{number}: expected {_FIELDS} fields of 'perf stat -x'")
        value, unit, event, _, percentage = fields[:_FIELDS]
        state = _STATES.get(value, CountState.COUNTED)
        try:
            count = float(value) if state is CountState.COUNTED else 0.0
            share = float(percentage or 100) / 100
        except ValueError:
            raise AnalysisError(f"{path}:{number}: expected a count, got '{value}'") from None
        yield CounterReading(event=event, state=state, count=count, unit=unit, share=share)
