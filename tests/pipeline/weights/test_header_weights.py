"""Functions of headers that are among the files: one weight, whatever the files are called."""

from pathlib import Path

import pytest
from rooflint.pipeline import Analysis, Options, Source
from rooflint.registry import load_registry

FILL = "static inline void fill(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
MAIN = '#include "HEADER"\nint main(void) { double a[100]; fill(a, 100); return 0; }\n'
WITH_BODIES = f"#define FILL_IMPLEMENTATION\n{MAIN}"
SPLIT = f"#ifdef FILL_IMPLEMENTATION\n{FILL}#endif\n"


@pytest.mark.parametrize("header", ["a.h", "one.h"])
@pytest.mark.parametrize(("text", "main"), [(FILL, MAIN), (SPLIT, WITH_BODIES)])
def test_a_header_loop_runs_as_its_callers_say(
    header: str, text: str, main: str, tmp_path: Path
) -> None:
    paths = [tmp_path / "m.c", tmp_path / header]
    for path, content in zip(paths, (main.replace("HEADER", header), text), strict=True):
        path.write_text(content)
    analysis = Analysis(Options(cache_dir=""), load_registry())
    for _ in analysis.files([Source(str(path)) for path in paths]):
        pass
    (kernel,) = [kernel for file in analysis.report().files for kernel in file.kernels()]
    assert kernel.weight is not None
    assert kernel.weight.executions == 1
    assert kernel.weight.share == pytest.approx(1, abs=0.3)
