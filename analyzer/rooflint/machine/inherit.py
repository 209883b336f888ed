"""``extends``: a machine that differs from another in a few figures. And where figures come from.

Own keys win, mappings merge key by key, lists replace, null removes. A figure keeps the source of
the file that states it, so a changed figure cannot borrow its parent's citation.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rooflint.errors import near_miss
from rooflint.machine.document import YamlNode, parse, read_document
from rooflint.machine.section import item_name
from rooflint.machine.section import text as text_of
from rooflint.records import NamedTuple

OWN = ("schema", "name", "aliases", "extends", "identify", "sources")
"""Keys that are never inherited; their numbers are no figures."""


class MergedMachine(NamedTuple):
    """A machine file with all it extends merged in; ``sources`` gives each figure's source."""

    root: YamlNode
    sources: Mapping[str, str]


def merge_parents(
    path: Path,
    dirs: Sequence[Path] = (),
    seen: tuple[Path, ...] = (),
    shown: str = "",
    text: str | None = None,
) -> MergedMachine:
    """Read ``path`` and what it extends, looked for beside it and then in ``dirs``.

    ``shown`` is what messages call it where that is not its path, ``text`` what it says where
    that is not what is on disk.

    Raises ConfigurationError, also for a cycle and for a figure without a source.
    """
    root = read_document(path, shown) if text is None else parse(text, shown or str(path))
    if not isinstance(root.data, dict):
        raise root.error("expected a mapping, the description of one machine")
    own_figures = dict(figures(root))
    extends = root.data.get("extends")
    if extends is None:
        sources = _sources(root, own_figures, own_figures)
        return MergedMachine(root, sources)
    chain = (*seen, path.resolve())
    parent_path = _parent(extends, path, dirs)
    if parent_path.resolve() in chain:
        names = " -> ".join(p.stem for p in (*chain, parent_path))
        raise extends.error(f"extends: cycle {names}")
    parent = merge_parents(parent_path, dirs, chain)
    inherited = YamlNode(
        {key: node for key, node in _mapping(parent.root).items() if key not in OWN},
        parent.root.file,
        parent.root.line,
    )
    whole = _merge(inherited, root)
    all_figures = dict(figures(whole))
    sources = dict(parent.sources) | _sources(root, own_figures, all_figures)
    return MergedMachine(whole, {path: sources[path] for path in all_figures})


def parent_of(root: YamlNode, path: Path, dirs: Sequence[Path]) -> Path | None:
    """The file that the machine file ``path``, read as ``root``, extends."""
    extends = root.data.get("extends") if isinstance(root.data, dict) else None
    return None if extends is None else _parent(extends, path, dirs)


def figures(node: YamlNode, path: str = "") -> Iterator[tuple[str, YamlNode]]:
    """Every number below ``node`` with its dotted path; a list of plain values is one figure."""
    match node.data:
        case dict() as entries:
            for key, child in entries.items():
                if path or key not in OWN:
                    yield from figures(child, f"{path}.{key}" if path else key)
        case list() as items if any(isinstance(item.data, dict) for item in items):
            for position, item in enumerate(items):
                yield from figures(item, f"{path}.{item_name(item, position)}")
        case list() | bool() | str() | None:
            pass
        case _:
            yield path, node


def _sources(
    root: YamlNode, own: Mapping[str, YamlNode], known: Mapping[str, YamlNode]
) -> dict[str, str]:
    """Source of each figure in ``own``: the longest dotted prefix in ``sources``, else default."""
    stated = _stated_sources(root, known)
    sources = {}
    for path, figure in own.items():
        keys = (*_prefixes(path), "default")
        source = next((stated[key] for key in keys if key in stated), None)
        if source is None:
            raise figure.error(f"{path}: no source; add it to sources, or a sources.default")
        sources[path] = source
    return sources


def _stated_sources(root: YamlNode, known: Mapping[str, YamlNode]) -> dict[str, str]:
    node = _mapping(root).get("sources")
    if node is None:
        return {}
    if not isinstance(node.data, dict):
        raise node.error("sources: expected a mapping of dotted keys to texts")
    prefixes = {prefix for path in known for prefix in _prefixes(path)}
    for key, value in node.data.items():
        if key != "default" and key not in prefixes:
            raise value.error(f"sources: no figure under '{key}'{near_miss(key, prefixes)}")
    return {key: text_of(value, f"sources.{key}") for key, value in node.data.items()}


def _prefixes(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition(".")[0]


def _merge(parent: YamlNode, own: YamlNode) -> YamlNode:
    if not isinstance(parent.data, dict) or not isinstance(own.data, dict):
        return own
    entries = dict(parent.data)
    for key, node in own.data.items():
        if node.data is None:
            entries.pop(key, None)
        else:
            entries[key] = _merge(entries[key], node) if key in entries else node
    return YamlNode(entries, own.file, own.line)


def _parent(extends: YamlNode, path: Path, dirs: Sequence[Path]) -> Path:
    name = text_of(extends, "extends")
    if "/" in name or "\\" in name or name.endswith((".yaml", ".yml")):
        candidates = [path.parent / name]
    else:
        candidates = [folder / f"{name}.yaml" for folder in (path.parent, *dirs)]
    found = next((candidate for candidate in candidates if candidate.is_file()), None)
    if found is None:
        stems = {file.stem for folder in (path.parent, *dirs) for file in folder.glob("*.yaml")}
        raise extends.error(f"extends: no machine '{name}'{near_miss(name, stems)}")
    return found


def _mapping(node: YamlNode) -> dict[str, YamlNode]:
    if not isinstance(node.data, dict):
        raise node.error("expected a mapping")
    return node.data
