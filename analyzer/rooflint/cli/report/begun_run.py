"""A run of ``analyze`` until it knows whether an earlier one had the same output."""

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence

from rooflint.cli.exit_codes import ExitCode
from rooflint.cli.report.output import say, use_colour, width, write
from rooflint.compile_flags.regular_files import Inputs
from rooflint.compile_flags.sources import SourceList, find_sources
from rooflint.errors import RooflintError
from rooflint.incremental.run_inputs import GivenSources, RunSources
from rooflint.incremental.shown_runs import (
    RunAnswer,
    ShownCommand,
    ShownRuns,
    run_question,
)
from rooflint.records import NamedTuple


class LoopAddress(NamedTuple):
    """A line of a file, as somebody wrote it."""

    path: str
    line: int


class PathWords(NamedTuple):
    """The words of a command line: paths to analyse, and places to report."""

    paths: tuple[str, ...]
    places: tuple[LoopAddress, ...]


def path_words(words: Iterable[str]) -> PathWords:
    """``FILE:LINE`` apart from paths; its file is analysed too."""
    paths, places = [], []
    for word in words:
        path, _, line = word.rpartition(":")
        if line.isdecimal() and os.path.isfile(path) and not os.path.exists(word):
            places.append(LoopAddress(os.path.normpath(path), int(line)))
            paths.append(path)
        else:
            paths.append(word)
    return PathWords(tuple(dict.fromkeys(paths)), tuple(places))


class BegunRun(NamedTuple):
    """A run before its analysis.

    sources  what it has read of its files; None where that went wrong: the analysis says how
    runs     where its output is kept; None where it is not
    answer   the output of an earlier run that was the same
    """

    words: PathWords
    found: SourceList
    command: ShownCommand
    sources: RunSources | None = None
    runs: ShownRuns | None = None
    answer: RunAnswer | None = None

    def keep(self, inputs: Inputs | None, text: str | None, said: Sequence[str]) -> None:
        """Keeps the output of a run without mistakes, unless it rests on more than inputs."""
        if self.runs is not None and inputs is not None and text is not None:
            self.runs.keep(RunAnswer(inputs=inputs, text=text, said=tuple(said)))


def begun_run(given: Namespace, flags: Sequence[str], line: tuple[str, ...]) -> BegunRun:
    """The run with these options, flags of compilers and words of the command line."""
    words = path_words(given.paths)
    found = find_sources(words.paths)
    command = ShownCommand(
        words=line,
        width=width(given.output),
        colour=use_colour(given.colour, given.output),
    )
    begun = BegunRun(words=words, found=found, command=command)
    build_dir = given.build_dir or found.database
    try:
        cache_dir = None if given.cache else ""
        sources = RunSources(GivenSources(build_dir, tuple(flags), cache_dir=cache_dir))
    except RooflintError:
        return begun
    question = run_question(command, tuple(given.machine or ()), found, sources)
    if question is None:
        return begun._replace(sources=sources)
    runs = ShownRuns(sources, question)
    return begun._replace(sources=sources, runs=runs, answer=runs.answer())


def shown_again(answer: RunAnswer, output: str | None, program: str) -> int:
    """Shows the output of an earlier run, whose exit code was 0."""
    say(program, answer.said)
    write(answer.text, output)
    return ExitCode.FINE
