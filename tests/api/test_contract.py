"""The API's promise: names, signatures and columns that only grow, and types for mypy."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import rooflint
from rooflint import api
from rooflint.api.frames import record_of

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "api.txt"

SCRIPT = '''
"""A user's script."""

import json
from pathlib import Path

import rooflint

report: rooflint.Report = rooflint.analyze(
    Path("src"), machine="zen4-9654", cores="socket", sizes={"n": 10_000_000}, jobs=2
)
hot: rooflint.Loop = report[0]
part: rooflint.Report = report[:5].top(2).filter(lambda loop: loop.gain > 1.2)
cycles: float | None = hot.cycles_per_iteration
verdict: rooflint.Verdict = hot.verdict
advice: rooflint.Advice | None = hot.finding
models: list[str] = [each.model for each in hot.predictions]
rows: list[dict[str, object]] = part.records()
lost: list[str] = [each.file for each in report.failed]
clock: float = rooflint.load_machine("zen4").clock_ghz
names: list[str] = [entry.name for entry in rooflint.machines()]
total = sum(loop.seconds or 0.0 for loop in report)
document: object = json.loads(report.to_json())
text: str = rooflint.explain("DRAM")
try:
    rooflint.analyze(["a.c", Path("b.c")], machine=rooflint.load_machine("skx"))
except rooflint.UsageError as error:
    text = str(error)
'''


def test_the_package_and_its_api_have_the_same_names() -> None:
    assert rooflint.__all__ == api.__all__ == sorted(rooflint.__all__)
    for name in rooflint.__all__:
        assert getattr(rooflint, name) is getattr(api, name)
    assert set(rooflint.__all__) <= set(dir(rooflint))
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        rooflint.analyse  # noqa: B018


def test_signatures_are_those_of_the_golden(request: pytest.FixtureRequest) -> None:
    text = "".join([f"{line}\n" for name in rooflint.__all__ for line in signatures(name)])
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def signatures(name: str) -> list[str]:
    """A function as its source has it; of a class its fields and methods, of an error its bases.

    From the source, for printed types differ from one Python to the next.
    """
    (tree,) = ast.parse(inspect.getsource(getattr(rooflint, name))).body
    if isinstance(tree, ast.FunctionDef):
        return [_signature(tree)]
    assert isinstance(tree, ast.ClassDef)
    if issubclass(getattr(rooflint, name), Exception):
        return [f"{name}({', '.join(map(ast.unparse, tree.bases))})"]
    members = []
    for node in tree.body:
        if isinstance(node, ast.AnnAssign):
            members.append(f"{ast.unparse(node.target)}: {ast.unparse(node.annotation)}")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            is_property = "property" in map(ast.unparse, node.decorator_list)
            members.append(_signature(node, is_property=is_property))
    return [name, *[f"  {member}" for member in members]]


def _signature(function: ast.FunctionDef, *, is_property: bool = False) -> str:
    returns = "" if function.returns is None else ast.unparse(function.returns)
    if is_property:
        return f"{function.name}: {returns}"
    return f"{function.name}({ast.unparse(function.args)}) -> {returns}"


def test_the_columns_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8")
    (loop,) = rooflint.analyze(ROOT / "examples" / "matmul.c", cache=False)[:1]
    assert [name for name in record_of(loop) if f"`{name}`" not in page] == []


def test_import_stays_light() -> None:
    program = (
        "import sys; before = {*sys.modules}; import rooflint; rooflint.__version__;"
        "print(sorted({*sys.modules} - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "['rooflint']\n"


def test_the_api_loads_no_library_of_frames_or_plots() -> None:
    program = (
        "import sys, rooflint; rooflint.analyze; heavy = {'numpy', 'pandas', 'polars',"
        "'matplotlib', 'sympy', 'pygls', 'asyncio'}; print(sorted(heavy & {*sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


@pytest.mark.long
def test_mypy_accepts_a_users_script(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="comes with rooflint[dev]")
    script = tmp_path / "script.py"

    def checked(text: str) -> subprocess.CompletedProcess[str]:
        script.write_text(text, encoding="utf-8")
        mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file", ""]
        return subprocess.run(
            [*mypy, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False
        )

    done = checked(SCRIPT)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = checked(SCRIPT.replace("sizes={", "size={"))
    assert wrong.returncode == 1 and 'keyword argument "size"' in wrong.stdout
