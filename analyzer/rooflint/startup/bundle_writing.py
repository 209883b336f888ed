"""Writes the bundle of a command, as Python writes compiled files: where it may, and unasked.

Processes of their own do it, so that a command loads no more than it needs: one imports the modules
and writes, another one loads what was written. Only then the bundle gets its name.
"""

import os
import sys
from functools import partial
from importlib.machinery import SourceFileLoader

from rooflint.startup.module_bundle import (
    bundle_text,
    outermost_folders,
    read_bundle,
    source_of,
)
from rooflint.startup.own_modules import CompiledLoader, OwnModuleFinder

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from rooflint.startup.module_bundle import BundledModule

    Sections = Mapping[str, Callable[[], object]]
    """Names of sections, each with a function that imports its modules."""


class RecordingLoader(CompiledLoader):
    """Adds the name of its module to ``loaded`` when its code has run."""

    def __init__(
        self, loaded: "list[str]", name: str, path: str, compiled: str, content: bytes
    ) -> None:
        super().__init__(name, path, compiled, content)
        self._loaded = loaded

    def exec_module(self, module: "ModuleType") -> None:
        """Executes the code of the module."""
        super().exec_module(module)
        self._loaded.append(module.__name__)


def write_bundle(path: str, finder: OwnModuleFinder, sections: "Sections") -> bool:
    """Whether a bundle for programs with this finder was written."""
    if sys.dont_write_bytecode or not hasattr(os, "fork"):
        return False
    if not os.access(os.path.dirname(path), os.W_OK):
        return False
    draft = f"{path}.{os.getpid()}"
    try:
        if not _succeeds(lambda: _write(draft, finder, sections)):
            return False
        if not _succeeds(lambda: _loads(draft, sections)):
            return False
        os.replace(draft, path)
        return True
    except OSError:
        return False
    finally:
        if os.path.exists(draft):
            os.unlink(draft)


def _succeeds(work: "Callable[[], bool]") -> bool:
    """Whether a process of its own finds the work done; what it prints is lost."""
    pid = os.fork()
    if pid == 0:
        done = False
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            done = work()
        finally:
            os._exit(0 if done else 1)
    _, status = os.waitpid(pid, 0)
    return status == 0


def _write(draft: str, finder: OwnModuleFinder, sections: "Sections") -> bool:
    """Whether all modules had compiled files, and the bundle is written."""
    loaded: list[str] = []
    recorder = OwnModuleFinder(finder.packages, finder.cache_tag, partial(RecordingLoader, loaded))
    sys.meta_path.insert(0, recorder)
    before = _own_modules(finder)
    names = {}
    for section, load in sections.items():
        begin = len(loaded)
        load()
        names[section] = loaded[begin:]
    now = _own_modules(finder)
    if now - before != set(loaded):
        return False
    folders = outermost_folders({name.partition(".")[0] for name in loaded})
    # with those that say what a section has
    sources = [source_of(str(sys.modules[name].__file__)) for name in sorted(now)]
    modules = {section: [_bundled(name) for name in each] for section, each in names.items()}
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with open(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o644)  # whatever the user's mask leaves to others
        file.write(bundle_text(folders, sources, modules))
    return True


def _own_modules(finder: OwnModuleFinder) -> set[str]:
    """The modules of this process that the finder is for, but for outermost packages."""
    own = finder.packages
    return {name for name in sys.modules if "." in name and name.partition(".")[0] in own}


def _bundled(name: str) -> "BundledModule":
    """A module as the bundle has it."""
    spec = sys.modules[name].__spec__
    assert spec is not None
    assert isinstance(spec.loader, SourceFileLoader)
    code = spec.loader.get_code(name)
    assert code is not None
    folders = spec.submodule_search_locations
    return name, str(spec.origin), str(spec.cached), folders[0] if folders else "", code


def _loads(draft: str, sections: "Sections") -> bool:
    bundle = read_bundle(draft)
    if bundle is None:
        return False
    for section, load in sections.items():
        bundle.load(section)
        load()
    return True
