"""Loops as rows of a table; the libraries of tables are imported by the one that asks."""

from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias

from rooflint.api.loops import RankedLoop
from rooflint.errors import UsageError

Backend: TypeAlias = Literal["pandas", "polars"]
BACKENDS: Final[tuple[Backend, ...]] = ("pandas", "polars")


def record_of(loop: RankedLoop) -> dict[str, object]:
    """The columns of a loop, in their order; later releases only add some."""
    finding = loop.finding
    return {
        "file": loop.file,
        "line": loop.line,
        "function": loop.function,
        "index": loop.index,
        "machine": loop.machine,
        "cores": loop.cores,
        "limit": loop.limit,
        "cycles_per_iteration": loop.cycles_per_iteration,
        "iterations": loop.iterations,
        "seconds": loop.seconds,
        "share": loop.share,
        "estimated_share": loop.estimated_share,
        "gain": loop.gain,
        "rule": None if finding is None else finding.code,
        "gflops": loop.gflops,
        "confidence": loop.confidence,
        "guessed": ", ".join(loop.guessed),
        "id": loop.id,
    }


def frame_of(records: list[dict[str, object]], backend: Backend | None) -> Any:  # noqa: ANN401
    """A data frame of pandas or polars, whose types are not known here."""
    wanted = backend or next((each for each in BACKENDS if find_spec(each)), None)
    if wanted is None or not find_spec(wanted):
        missing = "pandas or polars" if wanted is None else wanted
        raise UsageError(f"to_frame: needs {missing}: pip install {wanted or BACKENDS[0]}")
    if wanted == "polars":
        import polars  # noqa: PLC0415 - few have it

        return polars.DataFrame(records, infer_schema_length=None)
    import pandas as pd  # noqa: PLC0415 - few have it

    return pd.DataFrame(records)
