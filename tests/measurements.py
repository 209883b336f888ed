"""Measurements as the user's store keeps them: one that is made up, and those of real files."""

from pathlib import Path

from msgspec.structs import replace
from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.config.settings import ConfigFinder
from rooflint.incremental.measurements import (
    MeasurementIdentity,
    StoredMeasurement,
    StoredPrediction,
)
from rooflint.machine.probe.topology import read_topology
from rooflint.pipeline import Options
from rooflint.pipeline.measured.flag_digest import flag_digest
from rooflint.pipeline.signatures import signatures_of

IDENTITY = MeasurementIdentity(
    path="/code/triad.c",
    function="triad",
    nest=None,
    content="0" * 32,
    flags="1" * 32,
    compiler="gcc 12.2.0",
    cpu="AMD EPYC",
    machine="generic-avx2",
    sizes={"n": 1000},
    state="warm",
    cores=1,
)
MEASUREMENT = StoredMeasurement(
    identity=IDENTITY,
    level="L1",
    cycles_per_iteration=1.9,
    cycles_per_call=1900.0,
    predictions=(StoredPrediction(model="ecm", cycles_per_iteration=2.0),),
    shown_flags=("-O3",),
    taken=1_800_000_000,
)


def identity_of(path: Path) -> MeasurementIdentity:
    """The identity of the only function of a file, as if measured on this computer now."""
    flags = ConfiguredFlags(Options(), ConfigFinder(False)).flags(str(path))
    (signature,) = signatures_of(str(path), flags).signatures
    return replace(
        IDENTITY,
        path=str(path),
        function=signature.name,
        content=signature.content,
        flags=flag_digest(flags),
        cpu=read_topology().model_name,
    )
