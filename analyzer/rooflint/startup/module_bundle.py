"""Bundles: files with the code of modules that a command loads together, and always.

One compiled file a module costs a command 0.1 ms each before any of its code runs: the finder, the
file, a loader, locks, and strings that hundreds of files repeat. A bundle has the code of all of
them in the order in which their execution ends, and is as good as compiled files: it holds for one
build of Python, and counts only while every source has the time and the size that it had. It is
code as they are, lies beside them, and counts only where nobody else can have written it.

A bundle begins with the length of its header, 8 bytes; header and sections are marshalled.
"""

import marshal
import os
import stat
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import CodeType, ModuleType

    Source = tuple[str, int, int]
    """Path, time of change in ns, and size in bytes."""
    BundledModule = tuple[str, str, str, str, CodeType]
    """Name, source, compiled file, folder of a package (empty: none), and code."""
    Header = tuple[str, str, dict[str, str], tuple[Source, ...], dict[str, tuple[int, int]]]
    """Format, build of Python, folders of the outermost packages, sources of all modules, and
    (begin, end) of each section in bytes."""

FORMAT = "rooflint modules 1"
LENGTH_BYTES = 8


class ModuleBundle:
    """The content of a bundle whose sources are as they were."""

    def __init__(self, content: memoryview, sections: "Mapping[str, tuple[int, int]]") -> None:
        self._content = content
        self._not_loaded = dict(sections)

    def load(self, section: str) -> None:
        """Imports the modules of a section, but for those that are there."""
        if section in self._not_loaded:
            begin, end = self._not_loaded.pop(section)
            _load(marshal.loads(self._content[begin:end]))


def read_bundle(path: str) -> ModuleBundle | None:
    """The bundle in that file; None where there is none that counts."""
    import mmap  # noqa: PLC0415 - only where a bundle may be

    try:
        with open(path, "rb", buffering=0) as file:
            if not _is_ours(os.fstat(file.fileno())):
                return None
            content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        begin = LENGTH_BYTES + int.from_bytes(content[:LENGTH_BYTES], "little")
        header: Header = marshal.loads(content[LENGTH_BYTES:begin])
        if not _counts(header, len(content) - begin):
            return None
    except (OSError, EOFError, ValueError, TypeError, ImportError):
        return None
    return ModuleBundle(content[begin:], header[-1])


def bundle_text(
    folders: "Mapping[str, str]",
    sources: "Sequence[Source]",
    sections: "Mapping[str, Sequence[BundledModule]]",
) -> bytes:
    """The content of a bundle."""
    places, texts, begin = {}, [], 0
    for name, modules in sections.items():
        text = marshal.dumps(tuple(modules))
        places[name] = (begin, begin + len(text))
        begin += len(text)
        texts.append(text)
    header = marshal.dumps((FORMAT, sys.version, dict(folders), tuple(sources), places))
    return b"".join([len(header).to_bytes(LENGTH_BYTES, "little"), header, *texts])


def outermost_folders(packages: "Iterable[str]") -> dict[str, str]:
    """The folder in which Python finds each of these packages."""
    return {name: os.path.dirname(str(__import__(name).__file__)) for name in packages}


def source_of(path: str) -> "Source":
    """The state of a source."""
    state = os.stat(path)
    return path, state.st_mtime_ns, state.st_size


def _is_ours(state: os.stat_result) -> bool:
    """Whether only this user, or who installed the program, can have written a file."""
    if not hasattr(os, "getuid"):
        return True
    owners = (os.getuid(), os.stat(__file__).st_uid)
    return state.st_uid in owners and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _counts(header: "Header", length: int) -> bool:
    """Whether sections of so many bytes are those of the modules that there are."""
    form, python, folders, sources, sections = header
    if (form, python) != (FORMAT, sys.version):
        return False
    whole = max(end for _, end in sections.values()) == length
    return whole and _are_unchanged(sources) and outermost_folders(folders) == folders


def _are_unchanged(sources: "Sequence[Source]") -> bool:
    for path, changed_ns, size in sources:
        state = os.stat(path)
        if state.st_mtime_ns != changed_ns or state.st_size != size:
            return False
    return True


def _load(bundled: "Sequence[BundledModule]") -> None:
    """Imports modules in their order; nothing of one that fails is left, as with ``import``."""
    modules = sys.modules
    fresh = {each[0]: _empty_module(each) for each in bundled if each[0] not in modules}
    begun: set[str] = set()
    try:
        for name, _, _, _, code in bundled:
            package, _, own = name.rpartition(".")
            _begin(package, fresh, begun)
            _begin(name, fresh, begun)
            if name in begun:  # not where one of before has it imported from its own file
                exec(code, vars(fresh[name]))
                begun.remove(name)
                setattr(modules[package], own, fresh[name])
    except BaseException:
        for name in begun:
            del modules[name]
        raise


def _begin(name: str, fresh: "Mapping[str, ModuleType]", begun: set[str]) -> None:
    """Has others find a module, as they do while ``import`` executes its code."""
    if name in sys.modules:
        return
    if name in fresh:
        sys.modules[name] = fresh[name]
        begun.add(name)
    else:  # the package of a section that is not loaded
        __import__(name)


def _empty_module(bundled: "BundledModule") -> "ModuleType":
    """A module as ``import`` makes it before it executes its code."""
    name, source, compiled, folder, _ = bundled
    spec = ModuleSpec(name, SourceFileLoader(name, source), origin=source)
    spec.has_location = True
    spec.cached = compiled
    if folder:
        spec.submodule_search_locations = [folder]
    module = type(sys)(name)
    module.__spec__ = spec
    module.__loader__ = spec.loader
    module.__file__ = source
    module.__package__ = spec.parent
    vars(module)["__cached__"] = compiled
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    return module
