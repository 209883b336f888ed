"""PolyBench/C 4.2.1, whole: ``polybench.py FOLDER``, a table on stdout, exit code 1 on a mismatch.

All 30 kernels are analysed; the ``kernel_*`` functions have 155 ``for`` statements, 73 of them
innermost; and the flops of each, over all iterations, equal the closed form derived by hand from
the C source below, for LARGE_DATASET and MINI_DATASET. Add, subtract, multiply, divide and square
root are one flop each as written; ``exp``, ``pow``, negation and comparison are none.

The program gets the dataset as a compiler flag and finds the sizes in the array extents. Only the
number of time steps of four stencils is in no extent; that one is given as ``-D tsteps=``.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from loop_lexer import loop_keywords
from rooflint.compile_flags.find_flags import FlagFinder
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import Loop, SourceFunction, walk
from rooflint.pipeline import Options, Source, analyse
from rooflint.plugin_api.report import FunctionReport
from rooflint.registry import Registry, load_registry
from rooflint.workers.limits import Failure

FOR_STATEMENTS, INNERMOST = 155, 73
DATASETS = ("LARGE_DATASET", "MINI_DATASET")
NO_EXTENT = frozenset(("adi", "jacobi-1d", "jacobi-2d", "seidel-2d"))
"""Kernels whose time steps no array has as an extent (heat-3d takes the macro itself)."""


def t(n: int) -> int:
    """0 + 1 + ... + (n-1): the pairs j < i < n."""
    return n * (n - 1) // 2


def p(n: int) -> int:
    """t(0) + ... + t(n-1): the triples k < j < i < n."""
    return n * (n - 1) * (n - 2) // 6


def _lu(n: int) -> int:
    """Rows i < n: j < i costs 2 j + 1; each of the n-i columns j >= i costs 2 i.

    The sum of i (n-i) over i < n is n(n-1)(n+1)/6.
    """
    return 2 * p(n) + t(n) + 2 * (n * (n - 1) * (n + 1) // 6)


# fmt: off
FLOPS: dict[str, Callable[..., int]] = {
    # means: M (N adds + 1 div); deviations: M (N (sub sub mul add) + div sqrt); centring: M N (sub
    # sqrt mul div); products: t(M) pairs of N (mul add)
    "correlation": lambda m, n: m * (n + 1) + m * (4 * n + 2) + 4 * m * n + 2 * n * t(m),
    # means: M (N + 1); centring: M N; pairs i <= j: M(M+1)/2 of N (mul add) + sub div
    "covariance": lambda m, n: m * (n + 1) + m * n + (t(m) + m) * (2 * n + 2),
    # C *= beta: 1; C += alpha * A * B: 3
    "gemm": lambda ni, nj, nk: ni * nj + 3 * ni * nj * nk,
    # A + u1 v1 + u2 v2: 4; x + beta A y: 3; x + z: 1; w + alpha A x: 3
    "gemver": lambda n: 10 * n**2 + n,
    # two times mul add; alpha tmp + beta y: 3
    "gesummv": lambda n: 4 * n**2 + 3 * n,
    # k < i: C += alpha B A (3), temp2 += B A (2); beta C + alpha B A + alpha temp2: 6
    "symm": lambda m, n: 5 * n * t(m) + 6 * m * n,
    # j <= i, N(N+1)/2 pairs: C *= beta: 1; M times A alpha B + B alpha A, += : 6
    "syr2k": lambda m, n: (t(n) + n) * (1 + 6 * m),
    # the same with C += alpha A A: 3
    "syrk": lambda m, n: (t(n) + n) * (1 + 3 * m),
    # k from i+1: t(M) pairs of mul add; alpha B: 1
    "trmm": lambda m, n: 2 * n * t(m) + m * n,
    # tmp += alpha A B: 3; D *= beta: 1; D += tmp C: 2
    "2mm": lambda ni, nj, nk, nl: 3 * ni * nj * nk + ni * nl + 2 * ni * nl * nj,
    # three products of mul add
    "3mm": lambda ni, nj, nk, nl, nm: 2 * (ni * nj * nk + nj * nl * nm + ni * nl * nj),
    # A x and A^T tmp: mul add each
    "atax": lambda m, n: 4 * m * n,
    # r A and A p: mul add each
    "bicg": lambda m, n: 4 * m * n,
    # sum += A C4: mul add, NP products of length NP for each r, q
    "doitgen": lambda nq, nr, np: 2 * nr * nq * np**2,
    # two products of mul add
    "mvt": lambda n: 4 * n**2,
    # j < i: 2 j + div; diagonal: 2 i + sqrt
    "cholesky": lambda n: 2 * p(n) + t(n) + 2 * t(n) + n,
    # k from 1: (1 - alpha alpha) beta: 3; sum += r y: 2 k; (r + sum) / beta: 2; y + alpha y: 2 k
    "durbin": lambda n: 5 * (n - 1) + 4 * t(n),
    # norm: 2 M + sqrt; column / R: M; t(N) pairs: Q A (2 M) and A - Q R (2 M)
    "gramschmidt": lambda m, n: n * (3 * m + 1) + 4 * m * t(n),
    "lu": _lu,
    # lu; forward: 2 i; backward: 2 (n-1-i) + div
    "ludcmp": lambda n: _lu(n) + 2 * t(n) + 2 * t(n) + n,
    # 2 i + div
    "trisolv": lambda n: 2 * t(n) + n,
    # k: sub sub mul / (mul mul add mul sub), div: 9; a2, a3: sub mul mul: 3 each; a4: mul mul: 2;
    # b2: mul: 1; four sweeps of 4 mul + 3 add; two of add mul
    "deriche": lambda w, h: 9 + 3 + 3 + 2 + 1 + w * h * (4 * 7 + 2 * 2),
    # integers
    "floyd-warshall": lambda n: 0 * n,
    "nussinov": lambda n: 0 * n,
    # DX DY DT: 3 div; mul1, mul2: mul mul div: 6; a b d e: 4; per inner point and sweep: p: mul add
    # div: 3; q: numerator mul, (mul add) mul, add, mul, sub, mul, sub: 9, denominator mul add, div:
    # 12; back: mul add: 2
    "adi": lambda tsteps, n: 13 + tsteps * 2 * (n - 2) ** 2 * (3 + 12 + 2),
    # ey, ex: sub mul sub: 3; hz: sub add sub mul sub: 5
    "fdtd-2d": lambda tmax, nx, ny: tmax * (
        3 * (nx - 1) * ny + 3 * nx * (ny - 1) + 5 * (nx - 1) * (ny - 1)
    ),
    # three times mul (sub mul add): 12, three adds; two sweeps
    "heat-3d": lambda tsteps, n: tsteps * 2 * (n - 2) ** 3 * 15,
    # add add mul; two sweeps
    "jacobi-1d": lambda tsteps, n: tsteps * 2 * (n - 2) * 3,
    # four adds, mul; two sweeps
    "jacobi-2d": lambda tsteps, n: tsteps * 2 * (n - 2) ** 2 * 5,
    # eight adds, div
    "seidel-2d": lambda tsteps, n: tsteps * (n - 2) ** 2 * 9,
}
# fmt: on


class Row(NamedTuple):
    """One kernel: its loops by the front end and by the lexer, flops found and expected."""

    name: str
    loops: int
    keywords: int
    innermost: int
    flops: tuple[int | None, ...]
    expected: tuple[int, ...]
    problems: tuple[str, ...]


def kernel_files(folder: str) -> Iterator[tuple[str, str]]:
    """Name and path of each of the 30, sorted; ``Nussinov.orig.c`` and utilities are none."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            stem, extension = os.path.splitext(name)
            if extension == ".c" and stem == os.path.basename(where):
                found[stem] = os.path.join(where, name)
    yield from sorted(found.items())


def dataset_sizes(path: str, dataset: str) -> dict[str, int]:
    """The sizes that the kernel's header defines for a dataset."""
    with open(os.path.splitext(path)[0] + ".h", encoding="utf-8") as file:
        part = re.search(rf"ifdef {dataset}\b(.*?)endif", file.read(), re.DOTALL)
    assert part is not None
    return {name: int(value) for name, value in re.findall(r"define (\w+) (\d+)", part[1])}


def measure(name: str, path: str, folder: str, registry: Registry) -> Row:
    """Everything about one kernel."""
    problems: list[str] = []
    flops: list[int | None] = []
    expected = []
    for dataset in DATASETS:
        sizes = dataset_sizes(path, dataset)
        expected.append(FLOPS[name](**{key.lower(): size for key, size in sizes.items()}))
        given = {"tsteps": sizes["TSTEPS"]} if name in NO_EXTENT else {}
        function = report_of(path, compiler_flags(folder, dataset), given, registry, problems)
        flops.append(function.totals[0].flops if function else None)
        problems += wrong_sizes(function, sizes, dataset) if function else []
    loops, innermost, keywords = loop_counts(path, compiler_flags(folder, DATASETS[0]), problems)
    return Row(
        name, loops, keywords, innermost, tuple(flops), tuple(expected),
        tuple(f"{name}: {problem}" for problem in problems),
    )  # fmt: skip


def compiler_flags(folder: str, dataset: str) -> tuple[str, ...]:
    """What a build would say."""
    return (f"-I{os.path.join(folder, 'utilities')}", f"-D{dataset}")


def report_of(
    path: str,
    flags: tuple[str, ...],
    sizes: dict[str, int],
    registry: Registry,
    problems: list[str],
) -> FunctionReport | None:
    """The report of the kernel function by the whole pipeline."""
    options = Options(machines=("generic-2level",), sizes=sizes, flags=flags, jobs=1)
    report = analyse([Source(path)], options, registry)
    file = report.files[0]
    problems += [f"{d.line}: {d.message}" for d in file.diagnostics]
    problems += [f"{r.line}: refused: {r.reason}" for r in file.refusals]
    for function in file.functions:
        if function.name.startswith("kernel_"):
            return function
    problems.append(f"no kernel function, file {file.status}")
    return None


def wrong_sizes(function: FunctionReport, sizes: dict[str, int], dataset: str) -> Iterator[str]:
    """Size parameters that the program gave another value than the dataset has."""
    said: dict[str, str] = {}
    for nest in function.nests:
        for kernel in nest.kernels:
            for name, size in kernel.results[0].sizes.items():
                if sizes.get(name.upper()) != size.value:
                    said[name] = f"{dataset}: {name} = {size.value} ({size.origin})"
    yield from said.values()


def loop_counts(path: str, flags: tuple[str, ...], problems: list[str]) -> tuple[int, int, int]:
    """Loops of the kernel function in the IR, innermost ones of them, and ``for`` in its text."""
    with Frontend(jobs=1) as frontend:
        unit = frontend.analyse(Request(path, FlagFinder(extra=flags).flags(path)))
    if isinstance(unit, Failure):
        problems.append(f"failed: {unit.reason}")
        return 0, 0, 0
    for source in unit.functions:
        if source.function.name.startswith("kernel_"):
            loops = [node for node in walk(source.function.body) if isinstance(node, Loop)]
            inner = [x for x in loops if not any(isinstance(n, Loop) for n in walk(x.body))]
            return len(loops), len(inner), keywords_in(path, source)
    problems.append("no kernel function")
    return 0, 0, 0


def keywords_in(path: str, source: SourceFunction) -> int:
    """Loop keywords between the function's first and last line."""
    with open(path, "rb") as file:
        found = loop_keywords(file.read())
    return sum(source.span.line <= k.line <= source.span.end_line for k in found)


def main() -> int:
    """Measures and prints; the exit code says whether all of it holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", help="PolyBench/C 4.2.1")
    folder = parser.parse_args().folder
    registry = load_registry()
    rows = [measure(name, path, folder, registry) for name, path in kernel_files(folder)]
    problems = [problem for row in rows for problem in row.problems]
    print("| kernel | for | innermost | flops LARGE | flops MINI | closed form |")
    print("| --- | --: | --: | --: | --: | --- |")
    for row in rows:
        verdict = "equal" if row.flops == row.expected else f"**{row.expected}**"
        counts = " | ".join(str(number) for number in row.flops)
        print(f"| {row.name} | {row.loops} | {row.innermost} | {counts} | {verdict} |")
        if row.flops != row.expected:
            problems.append(f"{row.name}: {row.flops} flops, expected {row.expected}")
        if row.loops != row.keywords:
            problems.append(f"{row.name}: {row.loops} loops, {row.keywords} keywords")
    loops, innermost = sum(row.loops for row in rows), sum(row.innermost for row in rows)
    print(f"\n{len(rows)} kernels, {loops} for statements, {innermost} innermost")
    for what, found, wanted in (
        ("kernels", len(rows), 30),
        ("for statements", loops, FOR_STATEMENTS),
        ("innermost", innermost, INNERMOST),
    ):
        if found != wanted:
            problems.append(f"{found} {what}, expected {wanted}")
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
