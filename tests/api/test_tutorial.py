"""The notebook of the documentation, executed in a kernel of Jupyter."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
WITHOUT = {
    "pandas": ("polars",),
    "polars": ("pandas",),
    "neither": ("pandas", "polars"),
}
"""The libraries of frames that a run does not find."""


def test_it_is_kept_without_results() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 5
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []


@pytest.mark.notebook
@pytest.mark.parametrize("present", WITHOUT)
def test_it_runs(tmp_path: Path, present: str) -> None:
    # a kernel that cannot import the other libraries
    hidden = WITHOUT[present]
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name in {hidden!r}:\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "import importlib.util as util\n"
        "find = util.find_spec\n"
        f"util.find_spec = lambda name, *rest: None if name in {hidden!r} else find(name, *rest)\n"
    )
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "notebook"]
    done = subprocess.run(
        [*command, "--output-dir", str(tmp_path), "--output", "done.ipynb", str(NOTEBOOK)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(site)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "done.ipynb").read_text(encoding="utf-8"))["cells"]
    results = [output for cell in cells for output in cell.get("outputs", ())]
    shown = [output["data"] for output in results if "data" in output]
    assert any("now → possible" in "".join(data.get("text/html", "")) for data in shown)
    assert any("image/svg+xml" in data for data in shown)
    assert any("image/png" in data for data in shown)  # matplotlib
    tables = ["".join(data["text/html"]) for data in shown if "dataframe" in str(data)]
    assert len(tables) == (present != "neither")
    text = json.dumps([output.get("text") for output in results])
    assert "RL101" in text or "RL201" in text
