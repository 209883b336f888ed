"""A rule of another distribution, under a prefix of its own, wherever codes are written."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.config.comments import parse_comments
from rooflint.ir import Comment
from rooflint.plugin_api.hookspecs import hookimpl
from rooflint.plugin_api.rule_code import family_of, is_code, is_selector, prefixes, selects
from rooflint.registry import load_registry, with_rules
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint_plugins.rules.rl411_data_race import RULE as RL411

Lint = Callable[..., tuple[int, list[str], str]]
EXAMPLE = Path(__file__).parents[1] / "third_party_plugin"
COPY = """void copy(double *restrict a, const double *restrict b) {
  for (int i = 0; i < 100000; i++)
    a[i] = b[i];
}
"""
FOUND = "k.c:2:3: note: a copy: 1 load and 1 store per iteration, no arithmetic [ACME001]"


@pytest.fixture
def installed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The example plugin as an installed distribution."""
    folder = tmp_path_factory.mktemp("site")
    for file in EXAMPLE.glob("rooflint_example_plugin*"):
        shutil.copy(file, folder)
    information = folder / "rooflint_example_plugin-1.0.dist-info"
    information.mkdir()
    (information / "entry_points.txt").write_text("[rooflint]\nexample = rooflint_example_plugin\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield
    sys.modules.pop("rooflint_example_plugin", None)


@pytest.mark.parametrize("selector", ["ACME", "ACME0", "ACME001", "plain-copy"])
def test_it_is_selected_and_ignored(installed: None, lint: Lint, selector: str) -> None:
    code, out, _ = lint("--select", selector, "--fail-on", "note", text=COPY)
    assert (code, out) == (1, [FOUND])
    code, out, _ = lint("--select", "ACME", "--ignore", f"{selector},RL", text=COPY)
    # of two selectors for as many rules the later one holds
    assert (code, out) == (0, [])


def test_its_prefix_is_no_prefix_of_others(installed: None, lint: Lint) -> None:
    assert FOUND not in lint("--select", "RL", text=COPY)[1]
    code, _, err = lint("--select", "ACM", text=COPY)
    assert code == 2
    assert "unknown rule 'ACM'" in err and "did you mean 'ACME'?" in err
    code, _, err = lint("--select", "ACME0011", text=COPY)
    assert code == 2 and "did you mean 'ACME001'?" in err


def test_a_rule_of_an_absent_plugin_says_which_prefixes_there_are(lint: Lint) -> None:
    code, _, err = lint("--select", "ACME001", text=COPY)
    assert code == 2
    assert "no rule has the prefix 'ACME' (there is RL): is its plugin installed?" in err


@pytest.mark.parametrize(
    "mark",
    [
        "// rooflint: allow(ACME001) wanted", "// rooflint: allow(RL101, ACME0) wanted",
        "// NOLINTNEXTLINE(ACME001)", "// NOLINTNEXTLINE(ACME*)", "// NOLINTNEXTLINE(x-y, ACME0)",
    ],
)  # fmt: skip
def test_comments_accept_it(installed: None, lint: Lint, mark: str) -> None:
    text = COPY.replace("  for", f"  {mark}\n  for")
    assert lint("--select", "ACME", text=text)[:2] == (0, [])


def test_an_unused_comment_is_reported(installed: None, lint: Lint) -> None:
    text = COPY.replace("= b[i]", "= 2 * b[i]").replace("  for", "  // NOLINT(ACME001)\n  for")
    _, out, _ = lint("--select", "ACME,RL004", text=text)
    assert out == ["k.c:2:1: note: NOLINT(ACME001) suppresses nothing here [RL004]"]


def test_another_tools_codes_in_a_shared_mark_are_not_ours(lint: Lint) -> None:
    text = COPY.replace("  for", "  // NOLINT(ACME001)\n  for")
    assert lint("--select", "RL004", text=text)[1] == []
    text = COPY.replace("  for", "  // rooflint: allow(ACME001) wanted\n  for")
    _, out, _ = lint("--select", "RL004", text=text)
    assert out == ["k.c:2:1: note: allow(ACME001): no rule has a code with this prefix [RL004]"]


def test_configuration_tables_name_it(installed: None, lint: Lint) -> None:
    Path("rooflint.toml").write_text(
        'select = ["ACME"]\n[severity]\nACME001 = "error"\n'
        '[per-file]\n"other/**" = { ignore = ["ACME"] }\n'
    )
    code, out, _ = lint(text=COPY)
    assert (code, out) == (1, [FOUND.replace(" note:", " error:")])
    Path("rooflint.toml").write_text(
        'select = ["ACME"]\n[per-file]\n"k.c" = {ignore = ["ACME0"]}\n'
    )
    assert lint(text=COPY)[:2] == (0, [])


def test_formats_and_baselines_carry_it(installed: None, lint: Lint) -> None:
    sarif = json.loads("".join(lint("--select", "ACME", "--format", "sarif", text=COPY)[1]))
    driver = sarif["runs"][0]["tool"]["driver"]
    assert [(rule["id"], rule["name"]) for rule in driver["rules"]] == [("ACME001", "PlainCopy")]
    assert "copies one array" in driver["rules"][0]["shortDescription"]["text"]
    page = (EXAMPLE / "rooflint_example_plugin.md").read_text()
    assert driver["rules"][0]["help"] == {"text": page, "markdown": page}
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["ACME001"]
    assert lint("--select", "ACME", "--write-baseline", "known.json", text=COPY)[0] == 0
    assert json.loads(Path("known.json").read_text())["findings"][0]["code"] == "ACME001"
    assert lint("--select", "ACME", "--baseline", "known.json", text=COPY)[1] == []


def test_explain_prints_its_page(installed: None, capsys: pytest.CaptureFixture[str]) -> None:
    for word in ("ACME001", "plain-copy"):
        assert run(["explain", word]) == 0
        assert capsys.readouterr().out.startswith("# ACME001 plain-copy\n")
    assert run(["explain", "ACME002"]) == 2
    error = capsys.readouterr().err
    assert "unknown rule 'ACME002'; did you mean 'ACME001'?" in error
    assert run(["explain"]) == 0
    assert "  ACME001  plain-copy" in capsys.readouterr().out


class Coded:
    """A rule with nothing but a code."""

    slug, summary, aliases, status = "toy", "a toy", (), "stable"
    models, needs, guards = (), (), ()

    def __init__(self, code: str) -> None:
        self.code = code

    def match(self, context: object) -> list[object]:
        return []


@pytest.mark.usefixtures("forked")
@pytest.mark.parametrize(("said", "failed"), [(None, False), (True, False), (False, True)])
def test_a_rule_with_defects_does_not_say_that_it_has_none(
    said: bool | None, failed: bool, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code without a share of the time is not shown to a rule that has none."""
    if said is None:
        monkeypatch.delattr(RuleDefaults, "defects")
        monkeypatch.delattr(type(RL411), "defects")
    else:
        monkeypatch.setattr(type(RL411), "defects", said)
    race = """double sum;
void add(const double *a) {
  #pragma omp parallel for
  for (int i = 0; i < 100000; i++)
    sum += a[i];
}
"""
    _, out, err = lint("--select", "RL411", text=race)
    assert ("RL411 failed on add: TypeError: matched a defect" in err) is failed
    assert bool(out) is not failed


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("acme1", "its code has to be capital letters and three digits, such as ACME001"),
        ("ACME1", "its code has to be capital letters and three digits, such as ACME001"),
        ("ALL001", "its code has to be capital letters and three digits, such as ACME001"),
        ("RL101", "that code is a built-in rule's"),
        ("RL004", "that code is a built-in rule's"),
    ],
)
def test_a_code_that_nobody_could_select_is_refused(code: str, reason: str) -> None:
    class Plugin:
        @hookimpl
        def rooflint_rules(self) -> list[object]:
            return [Coded(code)]

    registry = with_rules(load_registry({"p": Plugin()}, search_path=()))
    assert [each for each in registry.failures if code in each] == [
        f"rule {code} of {__name__}: {reason}"
    ]
    assert not [rule for rule in registry.rules if isinstance(rule, Coded)]


@pytest.mark.parametrize("text", ["RL101", "ACME001", "A000"])
def test_codes(text: str) -> None:
    assert is_code(text) and is_selector(text)


@pytest.mark.parametrize("text", ["ACME", "RL1", "RL10", "ALL001"])
def test_selectors_that_are_no_codes(text: str) -> None:
    assert is_selector(text) and not is_code(text)


@pytest.mark.parametrize(
    "text", ["RL1010", "rl101", "ÄB001", "RL\u0660\u0663\u0669", "101", "1", "a", "RL*", ""]
)
def test_neither(text: str) -> None:
    assert not is_selector(text) and not is_code(text)


def test_what_a_selector_selects() -> None:
    assert selects("RL", "RL101") and not selects("RL", "RLX101") and not selects("RLX1", "RL101")
    assert selects("ACME0", "ACME001") and not selects("ACME1", "ACME001") and selects("", "X001")
    assert (family_of("RL301"), prefixes(["RL101", "RL202", "ACME001"])) == ("3", ["ACME", "RL"])


def test_comments_read_any_prefix() -> None:
    read = parse_comments([Comment(1, "allow(ACME001, RL2) why"), Comment(2, "NOLINT(A1, B*, c*)")])
    assert [each.codes for each in read.allows] == [("ACME001", "RL2"), ("A1", "B")]
    wrong = parse_comments([Comment(1, "allow(ACME) why"), Comment(2, "allow(a001) why")])
    assert len(wrong.diagnostics) == 2 and not wrong.allows
