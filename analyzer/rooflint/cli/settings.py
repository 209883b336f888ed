"""``rooflint lint --show-settings PATH``: the settings that hold for a file, and who says so.

The output is a configuration that says the same, with the origins as comments.
"""

import os
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from rooflint.config.lint_settings import (
    MIN_TIME_S,
    LintOverrides,
    LintSettings,
    Pattern,
    time_text,
)
from rooflint.config.settings import Config
from rooflint.current_folder import current_folder
from rooflint.errors import UsageError
from rooflint.escaping import json_text, visible
from rooflint.machine import DEFAULT
from rooflint.pipeline import CACHE_ENVIRONMENT, Options, SetupResolver, default_folder
from rooflint.records import NamedTuple
from rooflint.render.layout import wrap

COMMAND_LINE: Final = "command line"
NOBODY: Final = "default"
WIDTH: Final = 100
ORIGIN_COLUMN: Final = 40
_BARE: Final = f"{string.ascii_letters}{string.digits}_-"
"""Characters of a key of TOML that needs no quotes."""


class Setting(NamedTuple):
    """A key, its value and who set it; ``value`` is None where a sentence says what holds."""

    keys: tuple[str, ...]
    value: Any
    origin: str


def shown_settings(paths: Sequence[str], resolver: SetupResolver) -> str:
    """The settings of each path; raises RooflintError where there is none, or a mistake in them."""
    return "\n".join(_of_path(path, resolver) for path in paths)


def _of_path(path: str, resolver: SetupResolver) -> str:
    if not os.path.exists(path):
        raise UsageError(f"{path}: no such file or directory")
    folder = os.path.isdir(path)
    file = os.path.join(path, "a file") if folder else path
    lint = resolver.lint_for(file)
    config = resolver.config_for(file)
    lines = [f"# {path}"]
    lines += map(_line, sorted(settings(resolver.options, config, lint)))
    here = lint if folder else lint.for_file(path)
    if not folder and lint.excludes(path):
        lines.append("# exclude leaves this file out")
    asked = f"rules enabled: {' '.join(sorted(here.codes)) or 'none'}"
    lines += [f"# {line}" for line in wrap(asked, WIDTH - 2, 0, 2)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _line(setting: Setting) -> str:
    key = _dotted(setting.keys)
    code = f"# {key}" if setting.value is None else f"{key} = {_toml(setting.value)}"
    return f"{code:<{ORIGIN_COLUMN}}  # {setting.origin}"


def settings(given: Options, config: Config, lint: LintSettings) -> Iterator[Setting]:
    """Every key of a configuration, with what holds in the end."""
    asked = given.lint or LintOverrides()
    read = _Origins(config)
    yield _cache(given)
    yield read.setting("compile-commands", given.build_dir, config.database or None,
                       "the nearest in a parent folder")  # fmt: skip
    yield read.setting("entry", given.entry, config.entry, "steady; cold in what runs once")
    yield read.setting("counts", given.counts, config.counts, [])
    yield read.setting("profile", given.profiles, config.profiles, [])
    yield _flags(given, config, read)
    yield read.setting("compiler", given.compiler, config.compiler or None,
                       "that of the compile command, else clang")  # fmt: skip
    yield read.setting("cores", given.cores, config.cores, "1, in a parallel region one socket")
    yield read.setting("machine", given.machines, config.machines, [DEFAULT])
    yield read.setting("model", given.models, config.models, "the models that the rules need")
    yield from read.sizes(given.sizes, given.scenario)
    yield from read.scenarios(given.scenario)
    yield read.setting("select", asked.select, config.lint.select, ["ALL"])
    yield read.both("ignore", asked.ignore, config.lint.ignore)
    yield read.setting("preview", asked.preview, config.lint.preview or None, False)
    for key in ("min_gain", "min_confidence", "fail_on", "policy"):
        yield read.said(key.replace("_", "-"), getattr(asked, key), getattr(lint, key))
    least_s = MIN_TIME_S if lint.min_time_s is None else lint.min_time_s
    yield read.said("min-time", asked.min_time_s, time_text(least_s))
    yield read.setting("exclude", (), _globs(config.lint.exclude), [])
    headers = _globs(asked.headers or ()), _globs(config.lint.headers or ())
    yield read.setting("header-filter", *headers, [])
    yield from read.table(("severity",), {}, config.lint.severity)
    for pattern, words in config.lint.per_file.items():
        yield Setting(
            ("per-file", pattern.glob, "ignore"), words, read.of("per-file", pattern.glob)
        )


class _Origins:
    """Who says a value: the command line, a line of a file, or nobody."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def of(self, *keys: str) -> str:
        """``rooflint.toml:3`` as seen from here; nobody where no file sets the value."""
        place = self.config.lines.get(keys)
        if place is None:
            return NOBODY
        path = os.path.relpath(place.file, current_folder())
        return f"{path}:{place.line}" if place.line else path

    def setting(self, key: str, given: object, configured: object, default: object) -> Setting:
        """The first that is there; a default in words stands for what has no value."""
        if given:
            return Setting((key,), given, COMMAND_LINE)
        if configured is not None and (key,) in self.config.lines:
            return Setting((key,), configured, self.of(key))
        if isinstance(default, str):
            return Setting((key,), None, f"{NOBODY}: {default}")
        return Setting((key,), default, NOBODY)

    def said(self, key: str, given: object, value: object) -> Setting:
        return Setting((key,), value, COMMAND_LINE if given is not None else self.of(key))

    def both(self, key: str, given: Sequence[str], configured: Sequence[str]) -> Setting:
        who = [COMMAND_LINE] * bool(given) + [self.of(key)] * ((key,) in self.config.lines)
        return Setting((key,), (*given, *configured), " and ".join(who) or NOBODY)

    def table(
        self, keys: tuple[str, ...], given: Mapping[str, Any], configured: Mapping[str, Any]
    ) -> Iterator[Setting]:
        for name, value in {**configured, **given}.items():
            who = COMMAND_LINE if name in given else self.of(*keys, name)
            yield Setting((*keys, name), value, who)

    def sizes(self, given: Mapping[str, int], scenario: str) -> Iterator[Setting]:
        """Those that hold; raises ConfigurationError for a scenario that is not there."""
        own = self.config.scenarios.get(scenario, {})
        for setting in self.table(("sizes",), given, self.config.sizes_in(scenario)):
            name = setting.keys[-1]
            of_scenario = name in own and name not in given
            yield (
                setting._replace(origin=self.of("scenario", scenario, name))
                if of_scenario
                else setting
            )

    def scenarios(self, chosen: str) -> Iterator[Setting]:
        """The one that was chosen, and the sizes of all."""
        who = f"{COMMAND_LINE}: {chosen}" if chosen else f"{NOBODY}: none"
        yield Setting(("scenario",), None, who)
        for name, sizes in self.config.scenarios.items():
            yield from self.table(("scenario", name), {}, sizes)


def _cache(given: Options) -> Setting:
    if given.cache_dir == "":
        return Setting(("cache-dir",), None, f"{COMMAND_LINE}: nothing is cached")
    who = CACHE_ENVIRONMENT if os.environ.get(CACHE_ENVIRONMENT) else NOBODY
    return Setting(("cache-dir",), None, f"{who}: {default_folder()}")


def _flags(given: Options, config: Config, read: _Origins) -> Setting:
    keys = ("flags", "default")
    if given.flags:
        return Setting(keys, given.flags, COMMAND_LINE)
    return Setting(keys, config.flags, read.of(*keys))


def _globs(patterns: Iterable[Pattern]) -> list[str]:
    return [pattern.glob for pattern in patterns]


def _dotted(keys: Iterable[str]) -> str:
    return ".".join(key if key and not key.strip(_BARE) else _toml(key) for key in keys)


def _toml(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json_text(value, indent=None)
