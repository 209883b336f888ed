"""The models that come with the program answer as the contract says: runs do not look at that."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rooflint import registry
from rooflint.pipeline import Options, Source, analyse, find_sources
from rooflint.plugin_api.report import Report, SkippedModel

EXAMPLES = Path(__file__).parents[1] / "examples"
MODELS = ("roofline", "ecm", "bounds", "ceilings", "hybrid")


def skipped_models(report: Report) -> Iterator[SkippedModel]:
    for file in report.files:
        for function in file.functions:
            for nest in function.nests:
                for kernel in nest.kernels:
                    for result in kernel.results:
                        yield from result.skipped


@pytest.mark.long
@pytest.mark.parametrize("machine", ["generic-avx2", "titan-node", "cell", "graviton4-c8g"])
def test_answers_are_those_of_the_contract(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "is_own", lambda _: False)
    options = Options(machines=(machine,), models=MODELS, jobs=1, reuse_in_full=True)
    sources = [Source(path) for path in find_sources([str(EXAMPLES)]).sources]
    report = analyse(sources, options, registry.load_registry())
    assert not [each for each in skipped_models(report) if each.failed]
    assert sum(len(function.nests) for file in report.files for function in file.functions) > 5
