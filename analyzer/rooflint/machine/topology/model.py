"""The topology of a computer as a file of another tool states it."""

from rooflint.machine.identity.processor import ProcessorNumbers
from rooflint.records import NamedTuple


class StatedCache(NamedTuple):
    """A level as the first core sees it; ``ways`` 0 and ``inclusive`` None where not stated."""

    size_bytes: int
    cores: int
    ways: int = 0
    line_bytes: int = 0
    inclusive: bool | None = None


class StatedTopology(NamedTuple):
    """Packages, cores and caches; ``clock_ghz`` 0 where the file has none.

    processor  its numbers, as far as the file has them
    core       LLVM's name for the core, for a file that only has words for it
    caches     nearest first, instruction caches left out
    """

    tool: str
    brand: str
    processor: ProcessorNumbers
    core: str
    sockets: int
    cores_per_socket: int
    threads_per_core: int
    domains_per_socket: int
    caches: tuple[StatedCache, ...]
    clock_ghz: float = 0.0
