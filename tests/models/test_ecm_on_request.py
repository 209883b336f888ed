"""The ECM models wait until a run asks for them, by option or by configuration."""

from pathlib import Path

import pytest
from rooflint.errors import UsageError
from rooflint.pipeline import Options, Source, analyse
from rooflint.registry import ON_REQUEST, load_registry, with_requested

COPY = b"void f(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }"


def models_of(options: Options, path: str = "copy.c") -> list[str]:
    report = analyse([Source(path, COPY)], options, load_registry(search_path=()))
    (kernel,) = report.files[0].functions[0].nests[0].kernels
    return [prediction.model for prediction in kernel.results[0].predictions]


def test_they_are_no_default() -> None:
    registry = load_registry(search_path=())
    assert not {model.name for model in registry.models} & set(ON_REQUEST)
    assert not set(models_of(Options(machines=("snb",), sizes={"n": 1000}))) & set(ON_REQUEST)


def test_an_option_brings_them() -> None:
    options = Options(machines=("snb",), models=("ecm", "roofline-core"), sizes={"n": 1 << 24})
    assert models_of(options) == ["ecm", "roofline-core"]


def test_a_configuration_brings_them(tmp_path: Path) -> None:
    (tmp_path / "rooflint.toml").write_text('model = ["ecm-cpu"]\n', encoding="utf-8")
    path = tmp_path / "copy.c"
    path.write_bytes(COPY)
    options = Options(machines=("snb",), sizes={"n": 1 << 24})
    assert models_of(options, str(path)) == ["ecm-cpu"]


def test_every_name_is_a_model() -> None:
    registry = load_registry(search_path=())
    found = {model.name for model in with_requested(registry, ON_REQUEST).models}
    assert set(ON_REQUEST) <= found
    assert with_requested(registry, ("roofline",)) is registry


def test_a_wrong_name_learns_of_them() -> None:
    with pytest.raises(UsageError, match=r"unknown model 'ecmm', expected .*ecm.*"):
        models_of(Options(machines=("snb",), models=("ecmm",)))
