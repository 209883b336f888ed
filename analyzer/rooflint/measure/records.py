"""Reports of a process of the harness, a JSON record a line (``harness/main.c`` writes them)."""

from typing import Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Struct


class _HarnessRecord(
    Struct, frozen=True, kw_only=True, tag_field="record", forbid_unknown_fields=True
):
    """A line of the report."""


class SandboxRecord(_HarnessRecord, frozen=True, tag="sandbox"):
    """The confinement in force while the function ran; ``landlock``: its version, 0 without it."""

    seccomp: bool
    network: bool
    landlock: int = 0


class ArrayExtent(_HarnessRecord, frozen=True, tag="array"):
    """Bytes of an array that the function touched, in whole pages; ``high`` is exclusive."""

    name: str
    low: int
    high: int


class HeapRecord(_HarnessRecord, frozen=True, tag="heap"):
    """Bytes that the first call had allocated at once; absent where it allocated none."""

    bytes: int


class Calibration(_HarnessRecord, frozen=True, tag="calibrated"):
    """Calls in a batch; ``restores``: arrays are filled again before each batch.

    ``fence_s``: seconds of a call that keeping calls apart takes.
    """

    calls: int
    restores: bool
    fence_s: float = 0.0


class Sentinel(_HarnessRecord, frozen=True, tag="sentinel"):
    """References between batches: the clock, independent additions, a stream from memory."""

    ghz: float
    adds_per_cy: float
    stream_gb_s: float


class Batch(_HarnessRecord, frozen=True, tag="batch"):
    """Calls in a row. ``mark_ticks`` of all ``ticks`` passed between the marks of a nest;
    ``begin_s`` by a clock that all processes share."""

    calls: int
    wall_s: float
    processor_s: float
    ghz_before: float
    ghz_after: float
    ticks: int
    mark_ticks: int
    mark_passes: int
    switches: int
    begin_s: float = 0.0


StopCause: TypeAlias = Literal["fault", "division", "call", "memory", "abort", "setup", "results"]


class Stop(_HarnessRecord, frozen=True, tag="stopped"):
    """The function ended the process; ``detail`` is an address, a system call or bytes."""

    why: StopCause
    detail: int


class Completion(_HarnessRecord, frozen=True, tag="done"):
    """The last record of a process that ran to its end."""

    late_pages: int
    ran_away: bool


class ContentRecord(_HarnessRecord, frozen=True, tag="content"):
    """Bytes of an array or a single object among all contents, from ``low`` on."""

    name: str
    low: int
    bytes: int


class RawRecord(_HarnessRecord, frozen=True, tag="raw"):
    """So many bytes follow: the contents of all arrays and objects in their order."""

    bytes: int


Record: TypeAlias = (
    SandboxRecord
    | ArrayExtent
    | HeapRecord
    | Calibration
    | Sentinel
    | Batch
    | Stop
    | Completion
    | ContentRecord
    | RawRecord
)


ProcessEnd: TypeAlias = Literal["returned", "exited", "late", "killed", "garbled"]


R = TypeVar("R", bound=_HarnessRecord)


class ProcessRun(Struct, frozen=True, kw_only=True):
    """All records of one process. ``completion`` is None where it did not run to its end.

    ``end``: how the process ended; ``signal`` that killed it, ``seconds`` that it was given.
    """

    sandbox: SandboxRecord | None = None
    extents: tuple[ArrayExtent, ...] = ()
    heap: HeapRecord | None = None
    calibration: Calibration | None = None
    sentinels: tuple[Sentinel, ...] = ()
    batches: tuple[Batch, ...] = ()
    stop: Stop | None = None
    completion: Completion | None = None
    end: ProcessEnd = "returned"
    signal: int = 0
    seconds: float = 0.0

    @property
    def array_bytes(self) -> int:
        """Bytes of all arrays between the first page touched and the last."""
        return sum(extent.high - extent.low for extent in self.extents)

    @property
    def touched_bytes(self) -> int:
        """The same with those that the function allocates, touched or not."""
        return self.array_bytes + (self.heap.bytes if self.heap is not None else 0)


def read_run(report: bytes) -> ProcessRun:
    """The records of a report; raises ``msgspec.DecodeError`` where a line is none.

    A last line without its end is left out: the process was stopped while it wrote.
    """
    decoder = msgspec.json.Decoder(Record)
    whole, _, _ = report.rpartition(b"\n")
    records = [decoder.decode(line) for line in whole.splitlines()]
    return ProcessRun(
        sandbox=_first(records, SandboxRecord),
        extents=_all(records, ArrayExtent),
        heap=_first(records, HeapRecord),
        calibration=_first(records, Calibration),
        sentinels=_all(records, Sentinel),
        batches=_all(records, Batch),
        stop=_first(records, Stop),
        completion=_first(records, Completion),
    )


def _all(records: list[Record], kind: type[R]) -> tuple[R, ...]:
    return tuple([record for record in records if isinstance(record, kind)])


def _first(records: list[Record], kind: type[R]) -> R | None:
    return next(iter(_all(records, kind)), None)
