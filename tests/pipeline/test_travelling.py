"""A report has the same bytes whether it was made here or came from a child or the cache."""

import json
from pathlib import Path

import msgspec
import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.regular_files import Inputs
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.pipeline import Options, SetupResolver
from rooflint.pipeline.files import analyse_safely
from rooflint.pipeline.results import ENTRIES, ResultEntry
from rooflint.plugin_api.report import FileReport
from rooflint.registry import load_registry

KERNELS = sorted((Path(__file__).parents[1] / "kernels").glob("*.c"))
MODELS = ("roofline", "ecm", "ceilings", "bounds")


@pytest.mark.parametrize("machine", ["generic-avx2", "snb"])
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_numbers_keep_their_types(path: Path, machine: str) -> None:
    """``4`` and ``4.0`` are equal, and printed differently."""
    options = Options(machines=(machine,), models=MODELS)
    bench = SetupResolver(options, load_registry()).setup_for(str(path))
    result = analyse_safely(str(path), extract(Request(str(path), Flags("c"))), bench)
    assert not result.internal
    back = ENTRIES.decode(ENTRIES.encode(ResultEntry(Inputs("", (), ()), result))).result
    assert text(back.report) == text(result.report)


def text(report: FileReport) -> str:
    return json.dumps(msgspec.to_builtins(report), indent=1)
