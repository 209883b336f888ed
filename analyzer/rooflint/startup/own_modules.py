"""Imports of the program's own modules: their files follow from their names.

Python asks each finder for each module, then looks at the folder, the source and the compiled file.
A command imports hundreds of modules, and two fifths of their time were that search. Here the
compiled file is opened at once. Whether it is that of the source as it is, and what to do if not,
is left to Python, and so are all modules of others.
"""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from types import ModuleType

    from rooflint.startup.module_bundle import ModuleBundle

OWN_PACKAGES = frozenset({"rooflint", "rooflint_plugins", "rooflint_lsp"})


class CompiledLoader(SourceFileLoader):
    """Loads a module whose compiled file was read already; whether it counts, Python decides."""

    def __init__(self, name: str, path: str, compiled: str, content: bytes) -> None:
        super().__init__(name, path)
        self._compiled = compiled
        self._content = content

    def get_data(self, path: str) -> bytes:
        """The content of a file, which is read once."""
        if path != self._compiled or not self._content:
            return super().get_data(path)
        content, self._content = self._content, b""
        return content


class OwnModuleFinder:
    """Finds modules of ``packages`` in the folder of the package that they are in.

    ``loader`` makes the loader of one; ``bundle`` has modules that are loaded without being looked
    for.
    """

    def __init__(
        self,
        packages: "Collection[str]",
        cache_tag: str,
        loader: "Callable[[str, str, str, bytes], CompiledLoader]" = CompiledLoader,
    ) -> None:
        self.packages = packages
        self.cache_tag = cache_tag
        self.bundle: ModuleBundle | None = None
        self._loader = loader
        self._cached = f".{cache_tag}.pyc"

    def find_spec(
        self,
        fullname: str,
        path: "Sequence[str] | None",
        target: "ModuleType | None" = None,
    ) -> ModuleSpec | None:
        """The module or package of that name; None where Python has to search."""
        parents, _, name = fullname.rpartition(".")
        if path is None or len(path) != 1 or parents.partition(".")[0] not in self.packages:
            return None
        folder = path[0]
        compiled = os.path.join(folder, "__pycache__", name + self._cached)
        if content := _content(compiled):
            return self._spec(fullname, os.path.join(folder, name + ".py"), compiled, content)
        folder = os.path.join(folder, name)
        compiled = os.path.join(folder, "__pycache__", "__init__" + self._cached)
        if content := _content(compiled):
            spec = self._spec(fullname, os.path.join(folder, "__init__.py"), compiled, content)
            spec.submodule_search_locations = [folder]
            return spec
        return None

    def _spec(self, name: str, source: str, compiled: str, content: bytes) -> ModuleSpec:
        loader = self._loader(name, source, compiled, content)
        spec = ModuleSpec(name, loader, origin=source)
        spec.has_location = True
        spec.cached = compiled
        return spec


def import_own_modules_directly() -> None:
    """Has this process import the modules of the program as this module says.

    Without compiled files in their usual places, all stays as it is.
    """
    tag = sys.implementation.cache_tag
    unusual = sys.pycache_prefix is not None or sys.flags.optimize
    if tag is not None and not unusual:
        sys.meta_path.insert(0, OwnModuleFinder(OWN_PACKAGES, tag))


def own_finder() -> OwnModuleFinder | None:
    """The finder of this process; None where its program is not the command line."""
    return next((each for each in sys.meta_path if isinstance(each, OwnModuleFinder)), None)


def _content(path: str) -> bytes:
    """The bytes of a compiled file; none where there is no such file."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""
