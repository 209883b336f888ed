"""Formats for findings: what their readers need is there, and nothing breaks out of its place."""

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from rooflint.ir import Diagnostic, Span
from rooflint.plugin_api.advice import Advice, Edit, Fix, Gain, Numbers, RelatedPlace
from rooflint.plugin_api.hookspecs import Renderer
from rooflint.plugin_api.report import (
    FileReport,
    FunctionReport,
    MachineReport,
    NestReport,
    Report,
    RuleText,
    SourceExcerpt,
    Summary,
)
from rooflint.registry import load_registry, with_rules
from rooflint.render import FindingsRenderers
from rooflint.render.findings.links import SOURCE, rule_link

SCHEMAS = Path(__file__).parent / "schemas"
HEADER = "  /* é */ for (int i = 0; i < n; i++)"
"""Column 12 in bytes, where the loop begins, is the 11th character."""

WALK = Advice(
    "RL101",
    "column-walk",
    "inner i walks b in steps of 8000 B; order j, i is predicted 1.8x faster",
    "warning",
    Span(4, 12, 4, 39),
    function="copy",
    loop="i",
    fingerprint="c0ffee00c0ffee00",
    machine="toy",
    gain=Gain(1.8, 2.0),
    confidence="medium",
    numbers=Numbers("ecm", 14.1, 7.8, "cy/it", 2e-3, 0.25),
    related=(RelatedPlace(Span(5, 5, 5, 12), "b[i][j]"),),
    assumptions=("n = 1000 (role)",),
    fix=Fix("safe", "swap the loops", (Edit(4, 12, 4, 15, "FOR"),)),
)
GATHER = WALK._replace(
    code="RL109", slug="gather", severity="note", span=Span(9, 3, 9, 20), gain=None, numbers=None,
    message="a[b[i]]: a line per element, 100 % by latency", fingerprint="f00dcafef00dcafe",
    fix=None, related=(),
)  # fmt: skip


def report(
    *findings: Advice, path: str = "src/copy.c", machines: tuple[str, ...] = ("toy",)
) -> Report:
    lines = ("", "void copy(void) {", "", HEADER, "    a[j] = b[i][j];")
    nest = NestReport(4, 5, ())
    far = NestReport(20, 22, ())
    function = FunctionReport("copy", 2, 1, (nest, far), (), ())
    file = FileReport(
        path, "partial", (function,), (Diagnostic(1, 1, "error", "'x.h' not found"),),
        source=(SourceExcerpt(1, lines),), findings=findings,
    )  # fmt: skip
    return Report(
        "1.2.3", tuple(MachineReport(name, f"{name}.yaml") for name in machines), (file,),
        Summary(2, 2), rules=(RuleText("RL101", "column-walk", "a column is walked", "# RL101\n"),),
    )  # fmt: skip


@pytest.fixture
def render() -> Callable[[str, Report], str]:
    renderers: dict[str, Renderer] = {
        renderer.name: renderer for renderer in FindingsRenderers().rooflint_renderers()
    }
    return lambda name, shown: renderers[name].render(shown)


Render = Callable[[str, Report], str]


def test_sarif(render: Render) -> None:
    log: Any = json.loads(render("sarif", report(GATHER, WALK)))
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert [rule["id"] for rule in driver["rules"]] == ["RL101", "RL109"]
    assert driver["rules"][0]["name"] == "ColumnWalk"
    assert driver["informationUri"] == SOURCE
    page = "plugins/rooflint_plugins/rules/rl101_column_walk.md"
    assert driver["rules"][0]["helpUri"] == f"{SOURCE}/blob/v1.2.3/{page}"
    assert driver["rules"][0]["help"] == {"text": "# RL101\n", "markdown": "# RL101\n"}
    walk, gather = run["results"]
    assert (walk["ruleId"], walk["ruleIndex"], walk["level"]) == ("RL101", 0, "warning")
    place = walk["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/copy.c"}
    # one character of two bytes stands before the loop
    assert place["region"] == {"startLine": 4, "startColumn": 11, "endLine": 4, "endColumn": 38}
    assert run["columnKind"] == "unicodeCodePoints"
    assert walk["partialFingerprints"] == {"loopFingerprint/v1": "c0ffee00c0ffee00"}
    assert walk["rank"] == 25.0
    assert walk["properties"]["gain"] == 1.8
    (change,) = walk["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "FOR"}
    assert walk["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 5
    assert (gather["kind"], gather["level"]) == ("informational", "none")
    notified = run["invocations"][0]["toolExecutionNotifications"]
    assert notified[0]["message"]["text"] == "'x.h' not found"


def test_links_of_rules_lead_to_their_pages() -> None:
    root = Path(__file__).parents[2]
    for rule in with_rules(load_registry(search_path=())).rules:
        link = rule_link(rule.code, rule.slug, "1.2.3")
        assert (root / link.removeprefix(f"{SOURCE}/blob/v1.2.3/")).is_file(), link
    assert rule_link("RL001", "parse-error", "1").endswith("/docs/lint.md")
    assert rule_link("ACME101", "column-walk", "1") == ""
    urls = tomllib.loads((root / "pyproject.toml").read_text())["project"]["urls"]
    assert urls["Source"] == SOURCE


def test_sarif_regions_end_where_their_text_ends(render: Render) -> None:
    # a header over three lines; the excerpt shows where line 6 has its characters, and of line 9,
    # which it does not have, a column in bytes is the best there is
    header = WALK._replace(
        span=Span(4, 3, 6, 5), related=(RelatedPlace(Span(5, 1, 9, 2), "inside"),)
    )
    assert header.fix is not None
    several = header._replace(fix=header.fix._replace(edits=(Edit(4, 3, 6, 5, "FOR"),)))
    [run] = json.loads(render("sarif", report(several)))["runs"]
    [found] = run["results"]
    own = found["locations"][0]["physicalLocation"]["region"]
    assert (own["startLine"], own["endLine"], own["endColumn"]) == (4, 6, 5)
    [other] = found["relatedLocations"]
    assert other["physicalLocation"]["region"] == {
        "startLine": 5, "startColumn": 1, "endLine": 9, "endColumn": 2,
    }  # fmt: skip
    deleted = found["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]
    assert (deleted["startLine"], deleted["endLine"]) == (4, 6)


def test_sarif_names_its_machines(render: Render) -> None:
    shown = report(WALK, GATHER._replace(machine="wide"), machines=("toy", "wide"))
    [run] = json.loads(render("sarif", shown))["runs"]
    assert run["automationDetails"]["id"] == "rooflint/toy+wide/"
    assert len(run["results"]) == 2


@pytest.mark.parametrize("findings", [(), (WALK, GATHER)])
def test_sarif_is_valid(render: Render, findings: tuple[Advice, ...]) -> None:
    schema = os.environ.get("SARIF_SCHEMA")
    if not schema:
        pytest.skip("SARIF_SCHEMA names no copy of the schema of OASIS; .ci/run fetches one")
    jsonschema.validate(
        json.loads(render("sarif", report(*findings))), json.loads(Path(schema).read_text())
    )


@pytest.mark.parametrize("name", ["rdjson", "gitlab"])
@pytest.mark.parametrize("findings", [(), (WALK, GATHER, GATHER)])
def test_schemas(render: Render, name: str, findings: tuple[Advice, ...]) -> None:
    found = json.loads(render(name, report(*findings)))
    jsonschema.validate(found, json.loads((SCHEMAS / f"{name}.json").read_text()))
    assert len(found if name == "gitlab" else found["diagnostics"]) == len(findings)


def test_rdjson(render: Render) -> None:
    (walk,) = json.loads(render("rdjson", report(WALK)))["diagnostics"]
    start, end = {"line": 4, "column": 12}, {"line": 4, "column": 39}
    assert walk["location"] == {"path": "src/copy.c", "range": {"start": start, "end": end}}
    assert (walk["severity"], walk["code"]) == ("WARNING", {"value": "RL101"})
    assert walk["suggestions"][0]["text"] == "FOR"


def test_gitlab_tells_copies_apart(render: Render) -> None:
    found = json.loads(render("gitlab", report(WALK, WALK._replace(span=Span(40, 1, 40, 9)))))
    assert [each["fingerprint"] for each in found] == ["c0ffee00c0ffee00", "c0ffee00c0ffee00-2"]
    assert [each["severity"] for each in found] == ["major", "major"]


def test_github(render: Render) -> None:
    missing, walk, gather = render("github", report(GATHER, WALK)).splitlines()
    assert missing == "::notice file=src/copy.c,line=1,title=rooflint::'x.h' not found"
    place = "file=src/copy.c,line=4,endLine=4,col=11,endColumn=38"
    assert walk.startswith(f"::warning {place},title=RL101 column-walk::inner i walks")
    assert gather.endswith("100 %25 by latency")


def test_github_counts_what_it_drops(render: Render) -> None:
    many = [WALK._replace(span=Span(line, 1, line, 9)) for line in range(30, 43)]
    *_, last = render("github", report(*many)).splitlines()
    assert last == "rooflint: 3 of 13 findings not shown as annotations"


def test_github_values_stay_in_their_place(render: Render) -> None:
    text = render("github", report(WALK._replace(message="x\n::error::y"), path="a,line=9:b.c"))
    assert "file=a%2Cline=9%3Ab.c,line=4," in text
    assert "::x\\n::error::y" in text
    assert not any(line.startswith("::error") for line in text.splitlines())


def test_junit(render: Render) -> None:
    root = ElementTree.fromstring(render("junit", report(WALK, GATHER)).encode())
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "0")
    first, far, alone = suite
    assert first.find("failure") is not None
    assert far.get("name") == "copy: loop in line 20"
    assert not list(far)
    out = alone.find("system-out")
    assert out is not None
    assert out.text is not None
    assert out.text.endswith("[RL109]")


def test_junit_takes_any_name(render: Render) -> None:
    hostile = WALK._replace(message="]]> <b> & \x00 \x1b[31m", function="f<int>\"'")
    root = ElementTree.fromstring(render("junit", report(hostile)).encode())
    assert root.get("failures") == "1"


def test_markdown(render: Render) -> None:
    text = render("markdown", report(GATHER, WALK))
    rows = [line for line in text.splitlines() if line.startswith("| src")]
    assert "RL101" in rows[0]
    assert "| 1.8× | 2 ms |" in rows[0]
    assert "RL109" in rows[1]
    assert "Predicted for toy, not measured." in text


def test_markdown_names_are_text(render: Render) -> None:
    hostile = WALK._replace(message="a|b <img src=x> [l](javascript:0) `c` @all")
    row = next(line for line in render("markdown", report(hostile)).splitlines() if "RL101" in line)
    assert r"a\|b \<img src=x\> \[l\]\(javascript:0\) \`c\` \@all" in row


def test_markdown_of_nothing(render: Render) -> None:
    assert render("markdown", report()) == "### Rooflint: nothing found in 1 file\n"
