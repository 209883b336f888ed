"""Reports of buffers beside what the user measured of their functions before."""

from typing import Final

from rooflint.incremental.measurements import MeasurementStore
from rooflint.incremental.store import MemoryStore, content_key
from rooflint.pipeline.live.service import BufferRequest
from rooflint.pipeline.measured.reader import MeasurementReader
from rooflint.plugin_api.report import FileReport

KEPT_READERS: Final = 4
"""Settings of workspace folders."""


class MeasuredReports:
    """Adds measurements to reports. Only a function that was measured costs more than a look."""

    def __init__(self) -> None:
        self._readers = MemoryStore[MeasurementReader](KEPT_READERS)

    def report(self, report: FileReport, look: BufferRequest) -> FileReport:
        """The report of the text in ``look``; may start a child of the front end."""
        key = content_key(repr((look.options, look.folder, look.revision)))
        reader = self._readers.get(key)
        if reader is None:
            reader = MeasurementReader(MeasurementStore(), look.options, look.folder)
            self._readers.put(key, reader)
        return reader.with_measurements(report, look.text, look.others)
