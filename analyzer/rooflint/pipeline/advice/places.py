"""The loops worth advice: those of nests that take a share of the run's time that shows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rooflint.pipeline.profiled.finding_shares import LEAST_SHARE
from rooflint.plugin_api.report import (
    COUNTS,
    COUNTS_AND_SIZES,
    STATIC,
    FileReport,
    KernelReport,
    NestReport,
)
from rooflint.verdict.steps import time_shares

LoopPlaces: TypeAlias = frozenset[tuple[int, int]]
"""Lines and columns of kernels in a file."""

FEW: Final = 20
"""Kernels of a run that all get advice: one screen shows them."""


def advised_loops(files: Sequence[FileReport], *, in_full: bool = True) -> Mapping[str, LoopPlaces]:
    """The loops worth advice, by the path of their file; only files that have any.

    Those of a small run are all worth it. A loop that the program does not reach is not, unless
    nobody knows what it reaches: then shares of the file's time decide. A library has an entry in
    each of its functions: where the report is not ``in_full``, but a table of the loops that take
    most of the time, the share of a loop is that of all entries together.
    """
    kernels = [kernel for file in files for kernel in file.kernels()]
    every = len(kernels) <= FEW
    if not (in_full or every):
        files = _with_shares_of_run(files, kernels)
    known = any(each.weight is not None and each.weight.share is not None for each in kernels)
    found = {file.path: _places(file, every=every, known=known) for file in files}
    return {path: places for path, places in found.items() if places}


def _places(file: FileReport, *, every: bool, known: bool) -> LoopPlaces:
    shares = {} if known or every else time_shares([file])
    chosen: list[KernelReport] = []
    for function in file.functions:
        for nest in function.nests:
            chosen += nest.kernels if every else _hot_kernels(nest, shares)
    return frozenset([(kernel.line, kernel.column) for kernel in chosen])


def _with_shares_of_run(
    files: Sequence[FileReport], kernels: Iterable[KernelReport]
) -> Sequence[FileReport]:
    """The files with shares of the time of all entries together, where there are several."""
    if not any(each.weight is not None and each.weight.of_entry for each in kernels):
        return files
    shares = time_shares(files)

    def with_share_of_run(kernel: KernelReport) -> KernelReport:
        if kernel.weight is None:
            return kernel
        return kernel._replace(weight=kernel.weight._replace(share=shares.get(kernel.id)))

    return [
        file._replace(
            functions=tuple([each.with_kernels(with_share_of_run) for each in file.functions])
        )
        for file in files
    ]


def _hot_kernels(nest: NestReport, shares: Mapping[str, float]) -> Iterator[KernelReport]:
    """The kernels that reach the share below which findings are silent.

    Where a nest reaches it, and none of its kernels does, the hottest.
    """
    least, own = LEAST_SHARE[STATIC], []
    for kernel in nest.kernels:
        weight = kernel.weight
        if weight is None or weight.share is None:
            own.append(shares.get(kernel.id, 0.0))
            continue
        own.append(weight.share)
        if weight.share_origin in (COUNTS, COUNTS_AND_SIZES):
            least = LEAST_SHARE[COUNTS]
    needed = min(least, max(own, default=0.0))
    if sum(own) >= least:
        yield from [each for each, share in zip(nest.kernels, own, strict=True) if share >= needed]
