"""The lint's part of a configuration: tables of TOML, checked and turned into wishes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

from rooflint.config.lint_settings import (
    CONFIDENCES,
    OUTSIDE,
    POLICIES,
    SEVERITIES,
    LintOverrides,
    Pattern,
    one_of,
    parse_fail_on,
    parse_gain,
    parse_time,
)
from rooflint.plugin_api.action import Severity


class Wrong(Protocol):
    """Makes an error of a message and the keys that lead to the value that is wrong."""

    def __call__(self, message: str, *keys: str) -> Exception:
        """The error to raise."""
        raise NotImplementedError


KEYS: Final = (
    "select", "ignore", "min-gain", "min-time", "min-confidence", "fail-on", "policy", "preview",
    "exclude", "header-filter", "severity", "per-file",
)  # fmt: skip


def names_at(table: Mapping[str, Any], key: str, wrong: Wrong) -> tuple[str, ...]:
    """A name or a list of names; empty where there is none."""
    value = table.get(key, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(w, str) and w for w in listed):
        raise wrong(f"{key}: expected a name or a list of names, got {value!r}", key)
    return tuple(listed)


def read_wishes(
    table: Mapping[str, Any], root: str, wrong: Wrong, base: LintOverrides
) -> LintOverrides:
    """The lint's part of a configuration, over ``base``; raises what ``wrong`` makes of a mistake.

    ``root``: the folder from which patterns of paths are seen.
    """
    read = _LintTableReader(table, root, wrong)
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {
        "select": ("select", read.names),
        "ignore": ("ignore", read.names),
        "min-gain": ("min_gain", partial(read.parsed, parse=parse_gain)),
        "min-time": ("min_time_s", partial(read.parsed, parse=parse_time)),
        "min-confidence": ("min_confidence", partial(read.one_of, words=CONFIDENCES)),
        "fail-on": ("fail_on", partial(read.parsed, parse=parse_fail_on)),
        "policy": ("policy", partial(read.one_of, words=POLICIES)),
        "preview": ("preview", read.flag),
        "exclude": ("exclude", read.patterns),
        "header-filter": ("headers", read.patterns),
        "severity": ("severity", partial(read.severity, base=base.severity)),
        "per-file": ("per_file", partial(read.per_file, base=base.per_file)),
    }
    said = {field: reader(key) for key, (field, reader) in readers.items() if key in table}
    return base._replace(**said)


class _LintTableReader:
    """Values of a table, each checked."""

    def __init__(self, table: Mapping[str, Any], root: str, wrong: Wrong) -> None:
        self.table, self.root, self.wrong = table, root, wrong

    def names(self, key: str) -> tuple[str, ...]:
        return names_at(self.table, key, self.wrong)

    def patterns(self, key: str) -> tuple[Pattern, ...]:
        return tuple([self.pattern(glob, key) for glob in self.names(key)])

    def pattern(self, glob: str, *keys: str) -> Pattern:
        """A stranger's tree must not decide on files outside of it, which fixes may change."""
        if glob.startswith((OUTSIDE, "/")):
            raise self.wrong(f"{keys[0]}: '{glob}' is not below this file's folder", *keys)
        return Pattern(glob, self.root)

    def one_of(self, key: str, words: Sequence[str]) -> Any:  # noqa: ANN401 - one of the words
        return self.parsed(key, lambda text: one_of(text, words))

    def parsed(self, key: str, parse: Callable[[str], Any]) -> Any:  # noqa: ANN401
        value = self.table[key]
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        try:
            if not isinstance(value, str) and not number:
                raise ValueError(f"{value!r}, expected a word or a number")
            return parse(str(value))
        except ValueError as error:
            raise self.wrong(f"{key}: {error}", key) from None

    def flag(self, key: str) -> bool:
        value = self.table[key]
        if not isinstance(value, bool):
            raise self.wrong(f"{key}: expected true or false, got {value!r}", key)
        return value

    def severity(self, key: str, base: Mapping[str, Severity]) -> dict[str, Severity]:
        found = dict(base)
        for word, level in self.inner(key).items():
            if level not in SEVERITIES:
                expected = f"expected one of {', '.join(SEVERITIES)}"
                raise self.wrong(f"severity: {word}: {level!r}, {expected}", key, word)
            found[word] = level
        return found

    def per_file(
        self, key: str, base: Mapping[Pattern, tuple[str, ...]]
    ) -> dict[Pattern, tuple[str, ...]]:
        found = dict(base)
        for glob, rules in self.inner(key).items():
            if not isinstance(rules, dict) or set(rules) != {"ignore"}:
                expected = "expected { ignore = [...] }"
                raise self.wrong(f"per-file: {glob}: {expected}", key, glob)
            found[self.pattern(glob, key, glob)] = names_at(rules, "ignore", self.wrong)
        return found

    def inner(self, key: str) -> Mapping[str, Any]:
        value = self.table[key]
        if not isinstance(value, dict):
            raise self.wrong(f"{key}: expected a table, got {value!r}", key)
        return value
