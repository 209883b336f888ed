"""The few settings of a repository that are data: its format, and which branch follows which."""

from collections.abc import Iterable
from typing import Final

from rooflint.records import NamedTuple

FOLLOWED: Final = {"branch": ("remote", "merge"), "remote": ("fetch",)}
"""By section the values that ``@{upstream}`` needs. A remote without an address reaches nobody."""
ESCAPES: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\b": "\\b"})


class RepositoryFormat(NamedTuple):
    """How objects and references are stored, and the work tree that the repository names."""

    object_format: str
    reference_format: str
    work_tree: str
    followed: tuple[tuple[str, str], ...]


def read_format(listed: bytes) -> RepositoryFormat:
    """From ``git config --list -z``; what names a program is dropped here and nowhere stored."""
    values = [
        (name, value)
        for entry in listed.decode(errors="surrogateescape").split("\0")
        for name, _, value in [entry.partition("\n")]
    ]
    last = dict(values)
    return RepositoryFormat(
        object_format="sha256" if last.get("extensions.objectformat") == "sha256" else "sha1",
        reference_format="reftable" if last.get("extensions.refstorage") == "reftable" else "files",
        work_tree=last.get("core.worktree", ""),
        followed=tuple([(name, value) for name, value in values if _is_followed(name)]),
    )


def private_configuration(form: RepositoryFormat) -> bytes:
    """The configuration that git reads in place of the repository's."""
    lines = [
        "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n\tfsmonitor = false\n",
        "\thooksPath = /dev/null\n\tattributesFile = /dev/null\n[protocol]\n\tallow = never\n",
        "[extensions]\n",
    ]
    if form.object_format != "sha1":
        lines.append(f"\tobjectFormat = {form.object_format}\n")
    if form.reference_format != "files":
        lines.append(f"\trefStorage = {form.reference_format}\n")
    lines += _settings(form.followed)
    return "".join(lines).encode(errors="surrogateescape")


def _settings(values: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in values:
        section, _, rest = name.partition(".")
        subsection, _, key = rest.rpartition(".")
        yield f'[{section} "{subsection.translate(ESCAPES)}"]\n'
        yield f'\t{key} = "{value.translate(ESCAPES)}"\n'


def _is_followed(name: str) -> bool:
    """Whether a setting such as ``branch.main.merge`` is among FOLLOWED."""
    section, _, rest = name.partition(".")
    branch, _, key = rest.rpartition(".")
    return bool(branch) and key in FOLLOWED.get(section, ())
