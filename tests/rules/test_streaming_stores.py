"""RL105 offers stores that the assumed compiler obeys: the assembly has ``movnt``."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.lint.functions import LintOutcome

Lint = Callable[..., LintOutcome]
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
BODIES = {
    "double": "a[i] = (double)(2.0 * c[i]);",
    "float": "a[i] = (float)(2.0 * c[i]);",
    "int": "a[i] = (int)(2.0 * c[i]);",
    "long": "a[i] = (long)(2.0 * c[i]);",
}


def sketch_of(lint: Lint, kind: str, flags: str, machine: str = "icelake-sp-8360y") -> str:
    text = (
        f"void fill({kind} *restrict a, const double *restrict c, int n) {{\n"
        f"  // rooflint: n=40000000\n  for (int i = 0; i < n; i++)\n    {BODIES[kind]}\n}}\n"
    )
    [finding] = lint("RL105", text, flags, machine).findings
    assert finding.fix is not None
    assert finding.fix.safety == "sketch"
    return finding.fix.sketch


def assembly(tmp_path: Path, command: list[str], text: str) -> str:
    source, out = tmp_path / "fill.c", tmp_path / "fill.s"
    source.write_text(text)
    subprocess.run([*command, "-S", str(source), "-o", str(out)], check=True)
    return out.read_text()


@pytest.mark.long
@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("flags", ["-O2", "-O3 -march=icelake-server"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_code_offered_stores_past_the_caches(
    lint: Lint, tmp_path: Path, compiler: str, flags: str, kind: str
) -> None:
    sketch = sketch_of(lint, kind, f"{compiler} -O3 -march=icelake-server")
    assert "nontemporal" not in sketch  # neither compiler obeys the pragma or the clause
    code, _, used = sketch.partition("// a line")
    # what the sketch says in words, around what it shows in code
    loop = "\n".join(line.removeprefix("//") for line in used.splitlines()[1:-1])
    value = BODIES[kind].partition(" = ")[2].replace("[i]", "[i + k]")
    loop = loop.replace("...;", value)
    count = 16 if kind in ("float", "int") else 8
    text = (
        f"{code}void fill({kind} *restrict a, const double *restrict c, int n) {{\n"
        f"for (int i = 0; i + {count} <= n; i += {count}) {{\n{loop}\n}}\n_mm_sfence();\n}}\n"
    )
    found = assembly(tmp_path, [compiler, *flags.split(), "-Wall", "-Werror"], text)
    assert "movnt" in found
    assert "sfence" in found


@pytest.mark.parametrize("compiler", COMPILERS)
def test_rows_and_several_arrays(lint: Lint, compiler: str) -> None:
    text = (
        "static double a[20000][1000]; static float b[20000][1000];\n"
        "void fill(const double *restrict c) {\n"
        "  for (int i = 0; i < 20000; i++)\n    for (int j = 0; j < 1000; j++) {\n"
        "      a[i][j] = 2.0 * c[j]; b[i][j] = 3.0f;\n    }\n}\n"
    )
    [finding] = lint("RL105", text, f"{compiler} -O3 -march=haswell", "generic-avx2").findings
    assert finding.fix is not None
    assert "stream_line_f64(&a[i][j], a_line);" in finding.fix.sketch
    assert "stream_line_f32(&b[i][j], b_line);" in finding.fix.sketch


@pytest.mark.parametrize(
    ("compiler", "kind", "kept"),
    [("gcc", "float", True), ("gcc", "double", False), ("clang", "float", False)],
)
def test_a_line_of_another_size_stays_a_loop(
    lint: Lint, compiler: str, kind: str, *, kept: bool
) -> None:
    # gcc would unroll the line first and then convert one element after the other
    sketch = sketch_of(lint, kind, f"{compiler} -O3 -march=icelake-server")
    assert ("#pragma GCC unroll 1\n//   for" in sketch) == kept


def test_clang_is_obeyed_on_arm_by_its_builtin(lint: Lint) -> None:
    sketch = sketch_of(lint, "double", "clang -O3 -mcpu=a64fx", "a64fx-fx700")
    assert "__builtin_nontemporal_store" in sketch


def test_nothing_is_offered_that_the_compiler_ignores(lint: Lint) -> None:
    text = (
        "void fill(double *restrict a, const double *restrict c, int n) {\n"
        "  // rooflint: n=40000000\n  for (int i = 0; i < n; i++) a[i] = 2.0 * c[i];\n}\n"
    )
    outcome = lint("RL105", text, "gcc -O3 -mcpu=a64fx", "a64fx-fx700")
    assert not outcome.findings
    assert [each.guard for each in outcome.silent] == ["no-such-store"]
