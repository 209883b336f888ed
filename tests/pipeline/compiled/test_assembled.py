"""The assembly as a source of the core's cycles, from the option to the report."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from rooflint.compile_flags.flags import CodeGeneration, Flags
from rooflint.core.external.tools import locate
from rooflint.machine import Machine, builtin_dir, find_machine
from rooflint.pipeline import Options, Source, analyse
from rooflint.pipeline.compiled.assembled import assembly_target, assembly_unit
from rooflint.plugin_api.prediction import Prediction
from rooflint.registry import load_registry

SKX = "skylake-sp-6148"
MODEL = Options(machines=(SKX,), models=("ecm",))
COMPILER = locate("clang") or "clang"
needs_tools = pytest.mark.skipif(
    locate("clang") is None or locate("llvm-mca") is None,
    reason="clang or llvm-mca is not installed",
)
SUM = "double sum(const double *a, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += a[i];\n  return s;\n}\n"  # noqa: E501


def machine(name: str = SKX) -> Machine:
    return find_machine(name, (builtin_dir(),))


def words(code: CodeGeneration, name: str = SKX) -> list[str]:
    flags = Flags("c", options=("-DN=4",), code=code)
    return list(assembly_unit("/src/k.c", flags, machine(name), "clang").flags)


def test_without_flags_the_code_is_for_the_machine() -> None:
    assert words(CodeGeneration())[-2:] == ["-march=skylake-avx512", "-O3"]
    assert "-DN=4" in words(CodeGeneration())


def test_flags_without_a_processor_stay_for_any() -> None:
    assert not [w for w in words(CodeGeneration(opt_level="2")) if w.startswith("-march")]
    assert "-O2" in words(CodeGeneration(opt_level="2"))


def test_the_host_of_the_flags_is_the_machine() -> None:
    assert "-march=skylake-avx512" in words(CodeGeneration(opt_level="3", march="native"))
    assert "-march=haswell" in words(CodeGeneration(opt_level="3", march="haswell"))


def test_another_architecture_is_a_target_of_clang() -> None:
    found = words(CodeGeneration(), "graviton4-c8g")
    assert "-mcpu=neoverse-v2" in found
    other = platform.machine().lower() not in ("aarch64", "arm64")
    assert any(word.startswith("--target=aarch64") for word in found) == other


def test_what_shapes_code_is_handed_on() -> None:
    code = CodeGeneration(
        opt_level="3", fast_math=True, math_errno=False, unroll_loops=True, vectorize=False,
        ffp_contract="off", prefer_vector_bits=512, openmp=True, features=("avx2",),
    )  # fmt: skip
    found = words(code)
    for flag in (
        "-ffast-math", "-fno-math-errno", "-funroll-loops", "-fno-tree-vectorize",
        "-ffp-contract=off", "-mprefer-vector-width=512", "-fopenmp", "-mavx2",
    ):  # fmt: skip
        assert flag in found


def test_loads_overlap_where_the_machine_says_so() -> None:
    intel, amd = assembly_target(machine()), assembly_target(machine("zen2-7452"))
    assert (intel.loads_overlap, amd.loads_overlap) == (False, True)
    assert intel.load_ports == ("2", "3")
    assert (intel.cpu, intel.osaca) == ("skylake-avx512", "SKX")


def predicted(folder: Path, options: Options = MODEL) -> Prediction:
    """ECM's prediction for a sum of doubles on Skylake."""
    path = folder / "sum.c"
    path.write_text(SUM)
    report = analyse([Source(str(path))], options, load_registry({}))
    (function,) = report.files[0].functions
    (prediction,) = function.nests[0].kernels[0].results[0].predictions
    return prediction


def test_a_source_that_is_not_there_leaves_the_model_and_says_why(tmp_path: Path) -> None:
    model = predicted(tmp_path)
    found = predicted(tmp_path, MODEL._replace(core_source="llvm-mca", compiler="/nowhere/clang"))
    assert found.data["core_source"] == "model"
    assert found.data["T_OL"] == model.data["T_OL"]
    assert "no cycles by llvm-mca: /nowhere/clang is not installed" in found.assumptions


@needs_tools
def test_figures_of_the_source_replace_the_models_and_both_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFLINT_CACHE_DIR", str(tmp_path / "cache"))
    found = predicted(tmp_path, MODEL._replace(core_source="llvm-mca", compiler=COMPILER))
    assert found.data["core_source"] == "llvm-mca"
    # eight additions of four cycles after one another, in the model and by llvm-mca
    assert found.data["T_OL"] == pytest.approx(32.0, rel=0.02)
    core = found.data["core"]
    assert isinstance(core, dict)
    assert core["T_OL_model_per_iteration"] == 4.0
    (said,) = [text for text in found.assumptions if "llvm-mca" in text]
    assert said.startswith("T_OL and T_nOL by llvm-mca")
    assert said.endswith("the model says 32 and 4")
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_run_that_asks_for_no_assembly_loads_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "sum.c"
    path.write_text(SUM)
    script = (
        "import sys\nfrom rooflint.cli.main import analyze\n"
        f"sys.argv = ['analyze', {str(path)!r}, '--model', 'ecm', '-o', {str(tmp_path / 'r')!r}]\n"
        "code = analyze()\n"
        "sys.exit(code or any(m.startswith('rooflint.core.external') for m in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
