"""Sizes that ``rooflint:`` comments set, as the program takes them: so that weights and times rest
on the same sizes as the models."""

from collections.abc import Iterable, Iterator, Mapping

from rooflint.config.comments import Directives, Scope, parse_comments
from rooflint.ir import Span
from rooflint.ir.equations import Equations
from rooflint.program.relations.given_sizes import CommentedSizes
from rooflint.scenario.sizes import size_key


def commented_sizes(files: Iterable[Equations]) -> Mapping[str, CommentedSizes]:
    """The sizes that comments of the files set, by the paths of those that have any."""
    return {file.path: _commented(file) for file in files if file.comments}


def _commented(file: Equations) -> CommentedSizes:
    directives = parse_comments(file.comments)
    spans = {
        each.result: each.span
        for each in file.functions
        if each.span is not None and not each.header
    }
    scopes = {
        result: directives.scope(span, tuple(spans.values())) for result, span in spans.items()
    }
    return CommentedSizes(
        sizes={
            **dict(_of_the_file(file, directives, tuple(spans.values()))),
            **dict(_of_functions(file, scopes)),
        },
        trips=dict(_of_loops(file, scopes)),
    )


def _of_functions(file: Equations, scopes: Mapping[int, Scope]) -> Iterator[tuple[int, int]]:
    """Parameters and variables that a comment of their function, or of the file, names."""
    for function in file.functions:
        scope = scopes.get(function.result)
        if scope is None:
            continue
        sizes = {**scope.trips, **{size_key(name): value for name, value in scope.sizes.items()}}
        for number in (*function.parameters, *function.variables):
            name = file.quantities[number].name
            if name in sizes:
                yield number, sizes[name]


def _of_the_file(
    file: Equations, directives: Directives, functions: tuple[Span, ...]
) -> Iterator[tuple[int, int]]:
    """Variables outside of functions that a comment of the whole file names."""
    sizes: dict[str, int] = {}
    for setting in directives.settings:
        if not any(directives.concerns(setting, span) for span in functions):
            sizes.update(setting.sizes)
    for number, quantity in enumerate(file.quantities if sizes else ()):
        if quantity.kind == "variable" and not quantity.scope and quantity.name in sizes:
            yield number, sizes[quantity.name]


def _of_loops(file: Equations, scopes: Mapping[int, Scope]) -> Iterator[tuple[int, int]]:
    """Loops whose index a comment names with a trip count."""
    for position, loop in enumerate(file.loops):
        scope = scopes.get(loop.function)
        if scope is not None and not loop.header and loop.index in scope.trips:
            yield position, scope.trips[loop.index]
