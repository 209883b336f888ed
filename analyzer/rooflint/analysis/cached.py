"""Files analysed before: the key under which a result is kept, and whether it still holds."""

import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import rooflint
from rooflint.analysis.bench import Bench
from rooflint.analysis.cache import Cache
from rooflint.analysis.files import FileResult
from rooflint.core import Compiler
from rooflint.current_folder import current_folder
from rooflint.frontend.headers import builtin_headers, include_folders
from rooflint.frontend.inputs import Inputs, digest_of
from rooflint.frontend.packing import pack, unpack
from rooflint.frontend.request import Request
from rooflint.hookspecs import Model, Rule
from rooflint.lint_settings import LintSettings

OWN_PACKAGES: Final = ("rooflint", "rooflint_plugins")
SETTINGS: Final = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "SDKROOT", "ROOFLINT_LIBCLANG",
    "ROOFLINT_BUILTIN_HEADERS",
)  # fmt: skip
"""Variables of the environment that the front end or libclang reads."""


class Keys(NamedTuple):
    """Names of a file's entries: the result of this content, the functions of any content."""

    result: str
    functions: str


class Results:
    """Results of earlier runs; headers are looked at once a run."""

    def __init__(self, cache: Cache, plugins: Iterable[Model | Rule]) -> None:
        self.cache = cache
        self._everything = _digest(
            pack(
                (
                    rooflint.__version__,
                    tuple(_own_code()),
                    tuple(_foreign_code(plugins)),
                    builtin_headers(),
                    include_folders(),
                    tuple(os.environ.get(name) for name in SETTINGS),
                    current_folder(),
                )
            )
        )
        self._benches: dict[int, tuple[Bench, bytes]] = {}
        self._digests: dict[str, str] = {}
        self._there: dict[str, bool] = {}

    def keys(self, request: Request, bench: Bench, compiler: Compiler) -> Keys | None:
        """What is known of a file before its headers are; None for what has no entry."""
        if request.text is not None or bench.second is not None:
            return None
        digest = self._digest_of(request.path)
        if not digest:
            return None
        settings = (self._everything, self._settings(bench))
        result = _digest(*settings, pack((request, digest, compiler)))
        functions = _digest(*settings, pack((request.path, compiler)))
        return Keys(result.hex(), functions.hex())

    def functions(self, keys: Keys) -> bytes:
        """The functions that an earlier version of the file had; empty when none is known."""
        return self.cache.read(keys.functions) or b""

    def find(self, key: str) -> FileResult | None:
        """The result of an earlier run, if nothing that it rests on has changed."""
        content = self.cache.read(key)
        if content is None:
            return None
        try:
            inputs, result = unpack(zlib.decompress(content))
        except Exception:  # whatever a damaged pickle raises
            inputs = result = None
        if not isinstance(inputs, Inputs) or not isinstance(result, FileResult):
            self.cache.damaged(key)
            return None
        return result if self._holds(inputs) else None

    def keep(
        self, keys: Keys, path: str, result: FileResult, inputs: Inputs, functions: bytes
    ) -> None:
        """Keeps a result, unless it may be wrong: a failure, or a file that changed meanwhile."""
        if result.internal or any(result.report.failed_models()):
            return
        if inputs.settled and inputs.source == self._digests.get(path):
            self.cache.write(keys.result, zlib.compress(pack((inputs, result)), 1))
        if functions:
            self.cache.write(keys.functions, functions)

    def _settings(self, bench: Bench) -> bytes:
        """Machines, models and sizes; the bench is kept because its id could be used again."""
        known = self._benches.get(id(bench))
        if known is None:
            names = [model.name for model in bench.models]
            # the order of a set differs from run to run
            plain = bench._replace(models=(), rules=(), rates={}, shown=frozenset(), lint=None)
            known = (
                bench,
                _digest(pack((plain, names, sorted(bench.shown), self._lint(bench.lint)))),
            )
            self._benches[id(bench)] = known
        return known[1]

    @staticmethod
    def _lint(lint: LintSettings | None) -> object:
        """The lint's settings in an order that does not differ from run to run."""
        if lint is None:
            return None
        off = [(pattern, sorted(codes)) for pattern, codes in lint.off]
        none: frozenset[str] = frozenset()
        plain = lint._replace(codes=none, known=none, severity={}, off=(), exclude=(), headers=())
        return plain, sorted(lint.codes), sorted(lint.severity.items()), off

    def _holds(self, inputs: Inputs) -> bool:
        return all(self._digest_of(path) == digest for path, digest in inputs.files) and not any(
            map(self._is_there, inputs.absent)
        )

    def _digest_of(self, path: str) -> str:
        digest = self._digests.get(path)
        if digest is None:
            try:
                with open(path, "rb") as file:
                    digest = digest_of(file.read())
            except OSError:
                digest = ""
            self._digests[path] = digest
        return digest

    def _is_there(self, path: str) -> bool:
        there = self._there.get(path)
        if there is None:
            there = self._there[path] = os.path.isfile(path)
        return there


def _digest(*parts: bytes) -> bytes:
    found = hashlib.blake2b(digest_size=16)
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.digest()


def _own_code() -> Iterator[tuple[str, int, int]]:
    """Name, size and time of this program's files: in a checkout the version says nothing."""
    for package in OWN_PACKAGES:
        origin = getattr(sys.modules.get(package), "__file__", None)
        if origin is not None:
            yield from sorted(_files_below(os.path.dirname(origin)))


def _files_below(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files_below(entry.path)
            elif not entry.name.endswith((".md", ".typed")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


def _foreign_code(plugins: Iterable[Model | Rule]) -> Iterator[tuple[str, bytes]]:
    """Content of the modules of other distributions' packages that have models or rules."""
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
