"""Sources, machine files, procedures, configuration and sizes that expand without bound."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import pytest


class Result(Protocol):
    returncode: int
    stdout: str
    stderr: str


Rooflint = Callable[..., Result]

LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"


def include_bomb(folder: Path) -> str:
    for depth in range(30):  # 3^30 times the last one
        following = f'#include "b{depth + 1}.inc"\n'
        (folder / f"b{depth}.inc").write_text(following * 3)
    (folder / "b30.inc").write_text("int x;\n")
    return '#include "b0.inc"\n' + LOOP


def macro_bomb(folder: Path) -> str:
    levels = [f"#define A{n + 1} {','.join([f'A{n}'] * 10)}\n" for n in range(12)]
    return "#define A0 1\n" + "".join(levels) + "int all[] = { A12 };\n" + LOOP


def itself(folder: Path) -> str:
    return '#include "itself.c"\n' + LOOP


def brackets(folder: Path) -> str:
    return f"void f(double *a, int n) {{ for (;n;) a[0] = {'(' * 100_000}1{')' * 100_000}; }}\n"


def nest(folder: Path) -> str:
    loops = "".join(f"for (int i{n} = 0; i{n} < 9; i{n}++) " for n in range(1500))
    return f"void f(double *a) {{ {loops} a[i0] = 1; }}\n"


def powers(folder: Path) -> str:
    squares = "k = k * k; " * 40
    return f"void f(double *a, long k) {{ {squares} for (long i = 0; i < k; i++) a[i * k] = 1; }}\n"


def product(folder: Path) -> str:
    factors = " * ".join(["(k + l + m + n)"] * 24)
    sizes = ", ".join(f"int {name}" for name in "klmn")
    return f"void f(double *a, {sizes}) {{ for (int i = 0; i < {factors}; i++) a[i] = 1; }}\n"


def long_number(folder: Path) -> str:
    return f"// rooflint: n={'9' * 10_000}\n// rooflint: n=9**9**9\n" + LOOP


LOST = {"include_bomb": include_bomb, "macro_bomb": macro_bomb}
DONE = {"itself": itself, "brackets": brackets, "long_number": long_number}
# libclang survives some allocations that fail, and gives up the file itself
LIMITS = (
    "took longer than 1 s",
    "gave no answer within 10 s",
    "ran out of memory",
    "libclang could not parse: the parser crashed",
)
EITHER = {"nest": nest, "powers": powers, "product": product}


@pytest.mark.long
@pytest.mark.parametrize("name", [*LOST, *DONE, *EITHER])
def test_a_source_costs_itself(name: str, tmp_path: Path, here: Rooflint) -> None:
    bomb = tmp_path / f"{name}.c"
    bomb.write_text({**LOST, **DONE, **EITHER}[name](tmp_path))
    (tmp_path / "z.c").write_text(LOOP)
    limits = ("--file-seconds", "1", "--file-memory", "1024", "--jobs", "1")
    done = here("analyze", str(bomb), "z.c", "--all", *limits)
    assert "Traceback" not in done.stderr
    assert "z.c:1 f" in done.stdout
    lost = any(f"not analysed: {limit}" in done.stderr for limit in LIMITS)
    assert done.returncode == (3 if lost else 0), done.stderr
    assert lost or name not in LOST
    assert not lost or name not in DONE


LAUGHS = [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in pairwise("abcdefghi")]
MACHINES = {
    "laughs": "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(LAUGHS),
    "python": "schema: 1\nname: !!python/object/apply:os.system ['touch RAN']\n",
    "deep": "a: " + "[" * 50_000 + "\n",
    "deeper": "".join(" " * n + "a:\n" for n in range(900)),
    "itself": "schema: 1\nname: itself\nextends: ./itself.yaml\n",
    "long": "schema: 1\nname: x\nclock_ghz: " + "9" * 10_000 + "\n",
    "infinite": "schema: 1\nname: x\nclock_ghz: .inf\n",
    "large": "# " + "x" * (1 << 20) + "\n",
    "not text": "\x00\x01\x02",
    "two": "schema: 1\n---\nschema: 1\n",
}  # fmt: skip


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_file_is_one_line(name: str, tmp_path: Path, here: Rooflint) -> None:
    (tmp_path / "itself.yaml").write_text(MACHINES[name])
    (tmp_path / "z.c").write_text(LOOP)
    for command in (
        ("analyze", "z.c", "--machine", "itself.yaml"),
        ("machine", "check", "itself.yaml"),
        ("estimate", "itself.yaml", "--machine", "titan-node"),
    ):
        done = here(*command)
        assert done.returncode in (1, 2), (command, done.stderr)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr + done.stdout
        assert "itself.yaml" in done.stderr + done.stdout
    assert not (tmp_path / "RAN").exists()


EXPRESSIONS = (
    "9**9**9**9", "(" * 3000 + "1", "-" * 1500 + "1", "__import__('os').system('touch RAN')",
    "open('/etc/passwd')", "1e999", "2**-99999999", "max(" + "1," * 900 + "1)", "n.__class__",
    "[1 for _ in range(10**9)]", "'a' * 10**9", "sqrt(-1)", "1/0", "lambda: 0", "ceil(1e400)",
)  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS, ids=range(len(EXPRESSIONS)))
def test_an_expression_is_parsed_and_refused(text: str, tmp_path: Path, here: Rooflint) -> None:
    quoted = text.replace("'", "''")
    (tmp_path / "p.yaml").write_text(
        f"procedure: 1\nname: p\nparameters: {{n: 5}}\nwork: '{quoted}'\nclass: C1\n"
    )
    (tmp_path / "z.c").write_text(LOOP)
    for command in (
        ("estimate", "p.yaml", "--machine", "titan-node"),
        ("analyze", "z.c", "-D", f"n={text}"),
    ):
        done = here(*command)
        assert done.returncode == 2, (command, done.stderr)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
    assert not (tmp_path / "RAN").exists()


CONFIGURATIONS = {
    "deep": "a = " + "[" * 50_000 + "\n",
    "long": f"[sizes]\nn = {'9' * 10_000}\n",
    "keys": "[" + "a." * 4_000 + "b]\n",
    "large": "#" * (2 << 20),
    "elsewhere": 'cache-dir = "../../outside"\n',
    "a cache of its own": 'cache-dir = ".cache"\n',
    "a device": 'machine = "/dev/zero"\n',
    "odd": 'machine = "\\u0000"\n',
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_configuration_is_one_line(name: str, tmp_path: Path, here: Rooflint) -> None:
    (tmp_path / "rooflint.toml").write_text(CONFIGURATIONS[name])
    (tmp_path / "z.c").write_text(LOOP)
    done = here("analyze", "z.c")
    assert done.returncode == 2, done.stderr
    assert "internal error" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 1000
