"""Digests of compile flags, for measurements: folders of headers and silent fields aside."""

from collections.abc import Sequence
from typing import Final

from rooflint.compile_flags.flags import Flags
from rooflint.incremental.store import ContentKey, content_key

_FOLDERS: Final = ("-I", "-iquote", "-isystem", "-idirafter", "-F")
"""What they lead to is part of the content; where it lies differs between computers."""


def flag_digest(flags: Flags) -> ContentKey:
    """The same on other computers, and in later versions that know further switches."""
    options = without_folders(flags.options)
    usual = type(flags.code)()._asdict()
    code = [f"{k}={v}" for k, v in flags.code._asdict().items() if v != usual[k]]
    return content_key(flags.language, flags.std or "", *options, "", *code)


def without_folders(flags: Sequence[str]) -> tuple[str, ...]:
    """Flags but for those that locate headers, in one word as ``Flags`` has them."""
    return tuple([flag for flag in flags if not flag.startswith(_FOLDERS)])
