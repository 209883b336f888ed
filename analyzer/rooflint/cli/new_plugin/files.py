"""The files of a new plugin: the template beside this module, with the plugin's names in it."""

from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase, digits
from typing import Final

from rooflint.errors import UsageError
from rooflint.plugin_api.rule_code import is_code, prefixes
from rooflint.records import NamedTuple
from rooflint.registry import load_registry
from rooflint.render import PLAIN, BuiltinRenderers
from rooflint.render.explanations import all_models, all_rules

TEMPLATE: Final = Path(__file__).parent / "template"
SUFFIX: Final = ".in"
"""Of the template's files, which are no modules and no machines of this package."""
PACKAGE_FOLDER: Final = "package"
MAX_NAME: Final = 40
_ALLOWED: Final = frozenset(f"{ascii_lowercase}{digits}-")
_NO_LETTERS: Final = str.maketrans("", "", f"{digits}-")


class PluginNames(NamedTuple):
    """The names of one plugin: ``acme``, ``rooflint-acme``, ``rooflint_acme``, ``ACME``."""

    name: str
    distribution: str
    package: str
    prefix: str


def plugin_names(name: str) -> PluginNames:
    """From the plugin's name; UsageError for one that cannot be, or that something else has."""
    parts = name.split("-")
    is_plain = _ALLOWED.issuperset(name) and all(parts) and name[:1] in ascii_lowercase
    if not is_plain or len(name) > MAX_NAME:
        expected = f"expected at most {MAX_NAME} lower-case letters, digits and single hyphens"
        raise UsageError(f"new-plugin: NAME '{name[:MAX_NAME]}': {expected}, a letter first")
    prefix = name.translate(_NO_LETTERS).upper()
    if _is_taken(name, prefix):
        raise UsageError(f"new-plugin: NAME '{name}': a model, format or rule prefix has that name")
    return PluginNames(
        name=name,
        distribution=f"rooflint-{name}",
        package=f"rooflint_{name.replace('-', '_')}",
        prefix=prefix,
    )


def _is_taken(name: str, prefix: str) -> bool:
    formats = load_registry(built_in={"built-in formats": BuiltinRenderers(PLAIN)}).renderers
    names = {*all_models(), *[each.name for each in formats]}
    codes = [rule.code for rule in all_rules()]
    return name in names or prefix in prefixes(codes) or not is_code(f"{prefix}201")


def plugin_files(names: PluginNames) -> dict[Path, str]:
    """The content of each file by its place in the plugin's folder."""
    words = {"@name@": names.name, "@package@": names.package, "@prefix@": names.prefix}
    files = {}
    for path in sorted(TEMPLATE.rglob(f"*{SUFFIX}")):
        first, *rest = path.relative_to(TEMPLATE).with_suffix("").parts
        place = Path(names.package if first == PACKAGE_FOLDER else first, *rest)
        if place.suffix == ".yaml":
            place = place.with_name(f"{names.name}-{place.name}")
        files[place] = _filled(path.read_text(encoding="utf-8"), words)
    return files


def write_files(folder: Path, files: Mapping[Path, str]) -> None:
    """Writes a new folder; raises UsageError where there is one, or where it cannot."""
    try:
        folder.mkdir()
        for place, text in files.items():
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"new-plugin: cannot write {folder}: {reason}") from error


def _filled(text: str, words: Mapping[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text
