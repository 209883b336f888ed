"""Files analysed before: the key under which a result is kept, and whether it still holds."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeVar

from rooflint.compile_flags.regular_files import FileDigests, Inputs
from rooflint.core import DEFAULT_COMPILER, Compiler
from rooflint.frontend.request import Request
from rooflint.incremental.disk_store import DiskStore
from rooflint.incremental.run_inputs import OWN_PACKAGES, RunSources, surroundings_key
from rooflint.incremental.store import ContentKey, content_key
from rooflint.pipeline.advice.loop_advice import FileAdvice
from rooflint.pipeline.advice.places import LoopPlaces
from rooflint.pipeline.files import FileResult, PlacelessForm
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.report import FileReport, SizeDoubt
from rooflint.plugin_api.verdict import Verdict
from rooflint.records import NamedTuple
from rooflint.registry import Registry
from rooflint.workers.storage import compress, decompress
from rooflint.workers.wire import Codec, WireError

Entry = TypeVar("Entry")


class ResultEntry(NamedTuple):
    """A stored file: its result, and the inputs that it depends on."""

    inputs: Inputs
    result: FileResult


class EquationsEntry(NamedTuple):
    """The stored equations of a file, packed, and the inputs that they depend on."""

    inputs: Inputs
    equations: bytes
    form: PlacelessForm


class AdviceEntry(NamedTuple):
    """The stored advice of a file, and the inputs that it depends on."""

    inputs: Inputs
    advice: FileAdvice


class AskedFile(NamedTuple):
    """Further inputs of a file's result; ``digest`` of its content, empty for any."""

    request: Request | str
    compiler: Compiler
    digest: str = ""


class ScenariosEntry(NamedTuple):
    """The stored values of the files of a program, each packed; and the packed places of each file
    at which they are."""

    scenarios: tuple[bytes, ...]
    places: tuple[bytes, ...]


class ReportsEntry(NamedTuple):
    """The stored reports of all files of a run, with their weights in the program, and the guesses
    that the weights rest on."""

    files: tuple[FileReport, ...]
    doubts: tuple[SizeDoubt, ...] = ()


class VerdictsEntry(NamedTuple):
    """The stored verdicts on all loops of a run."""

    verdicts: tuple[Verdict, ...]


class ChosenEntry(NamedTuple):
    """The stored loops of a run that get advice, by the path of their file."""

    loops: Mapping[str, LoopPlaces]


ENTRIES: Final = Codec[ResultEntry](ResultEntry)
EQUATIONS: Final = Codec[EquationsEntry](EquationsEntry)
REPORTS: Final = Codec[ReportsEntry](ReportsEntry)
VERDICTS: Final = Codec[VerdictsEntry](VerdictsEntry)
CHOSEN: Final = Codec[ChosenEntry](ChosenEntry)
SCENARIOS: Final = Codec[ScenariosEntry](ScenariosEntry)
ADVICE: Final = Codec[AdviceEntry](AdviceEntry)
ADVISED_LOOPS: Final = Codec[LoopPlaces](LoopPlaces)
FOREIGN_CODE: Final = Codec[tuple[tuple[str, bytes], ...]](tuple[tuple[str, bytes], ...])
ASKED_FILES: Final = Codec[AskedFile](AskedFile)


class FileKeys(NamedTuple):
    """Keys of a file's entries: the result of this content, the functions of any content."""

    result: ContentKey
    functions: ContentKey


class EarlierResults:
    """Results of earlier runs; headers are looked at once a run."""

    def __init__(
        self,
        cache: DiskStore,
        plugins: Iterable[Model | Rule],
        digests: FileDigests | None = None,
    ) -> None:
        """``digests``: of files that the run has read already."""
        self.cache = cache
        code = FOREIGN_CODE.canonical(tuple(_foreign_code(plugins)))
        self._everything = content_key(ENTRIES.schema, surroundings_key(), code)
        self._digests = FileDigests() if digests is None else digests
        self._results: dict[ContentKey, ContentKey] = {}
        self._advice: dict[ContentKey, ContentKey] = {}
        self._has_unkept = False
        self._included: dict[str, str] = {}
        self._missed: set[str] = set()

    def keys(
        self,
        request: Request,
        setup: ContentKey,
        compiler: Compiler,
        counts: bytes = b"",
        scenario: bytes = b"",
    ) -> FileKeys | None:
        """The keys of a file before its headers are known; None for what has no entry.

        The counts of a function are among that function's own inputs. ``scenario``: the packed
        values that the program gives it, where it has others.
        """
        of_content = self.content_part(request, compiler)
        if of_content is None:
            return None
        of_any = ASKED_FILES.canonical(AskedFile(request.path, compiler))
        return FileKeys(
            result=content_key(self._everything, setup, of_content, counts, scenario),
            functions=content_key(self._everything, setup, of_any),
        )

    def equations_key(self, request: Request) -> ContentKey | None:
        """The key of a file's equations; None for what has no entry."""
        asked = self.content_part(request, DEFAULT_COMPILER)
        return None if asked is None else content_key(self._everything, "equations", asked)

    def content_part(self, request: Request, compiler: Compiler) -> bytes | None:
        """A file as a part of a key, with its content; None for what has no entry."""
        digest = self.digest(request)
        return ASKED_FILES.canonical(AskedFile(request, compiler, digest)) if digest else None

    def digest(self, request: Request) -> str:
        """That of the content of a file; empty for what has no entry."""
        return "" if request.text is not None else self._digests.digest(request.path)

    def run_key(self, schema: bytes, parts: Iterable[str | bytes]) -> ContentKey:
        """The key of all results of a run; ``parts``: all that they rest on but headers."""
        return content_key(self._everything, schema, *parts)

    def inputs_of(self, files: int) -> Inputs | None:
        """All that the ``files`` of this run include; None where one has a result or advice that
        is not kept, or where one of them met another content than the others."""
        if len(self._results) != files or self._has_unkept:
            return None
        return Inputs("", tuple(sorted(self._included.items())), tuple(sorted(self._missed)))

    def equations(self, key: ContentKey) -> EquationsEntry | None:
        """The equations that an earlier run read, if no input of them has changed."""
        entry = self.entry(EQUATIONS, key)
        return entry if entry is not None and self.holds(entry.inputs) else None

    def keep_equations(self, key: ContentKey, entry: EquationsEntry) -> None:
        """Keeps the equations of a file, unless it changed meanwhile."""
        if entry.inputs.settled:
            self._note(entry.inputs)
            self.keep_entry(EQUATIONS, key, entry)
        else:
            self.note_unkept()

    def scenarios_key(self, parts: Iterable[str | bytes]) -> ContentKey:
        """The key of the values of a program; ``parts``: all that they rest on."""
        return content_key(self._everything, SCENARIOS.schema, *parts)

    def scenarios(self, key: ContentKey) -> ScenariosEntry | None:
        """The values of each file of a program that an earlier run solved."""
        return self.entry(SCENARIOS, key)

    def keep_scenarios(self, key: ContentKey, entry: ScenariosEntry) -> None:
        """Keeps the values of each file of a program."""
        self.keep_entry(SCENARIOS, key, entry)

    def reports_key(self, program: ContentKey, files: Sequence[str]) -> ContentKey | None:
        """The key of the weighed reports of ``files``, in this order, in a program of such values
        and with the advice so far; None where one of them has a result or advice that is not kept.
        """
        if len(self._results) != len(files) or self._has_unkept:
            return None
        kept = (*sorted(self._results.items()), *sorted(self._advice.items()))
        parts = [f"{key} {content}" for key, content in kept]
        return content_key(program, REPORTS.schema, *files, *parts)

    def reports(self, key: ContentKey) -> ReportsEntry | None:
        """The weighed reports of a run like this one."""
        return self.entry(REPORTS, key)

    def keep_reports(self, key: ContentKey, entry: ReportsEntry) -> None:
        """Keeps the weighed reports of a run."""
        self.keep_entry(REPORTS, key, entry)

    def verdicts(self, reports: ContentKey) -> tuple[Verdict, ...] | None:
        """The verdicts of a run with these weighed ``reports``, by their key."""
        entry = self.entry(VERDICTS, content_key(reports, VERDICTS.schema))
        return None if entry is None else entry.verdicts

    def keep_verdicts(self, reports: ContentKey, verdicts: tuple[Verdict, ...]) -> None:
        """Keeps the verdicts of a run."""
        self.keep_entry(VERDICTS, content_key(reports, VERDICTS.schema), VerdictsEntry(verdicts))

    def chosen(self, reports: ContentKey, *, in_full: bool) -> Mapping[str, LoopPlaces] | None:
        """The loops that get advice in a run with these weighed ``reports``, by their key;
        ``in_full`` as for ``advised_loops``."""
        entry = self.entry(CHOSEN, _chosen_key(reports, in_full))
        return None if entry is None else entry.loops

    def keep_chosen(
        self, reports: ContentKey, loops: Mapping[str, LoopPlaces], *, in_full: bool
    ) -> None:
        """Keeps the loops that get advice."""
        self.keep_entry(CHOSEN, _chosen_key(reports, in_full), ChosenEntry(loops))

    def keep_entry(
        self,
        codec: Codec[Entry],
        key: ContentKey,
        entry: Entry,
        digests: dict[ContentKey, ContentKey] | None = None,
    ) -> None:
        """Keeps an entry that is not too large, and notes its digest."""
        with suppress(WireError):
            content = compress(codec, entry)
            self.cache.put(key, content)
            if digests is not None:
                digests[key] = content_key(content)

    def entry(
        self,
        codec: Codec[Entry],
        key: ContentKey,
        digests: dict[ContentKey, ContentKey] | None = None,
    ) -> Entry | None:
        """The stored entry, whose digest is noted; None for a miss."""
        content = self.cache.get(key)
        if content is None:
            return None
        try:
            entry = decompress(codec, content)
        except WireError:
            self.cache.discard(key)
            return None
        if digests is not None:
            digests[key] = content_key(content)
        return entry

    def functions(self, keys: FileKeys) -> bytes:
        """The functions that an earlier version of the file had; empty when none is known."""
        return self.cache.get(keys.functions) or b""

    def find(self, key: ContentKey) -> FileResult | None:
        """The result of an earlier run, if nothing that it rests on has changed."""
        entry = self.entry(ENTRIES, key, self._results)
        if entry is None or not self.holds(entry.inputs):
            self._results.pop(key, None)
            return None
        return entry.result

    def keep(
        self, keys: FileKeys, path: str, result: FileResult, inputs: Inputs, functions: bytes
    ) -> None:
        """Keeps a result, unless it may be wrong: a failure, or a file that changed meanwhile."""
        if result.internal or any(result.report.failed_models()):
            return
        if inputs.settled and inputs.source == self._digests.earlier_digest(path):
            self._note(inputs)
            self.keep_entry(ENTRIES, keys.result, ResultEntry(inputs, result), self._results)
        if functions:
            self.cache.put(keys.functions, functions)

    def advice(self, keys: FileKeys, loops: LoopPlaces) -> FileAdvice | None:
        """The advice for these loops from an earlier run, if no input of it has changed."""
        key = self._advice_key(keys, loops)
        entry = self.entry(ADVICE, key, self._advice)
        if entry is None or not self.holds(entry.inputs):
            self._advice.pop(key, None)
            return None
        return entry.advice

    def begin_again(self) -> None:
        """Forgets what the run has found so far, for it asks for all files anew."""
        self._results.clear()
        self._advice.clear()
        self._included.clear()
        self._missed.clear()
        self._has_unkept = False

    def note_unkept(self) -> None:
        """The run has a result that no later one shall know."""
        self._has_unkept = True

    def keep_advice(self, keys: FileKeys, loops: LoopPlaces, entry: AdviceEntry) -> None:
        """Keeps the advice, unless a bug cost some of it or the file changed meanwhile."""
        key = self._advice_key(keys, loops)
        if entry.inputs.settled and not entry.advice.internal:
            self._note(entry.inputs)
            self.keep_entry(ADVICE, key, entry, self._advice)
        self._has_unkept = self._has_unkept or key not in self._advice

    def _advice_key(self, keys: FileKeys, loops: LoopPlaces) -> ContentKey:
        return content_key(keys.result, ADVICE.schema, ADVISED_LOOPS.canonical(loops))

    def holds(self, inputs: Inputs) -> bool:
        """Whether all headers are as they were, and none has appeared where none was."""
        if not self._digests.are_same(inputs):
            return False
        self._note(inputs)
        return True

    def _note(self, inputs: Inputs) -> None:
        for path, digest in inputs.files:
            if self._included.setdefault(path, digest) != digest:
                self.note_unkept()
        self._missed.update(inputs.absent)


def earlier_results(sources: RunSources, registry: Registry) -> EarlierResults | None:
    """The results of earlier runs with these plugins; None where none are kept."""
    if sources.store is None:
        return None
    plugins: list[Model | Rule] = [*registry.models, *registry.rules]
    return EarlierResults(sources.store, plugins, sources.digests)


def _chosen_key(reports: ContentKey, in_full: bool) -> ContentKey:
    return content_key(reports, CHOSEN.schema, "in full" if in_full else "")


def _foreign_code(plugins: Iterable[Model | Rule]) -> Iterator[tuple[str, bytes]]:
    modules = (type(plugin).__module__.partition(".")[0] for plugin in plugins)
    packages = {package for package in modules if package not in OWN_PACKAGES}
    for name in sorted(sys.modules) if packages else ():
        if name.partition(".")[0] in packages:
            origin = getattr(sys.modules[name], "__file__", None)
            try:
                with open(origin or "", "rb") as file:
                    yield name, file.read()
            except OSError:
                continue
