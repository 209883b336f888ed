"""The command of a run again, for the lines of a report that name further commands."""

from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence

from rooflint.render.ranked.request import RerunCommand


def rerun_of(given: Namespace, paths: Sequence[str], flags: Sequence[str]) -> RerunCommand:
    """The command line without what is about the output alone."""
    return RerunCommand(
        paths=tuple(paths),
        shared=tuple(_shared(given)),
        own=tuple(_own(given)),
        flags=tuple(flags),
    )


def _shared(given: Namespace) -> Iterator[str]:
    """The options that ``lint`` has too."""
    sizes = [f"{name}={value}" for name, value in given.sizes or ()]
    yield from _repeated("--machine", given.machine)
    yield from _repeated("--cores", [given.cores])
    yield from _repeated("-D", sizes)
    yield from _repeated("--scenario", [given.scenario])
    yield from _repeated("-p", [given.build_dir])
    yield from _repeated("--counts", given.counts)
    yield from _repeated("--profile", given.profile)
    yield from _repeated("--entry", [given.entry])


def _own(given: Namespace) -> Iterator[str]:
    yield from _repeated("--model", given.model)
    yield from _repeated("--layer-conditions", [given.layers] if given.layers != "exact" else ())
    source = given.core_source
    yield from _repeated("--core-source", [source] if source != "model" else ())
    yield from _repeated("--compiler", [given.compiler])


def _repeated(option: str, values: Iterable[str | None] | None) -> Iterator[str]:
    """The option before each of its values."""
    for value in values or ():
        if value:
            yield from (option, value)
