"""Shares of a program's time by places, moved with the files; and their keys without places."""

from collections.abc import Iterable, Mapping

from rooflint.pipeline.moved.moved_file import MovedFile
from rooflint.pipeline.moved.placeless import FilePlaces
from rooflint.pipeline.weights.basis import WeighedFile, WeighedKernel
from rooflint.pipeline.weights.placed_times import (
    FileShares,
    PlacedFunction,
    PlacedLoop,
    ProgramShares,
)
from rooflint.pipeline.weights.reported_trips import normal_path


def moved_shares(shares: ProgramShares, files: Iterable[MovedFile]) -> ProgramShares:
    """The shares at the places of now."""
    moved = dict(shares.files)
    for file in files:
        path = normal_path(file.path)
        if path in moved:
            moved[path] = _moved_file(moved[path], file)
    return shares._replace(files=moved)


def _moved_file(shares: FileShares, file: MovedFile) -> FileShares:
    def function(each: PlacedFunction) -> PlacedFunction:
        loops = [
            loop if loop.elsewhere else loop._replace(span=file.span(loop.span))
            for loop in each.loops
        ]
        return each._replace(span=file.span(each.span), loops=tuple(loops))

    def loop(each: PlacedLoop) -> PlacedLoop:
        line, column = file.points[each.line, each.column]
        return each._replace(line=line, column=column)

    return FileShares(
        functions=tuple(map(function, shares.functions)), loops=tuple(map(loop, shares.loops))
    )


def placeless_basis(
    basis: Iterable[WeighedFile], places: Mapping[str, FilePlaces]
) -> tuple[WeighedFile, ...]:
    """The parts of reports with numbers for their lines and columns: ``places`` are those of the
    program in each file, by its path. A place that the program does not have stays, below zero."""
    return tuple([_placeless_file(file, places.get(file.path, FilePlaces())) for file in basis])


def _placeless_file(file: WeighedFile, places: FilePlaces) -> WeighedFile:
    if not places.points or file.counts is not None:
        return file
    numbers = {point: number for number, point in enumerate(places.points)}

    def kernel(each: WeighedKernel) -> WeighedKernel:
        headers = [numbers.get((line, 0), -line) for line in each.headers]
        number = numbers.get((each.line, each.column))
        line, column = (-each.line, each.column) if number is None else (0, number)
        return each._replace(line=line, column=column, headers=tuple(headers))

    return file._replace(kernels=tuple(map(kernel, file.kernels)))
