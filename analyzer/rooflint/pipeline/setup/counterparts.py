"""Files of an earlier tree judged by the settings that their counterparts in a later one have."""

import os
from collections.abc import Iterable, Iterator, Mapping

from rooflint.config.configured_flags import ConfiguredFlags
from rooflint.core import Compiler
from rooflint.errors import RooflintError
from rooflint.pipeline.setup.options import JudgedSettings, Options
from rooflint.pipeline.setup.resolver import SetupResolver
from rooflint.records import NamedTuple
from rooflint.registry import Registry


class SettingDifference(NamedTuple):
    """A setting that changes predictions, and what it is in either tree."""

    setting: str
    old: str
    new: str


class PredictionSettings(NamedTuple):
    """Settings that decide a file's predictions besides its source; empty: not set."""

    machine: str
    cores: str
    compiler: Compiler
    sizes: Mapping[str, int]


class SettingsReader:
    """The settings of one tree's files, read once for each configuration."""

    def __init__(self, options: Options, registry: Registry) -> None:
        self._resolver = SetupResolver(options, registry)
        self._flags = ConfiguredFlags(options, self._resolver.configs)

    def settings(self, path: str) -> PredictionSettings:
        """Of a file, which need not be there; RooflintError for a mistake in what says so."""
        setup = self._resolver.setup_for(path)
        return PredictionSettings(
            machine=setup.machines[0].name,
            cores=setup.cores or setup.configured_cores or "",
            compiler=self._resolver.compiler(path, self._flags.flags(path).code),
            sizes={**setup.configured.sizes, **setup.sizes.sizes},
        )


def judged_by_counterparts(
    counterparts: Mapping[str, str], old: SettingsReader, new: SettingsReader
) -> tuple[dict[str, JudgedSettings], tuple[SettingDifference, ...]]:
    """How each earlier file is judged, and the settings in which any differs, each named once.

    A counterpart that is not there still tells the configuration of its folder; the compiler is
    then the earlier file's own, since no command line is known.
    """
    judged: dict[str, JudgedSettings] = {}
    found: dict[SettingDifference, None] = {}
    for path, counterpart in counterparts.items():
        try:
            now = new.settings(counterpart)
            there = os.path.isfile(counterpart)
            judged[path] = JudgedSettings(counterpart, now.compiler if there else None)
            was = old.settings(path)
        except RooflintError:
            continue  # the analysis of the file says so
        same = now if there else now._replace(compiler=was.compiler)
        found.update(dict.fromkeys(_differences(was, same)))
    return judged, tuple(found)


def _differences(old: PredictionSettings, new: PredictionSettings) -> Iterator[SettingDifference]:
    pairs: Iterable[tuple[str, str, str]] = (
        ("machine", old.machine, new.machine),
        ("cores", old.cores, new.cores),
        ("compiler", str(old.compiler), str(new.compiler)),
    )
    for setting, before, after in pairs:
        if before != after:
            yield SettingDifference(setting, before, after)
    for name in sorted({*old.sizes, *new.sizes}):
        before, after = (str(sizes.get(name, "")) for sizes in (old.sizes, new.sizes))
        if before != after:
            yield SettingDifference(f"size {name}", before, after)
