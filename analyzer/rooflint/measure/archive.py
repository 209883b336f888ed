"""Measurements as the user's store keeps them: the stable ones of functions of the user's files."""

import hashlib
import os
import time
from collections.abc import Iterator

from rooflint.incremental.measurements import (
    CompilerFile,
    MeasurementIdentity,
    StoredMeasurement,
    StoredPrediction,
    compiler_file,
)
from rooflint.measure.program import MeasureMode, Program
from rooflint.measure.protocol import MeasureVerdict
from rooflint.measure.results import MeasurementReport, PointMeasurement
from rooflint.measure.subject import Subject
from rooflint.pipeline.measured.flag_digest import flag_digest, without_folders


def stored_measurements(
    measurement: MeasurementReport, subject: Subject, program: Program, setup: str | None = None
) -> Iterator[StoredMeasurement]:
    """The points worth keeping; ``setup``: the file that made the data up.

    A kernel without a function around it has no report to stand beside, and a reader takes the
    usual data for granted.
    """
    is_usual = measurement.mode is not MeasureMode.KERNEL and measurement.build.indices == "near"
    if not is_usual or not _has_plain_name(subject.path):
        return
    made_by = _setup_digest(setup)
    compiler = compiler_file(program.compiler_path)
    for point in measurement.points:
        if point.verdict is MeasureVerdict.STABLE and point.cy_per_iteration:
            identity = _identity(measurement, point, subject, made_by)
            yield _stored(measurement, point, identity, compiler)


def _has_plain_name(path: str) -> bool:
    """Whether its name can be written as JSON."""
    try:
        os.path.realpath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _identity(
    measurement: MeasurementReport, point: PointMeasurement, subject: Subject, setup: str
) -> MeasurementIdentity:
    nest, signature = subject.nest, subject.signature
    known = point.forecast.sizes if point.forecast is not None else {}
    return MeasurementIdentity(
        path=os.path.realpath(subject.path),
        function=signature.name,
        nest=None if nest is None else nest.line - signature.span.line,
        content=signature.content,
        flags=flag_digest(subject.flags),
        compiler=measurement.build.compiler,
        cpu=measurement.build.cpu,
        machine=measurement.build.machine,
        sizes={**point.sizes, **known},
        state=point.state,
        cores=point.cores,
        setup=setup,
    )


def _stored(
    measurement: MeasurementReport,
    point: PointMeasurement,
    identity: MeasurementIdentity,
    compiler: CompilerFile | None,
) -> StoredMeasurement:
    assert point.figure is not None and point.cy_per_iteration is not None
    return StoredMeasurement(
        identity=identity,
        level=point.level,
        cycles_per_iteration=point.cy_per_iteration,
        cycles_per_call=point.figure.cycles.p10,
        predictions=tuple(
            [
                StoredPrediction(model=row.model, cycles_per_iteration=row.cycles)
                for row in point.models
                if row.obstacle is None and row.cycles
            ]
        ),
        shown_flags=without_folders(measurement.build.flags),
        taken=int(time.time()),
        compiler_file=compiler,
    )


def _setup_digest(path: str | None) -> str:
    if path is None:
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.blake2b(file.read(), digest_size=16).hexdigest()
    except OSError:
        return ""
