"""Benchmark programs and their settings: what a build returns and a process is started with."""

from enum import Enum
from typing import Final, Literal, TypeAlias

from msgspec import Struct

SizeOrigin: TypeAlias = Literal["given", "macro", "default"]
ScalarKind: TypeAlias = Literal["f64", "f32", "integer", "bits"]
MemoryState: TypeAlias = Literal["warm", "cold"]
IndexFill: TypeAlias = Literal["near", "random", "identity"]
"""Integers in arrays, as indices: within eight of the element's own number, any, or that number."""
DEFAULT_SIZE: Final = 1000
"""Value of integer parameters that nobody gives; the analysis assumes it too."""
ROW: Final = "row"
"""The size that says how many elements each row of an array of rows has; 0: the limit."""
ROW_ELEMENT_BYTES: Final = 8
DEFAULT_MEMORY_BYTES: Final = 1 << 30


OPENMP_FLAGS: Final = ("-fopenmp=", "-qopenmp", "-fiopenmp")
"""Beginnings of the flags that make threads, beside ``-fopenmp`` itself; -fopenmp-simd makes none.
"""


class MeasureMode(Enum):
    """How a loop is isolated."""

    FUNCTION = "function"
    MARKS = "marks"
    KERNEL = "kernel"


class ProgramSize(Struct, frozen=True, kw_only=True):
    """An integer that a run can set: a parameter, a member ``a.b``, a variable of the file.

    ``settable`` is false for macros, whose value is compiled in.
    """

    name: str
    value: int
    origin: SizeOrigin
    settable: bool = True


class ProgramArray(Struct, frozen=True, kw_only=True):
    """Memory behind a pointer, by the path that leads to it: ``A->values``.

    ``scalar``: an element is an integer, or consists of numbers of one floating-point type; else
    ``bits``.
    """

    name: str
    element_bytes: int
    element: str
    scalar: ScalarKind = "bits"


class Program(Struct, frozen=True, kw_only=True):
    """An executable of one function and the harness.

    elsewhere   the same with its code at other distances from the start of a line of code
    commands    that built it, as argument lists
    compiler    its version line; ``flags`` those that the user's file was compiled with
    sizes       that a run can set, and macros
    cells       single objects that the function may change: its value, variables
    stubs       functions that lie outside of the file, replaced by ones that return 0
    loop_stubs  those of them that the loops call: the time is not that of the loop
    notes       sentences about data that were left zero and other liberties
    compiler_path  of the compiler's program
    """

    function: str
    mode: MeasureMode
    executable: str
    commands: tuple[tuple[str, ...], ...]
    compiler: str
    flags: tuple[str, ...]
    sizes: tuple[ProgramSize, ...]
    arrays: tuple[ProgramArray, ...]
    cells: tuple[ProgramArray, ...] = ()
    stubs: tuple[str, ...] = ()
    loop_stubs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    compiler_path: str = ""
    elsewhere: tuple[str, ...] = ()

    def executable_at(self, place: int) -> str:
        """The program whose code lies at the ``place``-th of all places, which follow in turns."""
        places = (self.executable, *self.elsewhere)
        return places[place % len(places)]

    @property
    def is_threaded(self) -> bool:
        """Whether the compiler took the OpenMP directives for what they are."""
        return any(f == "-fopenmp" or f.startswith(OPENMP_FLAGS) for f in self.flags)


class ArrayPlacement(Struct, frozen=True):
    """Where the arrays of a process begin in their pages, in bytes.

    offset   of the first array from the start of a page
    spacing  from the place of each array in its page to that of the next
    """

    offset: int = 64
    spacing: int = 2496


class RunSettings(Struct, frozen=True, kw_only=True):
    """Settings of one process of the harness.

    sizes       name and value; every other size keeps the program's own
    core        the processor's number to run on; None: any
    team        processors' numbers, of a process each, that run at once; empty: one process alone
    threads     processors' numbers, of a thread each of one process; empty: it has one
    fence       calls are kept apart
    batch_s     aim for a batch, seconds of processor time
    budget_s    for all batches
    batches     at most
    calls       in a batch; 0: as many as fill it
    max_bytes   of memory
    placement   of the arrays in their pages
    code_place  number of the place of the code, see ``Program.executable_at``
    row_bytes   between rows of arrays of pointers; 0: the limit times 8
    limit       the least value that no integer in memory reaches; 0: the largest size, the
                default one where there is none
    indices     how integers in arrays are filled
    least       of those integers; 1 for a function that divides by one
    stream      the memory reference runs between batches
    passes      of a nest between marks, after which a call is left; 0: as many as time allows
    results     bytes at most of the contents after one call, in place of timing; 0: timing
    extents     of the arrays in their order, low and high, that an earlier process found: they are
                mapped at once, without a fault a page
    """

    sizes: tuple[tuple[str, int], ...] = ()
    state: MemoryState = "warm"
    core: int | None = None
    team: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    fence: bool = True
    batch_s: float = 175e-6
    budget_s: float = 0.5
    batches: int = 2000
    calls: int = 0
    max_bytes: int = DEFAULT_MEMORY_BYTES
    placement: ArrayPlacement = ArrayPlacement()
    code_place: int = 0
    row_bytes: int = 0
    limit: int = 0
    indices: IndexFill = "near"
    least: int = 0
    stream: bool = False
    sandbox: bool = True
    passes: int = 0
    results: int = 0
    extents: tuple[tuple[int, int], ...] = ()


def process_arguments(program: Program, settings: RunSettings) -> tuple[str, ...]:
    """The harness' arguments, its descriptor for results aside."""
    sizes = {size.name: size.value for size in program.sizes if size.settable}
    sizes |= dict(settings.sizes)
    row = sizes.pop(ROW, 0)
    limit = settings.limit or max(sizes.values(), default=DEFAULT_SIZE)
    return (
        f"state={settings.state}",
        f"core={-1 if settings.core is None or settings.threads else settings.core}",
        f"threads={max(1, len(settings.threads))}",
        f"fence={settings.fence:d}",
        f"batch={settings.batch_s:.9g}",
        f"budget={settings.budget_s:.9g}",
        f"batches={settings.batches}",
        f"calls={settings.calls}",
        f"bytes={settings.max_bytes}",
        f"offset={settings.placement.offset}",
        f"spacing={settings.placement.spacing}",
        f"row={settings.row_bytes or ROW_ELEMENT_BYTES * row}",
        f"limit={limit}",
        f"indices={settings.indices}",
        f"least={settings.least}",
        f"stream={settings.stream:d}",
        f"sandbox={settings.sandbox:d}",
        f"passes={settings.passes}",
        f"results={settings.results}",
        *[f"size:{name}={value}" for name, value in sizes.items()],
        *[f"touched={low}:{high}" for low, high in settings.extents],
    )
