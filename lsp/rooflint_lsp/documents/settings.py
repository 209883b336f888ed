"""The client's settings: section ``rooflint``, checked, with defaults for what is not set."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

from rooflint.config.lint_settings import LintOverrides
from rooflint.config.settings import parse_cores
from rooflint.errors import UsageError, near_miss
from rooflint.pipeline import Options
from rooflint.records import NamedTuple
from rooflint.scenario.sizes import parse_size

SECTION: Final = "rooflint"
ESTIMATORS: Final = ("ecm",)
"""Models asked for verdicts beside those of every run."""
Hints: TypeAlias = Literal["all", "problems", "off"]
Lenses: TypeAlias = Literal["summary", "functions", "off"]
Run: TypeAlias = Literal["onType", "onSave", "manual"]
SEVERITIES: Final = ("error", "warning", "information", "hint", "off")
Json: TypeAlias = Any


class Settings(NamedTuple):
    """The user's settings; docs/editor.md explains each.

    hint_models  those asked of every loop; empty: those that every run has. No setting
    """

    enable: bool = True
    hints: Hints = "problems"
    code_lens: Lenses = "summary"
    diagnostics: bool = True
    severity: Mapping[str, str] = {}
    run: Run = "onType"
    debounce_ms: float = 250.0
    machine: tuple[str, ...] = ()
    cores: str | None = None
    sizes: Mapping[str, int] = {}
    scenario: str = ""
    models: tuple[str, ...] = ("roofline", "ecm", "ceilings", "bounds")
    compile_commands: str | None = None
    flags: tuple[str, ...] = ()
    max_file_lines: float = 20_000.0
    exclude: tuple[str, ...] = ()
    time_limit_seconds: float = 20.0
    hint_models: tuple[str, ...] = ()

    @property
    def analysis(self) -> tuple[object, ...]:
        """All that changes what is known of a file; the rest only changes what is shown."""
        return self.options, self.enable, self.exclude, self.max_file_lines

    @property
    def detailed(self) -> "Settings":
        """With the models of hovers and reports in place of those of hints."""
        return self._replace(hint_models=self.models)

    @property
    def lint_options(self) -> Options:
        """Options of the lint."""
        return self._replace(hint_models=()).options._replace(lint=LintOverrides(silences=False))

    @property
    def options(self) -> Options:
        """Options of hints: the models that every run has."""
        return Options(
            machines=self.machine,
            cores=self.cores,
            sizes=self.sizes,
            scenario=self.scenario,
            models=self.hint_models,
            build_dir=self.compile_commands,
            flags=self.flags,
            limiters=True,
            estimators=ESTIMATORS,
            detailed=True,
        )


class CheckedSettings(NamedTuple):
    """Settings as far as they are right; a line for each that is not."""

    settings: Settings
    problems: tuple[str, ...] = ()


def read_settings(given: Json) -> CheckedSettings:
    """Settings from the client's JSON; null is the default, and so is what is wrong."""
    if given is None:
        return CheckedSettings(Settings())
    if not isinstance(given, Mapping):
        return CheckedSettings(Settings(), (f"{SECTION}: expected an object, got {given!r}",))
    values: dict[str, object] = {}
    problems: list[str] = []
    for key, value in given.items():
        if key in OF_THE_CLIENT:
            continue
        if key not in _KEYS:
            problems.append(f"{SECTION}.{key}: unknown setting{near_miss(key, _KEYS)}")
        elif value is not None:
            field, check = _KEYS[key]
            try:
                values[field] = check(value)
            except ValueError as error:
                problems.append(f"{SECTION}.{key}: expected {error}, got {value!r}")
    return CheckedSettings(Settings(**cast(Json, values)), tuple(problems))


def _bool(value: Json) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _number(least: float) -> Callable[[Json], float]:
    def check(value: Json) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or value < least:
            raise ValueError(f"a number of at least {least:g}")
        return float(value)

    return check


def _one_of(*words: str) -> Callable[[Json], str]:
    def check(value: Json) -> str:
        if value not in words:
            raise ValueError(" or ".join(words))
        return str(value)

    return check


def _words(value: Json) -> tuple[str, ...]:
    listed: Sequence[Json] = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(word, str) and word for word in listed):
        raise ValueError("a name or a list of names")
    return tuple(listed)


def _list(value: Json) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("a list of words")
    return _words(value)


def _text(value: Json) -> str | None:
    if not isinstance(value, str):
        raise ValueError("a path")
    return value or None


def _name(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError("the name of a scenario of the configuration")
    return value


def _cores(value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError("1, socket, node or a number")
    return parse_cores(str(value))


def _severity(value: Json) -> dict[str, str]:
    wrong = not isinstance(value, dict) or any(word not in SEVERITIES for word in value.values())
    if wrong:
        raise ValueError(f"rule codes, each with {', '.join(SEVERITIES)}")
    return {str(code): str(word) for code, word in value.items()}


def _sizes(value: Json) -> dict[str, int]:
    if not isinstance(value, dict):
        raise ValueError("names, each with a number")
    try:
        return dict(parse_size(f"{name}={number}") for name, number in value.items())
    except UsageError:
        raise ValueError("names, each with a whole number") from None


OF_THE_CLIENT: Final = ("importStrategy", "interpreter", "serverPath", "trace")
"""In the same section, for the editor's extension alone."""

_KEYS: Final[Mapping[str, tuple[str, Callable[[Json], object]]]] = {
    "enable": ("enable", _bool),
    "hints": ("hints", _one_of("all", "problems", "off")),
    "codeLens": ("code_lens", _one_of("summary", "functions", "off")),
    "diagnostics": ("diagnostics", _bool),
    "severity": ("severity", _severity),
    "run": ("run", _one_of("onType", "onSave", "manual")),
    "debounceMs": ("debounce_ms", _number(0)),
    "machine": ("machine", _words),
    "cores": ("cores", _cores),
    "sizes": ("sizes", _sizes),
    "scenario": ("scenario", _name),
    "models": ("models", _list),
    "compileCommands": ("compile_commands", _text),
    "flags": ("flags", _list),
    "maxFileLines": ("max_file_lines", _number(1)),
    "exclude": ("exclude", _list),
    "timeLimitSeconds": ("time_limit_seconds", _number(0.1)),
}
