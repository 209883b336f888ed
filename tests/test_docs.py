"""What the documentation says is what happens."""

import re
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
from rooflint.cli.main import COMMANDS, run
from rooflint.config.comments import parse_comments
from rooflint.ir import Comment
from rooflint.pipeline import Options, Source, analyse
from rooflint.plot.from_report import kernel_plots
from rooflint.plugin_api.prediction import ShownFigure
from rooflint.registry import ON_REQUEST, load_registry, model_text, with_requested
from rooflint.render.json import report_to_json
from rooflint.render.schema import report_schema

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted(
    [
        README,
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/**/*.md"),
        ROOT / "SECURITY.md",
        *ROOT.glob("machines/*.md"),
    ]
)
CONSOLE = re.compile(r"```console\n\$ (.*)\n((?:.*\n)*?)```\n")


def test_the_readme_shows_real_output(
    request: pytest.FixtureRequest,
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("COLUMNS", raising=False)

    def rerun(match: re.Match[str]) -> str:
        program, *arguments = match[1].split()
        assert program in ("analyze", "rooflint")
        assert run(["analyze"] * (program == "analyze") + arguments) == 0
        out = capfdbinary.readouterr().out.decode()
        return f"```console\n$ {match[1]}\n{out}```\n"

    text = README.read_text(encoding="utf-8")
    real, count = CONSOLE.subn(rerun, text)
    if request.config.getoption("--update-golden"):
        README.write_text(real, encoding="utf-8")
    assert count >= 2
    assert real == README.read_text(encoding="utf-8")


def test_every_command_is_in_the_readme() -> None:
    text = README.read_text(encoding="utf-8")
    assert all(f"rooflint {command}" in text for command in COMMANDS)


def test_every_comment_form_of_the_readme_is_understood() -> None:
    forms = re.findall(r"`rooflint: ([^`]*)`", README.read_text(encoding="utf-8"))
    assert len(forms) >= 7
    directives = parse_comments(Comment(line, text) for line, text in enumerate(forms, 1))
    assert directives.diagnostics == ()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


EXAMPLE = re.compile(r"```|<!-- made |    \S|!\[|\|---")
"""Code, a picture or a table."""
SCREEN = 36


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "CHANGELOG.md"],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_a_page_shows_something_on_its_first_screen(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    assert any(EXAMPLE.match(line) for line in lines[:SCREEN]) or len(lines) <= SCREEN


@pytest.mark.parametrize("name", sorted({*ON_REQUEST, *[m.name for m in load_registry().models]}))
def test_every_model_has_a_page_and_says_what_its_data_is(name: str) -> None:
    assert (ROOT / "docs" / "models" / f"{name}.md").is_file() or name == "one-access"
    models = with_requested(load_registry(), (name,)).models
    (model,) = [model_text(model) for model in models if model.name == name]
    in_words = f"**{name}**" in (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    assert model.fields or in_words
    assert all(field.sentence for field in model.fields)


def plugin_of(page: str) -> ModuleType:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    module = ModuleType("example")
    module.__file__ = f"{page}.py"
    exec(compile(code, page, "exec"), module.__dict__)
    return module


def test_the_code_of_the_pages_works() -> None:
    plugins = {name: plugin_of(f"add-{name}.md") for name in ("a-model", "an-output-format")}
    registry = load_registry(plugins, search_path=())
    assert registry.failures == ()
    options = Options(machines=("generic-2level",), models=("copies",), sizes={"n": 1 << 20})
    source = Source(
        "copy.c",
        b"void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }",
    )
    report = analyse([source], options, registry)
    assert registry.machine_dirs == (Path("machines"),)
    (renderer,) = (r for r in registry.renderers if r.name == "csv")
    _, line = renderer.render(report).splitlines()
    assert line.startswith("copy.c,1,f,generic-2level,copies,")
    # 8 B loaded, 8 write-allocated, 8 evicted; one core of generic-2level gets 10 GB/s
    kernel = report.files[0].functions[0].nests[0].kernels[0]
    (prediction,) = kernel.results[0].predictions
    assert (prediction.model, prediction.headline) == ("copies", "2.4 ns")
    assert prediction.figures == (ShownFigure("moved_bytes", 24.0, "B/it"),)
    jsonschema.validate(report_to_json(report), report_schema(report.models))
    assert [plot.scene.work for plot in kernel_plots(report)] == ["copy"]
