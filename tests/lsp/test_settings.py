"""Settings as clients send them."""

import pytest

pytest.importorskip("pygls", reason="pygls comes with the extra [test]")

from rooflint_lsp.documents.configuration import is_excluded
from rooflint_lsp.documents.settings import Settings, read_settings


def test_nothing_set_is_the_default() -> None:
    assert read_settings(None) == (Settings(), ())
    assert read_settings({"machine": None, "hints": None}) == (Settings(), ())


def test_everything_set() -> None:
    settings, problems = read_settings(
        {
            "enable": False, "hints": "all", "codeLens": "functions",
            "diagnostics": False, "severity": {"RL101": "warning"}, "run": "onSave",
            "debounceMs": 0, "machine": ["cell", "snb"], "cores": "socket",
            "sizes": {"n": 4096, "m": "1e6"}, "scenario": "s30", "models": ["ecm"],
            "compileCommands": "build",
            "flags": ["-O3"], "maxFileLines": 10, "exclude": ["a/**"], "timeLimitSeconds": 5,
        }
    )  # fmt: skip
    assert problems == ()
    assert settings.machine == ("cell", "snb")
    assert settings.sizes == {"n": 4096, "m": 1_000_000}
    assert settings.options.machines == ("cell", "snb")
    assert (settings.options.scenario, settings.lint_options.scenario) == ("s30", "s30")
    assert settings.options.models == ()  # hints have those of every run
    assert settings.detailed.options.models == ("ecm",)
    assert settings.lint_options.lint is not None
    assert (settings.cores, settings.time_limit_seconds) == ("socket", 5.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"hint": "all"}, "rooflint.hint: unknown setting; did you mean 'hints'?"),
        ({"hints": "some"}, "rooflint.hints: expected all or problems or off, got 'some'"),
        ({"codeLens": True}, "rooflint.codeLens: expected summary or functions or off, got True"),
        ({"enable": 1}, "rooflint.enable: expected true or false, got 1"),
        ({"debounceMs": -1}, "rooflint.debounceMs: expected a number of at least 0, got -1"),
        ({"debounceMs": True}, "rooflint.debounceMs: expected a number of at least 0, got True"),
        ({"machine": [""]}, "rooflint.machine: expected a name or a list of names, got ['']"),
        ({"sizes": {"n": "many"}}, "rooflint.sizes: expected names, each with a whole number"),
        ({"severity": {"RL101": "loud"}}, "rooflint.severity: expected rule codes, each with"),
        ({"cores": []}, "rooflint.cores: expected 1, socket, node or a number, got []"),
        ({"scenario": 30}, "rooflint.scenario: expected the name of a scenario of the conf"),
        ({"flags": "-O3"}, "rooflint.flags: expected a list of words, got '-O3'"),
        ("all", "rooflint: expected an object, got 'all'"),
    ],
)
def test_what_is_wrong_is_said_and_has_its_default(given: object, said: str) -> None:
    settings, problems = read_settings(given)
    assert settings == Settings()
    assert len(problems) == 1
    assert problems[0].startswith(said)


def test_a_setting_that_is_wrong_costs_itself_only() -> None:
    settings, problems = read_settings({"hints": "some", "run": "manual"})
    assert settings == Settings(run="manual")
    assert len(problems) == 1


@pytest.mark.parametrize(
    ("pattern", "path", "out"),
    [
        ("third_party", "/w/third_party/a/b.c", True),
        ("third_party/", "/w/third_party/b.c", True),
        ("third_party", "/w/src/third_party.c", False),
        ("**/gen/*.c", "/w/x/gen/a.c", True),
        ("**/gen/*.c", "/w/gen/a.c", True),
        ("**/gen/*.c", "/w/gen.c", False),
        ("*.cu", "/w/a/k.cu", True),
        ("src/**", "/w/src/a/b.c", True),
        ("src/**", "/w/lib/a.c", False),
    ],
)
def test_what_is_excluded(pattern: str, path: str, out: bool) -> None:
    assert is_excluded(path, "/w", Settings(exclude=(pattern,))) == out
