"""Runs of a command of which nothing has changed: their output is there, and nothing is analysed.

A question holds everything that the output rests on, but for headers, which only an answer knows.
To ask it loads neither the front end nor a model, a rule or a plugin.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import Inputs, digest_of, read_regular
from rooflint.compile_flags.sources import SourceList
from rooflint.errors import RooflintError
from rooflint.incremental.disk_store import measurements_folder
from rooflint.incremental.run_inputs import (
    FileState,
    RunSources,
    builtin_machines,
    plugin_code,
    surroundings_key,
)
from rooflint.incremental.store import ContentKey, content_key
from rooflint.machine.catalogue import builtin_dir
from rooflint.records import NamedTuple
from rooflint.workers.storage import compress, decompress
from rooflint.workers.wire import Codec, WireError

EXTENDS: Final = b"extends"
"""In a machine file: it rests on others."""


class ShownCommand(NamedTuple):
    """A command line, and how its output looks: columns, and whether there are colours."""

    words: tuple[str, ...]
    width: int
    colour: bool


class AskedSource(NamedTuple):
    """A file of a run: its flags, and digests of its content and its configuration."""

    path: str
    flags: Flags
    content: str
    config: str


class RunQuestion(NamedTuple):
    """All that the output of a run rests on, but for headers.

    machine_files  that are the user's own, each with the digest of its content
    """

    surroundings: ContentKey
    plugins: tuple[FileState, ...]
    builtin_machines: tuple[FileState, ...]
    command: ShownCommand
    found: SourceList
    sources: tuple[AskedSource, ...]
    machine_files: tuple[tuple[str, str], ...]


class RunAnswer(NamedTuple):
    """The output of a run whose exit code was 0: a text, and the lines ``said`` beside it.

    inputs  all that its files include
    """

    inputs: Inputs
    text: str
    said: tuple[str, ...]


QUESTIONS: Final = Codec[RunQuestion](RunQuestion)
ANSWERS: Final = Codec[RunAnswer](RunAnswer)


class ShownRuns:
    """Answers of earlier runs, among the other results of the user."""

    def __init__(self, sources: RunSources, question: RunQuestion) -> None:
        self._sources = sources
        self._machine_files = question.machine_files
        self._key = content_key(ANSWERS.schema, QUESTIONS.canonical(question))

    def answer(self) -> RunAnswer | None:
        """That of an earlier run, if no header has changed since."""
        store = self._sources.store
        content = None if store is None else store.get(self._key)
        if store is None or content is None:
            return None
        try:
            answer = decompress(ANSWERS, content)
        except WireError:
            store.discard(self._key)
            return None
        return answer if self._sources.digests.are_same(answer.inputs) else None

    def keep(self, answer: RunAnswer) -> None:
        """Keeps an answer, unless it is too large, or a machine file has changed meanwhile."""
        store = self._sources.store
        if store is None or any(_digest(path) != digest for path, digest in self._machine_files):
            return
        with suppress(WireError):
            store.put(self._key, compress(ANSWERS, answer))
            store.trim()


def run_question(
    command: ShownCommand, machines: tuple[str, ...], found: SourceList, sources: RunSources
) -> RunQuestion | None:
    """The question for a run over files on the named ``machines``, those configured if there are
    none; None of a run whose output rests on more than a question holds."""
    if sources.store is None or os.path.isdir(measurements_folder()):
        return None
    try:
        return _question(command, machines, found, sources)
    except (RooflintError, OSError):  # the run says so, if it is more than a file that just went
        return None


def _question(
    command: ShownCommand, machines: tuple[str, ...], found: SourceList, sources: RunSources
) -> RunQuestion | None:
    asked = tuple([_asked(path, sources) for path in found.sources])
    plugins = plugin_code()
    if plugins is None or not all(each.content for each in asked):
        return None
    named = machines or _configured_machines(found.sources, sources)
    files = _machine_files(named, has_plugins=bool(plugins))
    if files is None:
        return None
    return RunQuestion(
        surroundings=surroundings_key(),
        plugins=plugins,
        builtin_machines=builtin_machines(),
        command=command,
        found=found,
        sources=asked,
        machine_files=files,
    )


def _asked(path: str, sources: RunSources) -> AskedSource:
    return AskedSource(
        path=path,
        flags=sources.flags(path),
        content=sources.digests.digest(path),
        config=sources.configs.config_for(Path(path)).digest,
    )


def _configured_machines(paths: Iterable[str], sources: RunSources) -> tuple[str, ...]:
    configs = [sources.configs.config_for(Path(path)) for path in paths]
    return tuple(dict.fromkeys(name for config in configs for name in config.machines))


def _machine_files(
    names: Iterable[str], *, has_plugins: bool
) -> tuple[tuple[str, str], ...] | None:
    """The user's own files among the named machines, each with its digest; None where a machine
    rests on more than that file and those of this program."""
    files: dict[str, str] = {}
    for name in names:
        if "/" in name or "\\" in name or name.endswith((".yaml", ".yml")):
            content = read_regular(os.path.expanduser(name))
            if EXTENDS in content:
                return None
            files[name] = digest_of(content)
        # plugins may have machines of names that this program has not
        elif has_plugins and not (builtin_dir() / f"{name}.yaml").is_file():
            return None
    return tuple(files.items())


def _digest(name: str) -> str:
    try:
        return digest_of(read_regular(os.path.expanduser(name)))
    except OSError:
        return ""
