"""Each module of the interface for plugins loads on its own, whatever is loaded before it."""

import subprocess
import sys
from pathlib import Path

import pytest
import rooflint.plugin_api

FOLDER = Path(rooflint.plugin_api.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES)
def test_a_module_loads_first(module: str) -> None:
    code = f"import rooflint.plugin_api.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
