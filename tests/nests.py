"""Named nests that several tests use; ``build`` is the builders module."""

from types import ModuleType
from typing import Any

from hypothesis import strategies as st
from rooflint.ir import Function, Loop, Node, Poly, Statement

Reference = Any


def streaming(build: ModuleType, n: int | str = "n") -> dict[str, Function]:
    """The one-loop kernels of McCalpin's STREAM and of the vector algebra."""
    a, b, c, d = (build.array(name, "f64", n) for name in "abcd")
    s, t = build.scalar("s"), build.carried("t")
    add = {name: build.assign("t", value) for name, value in (
        ("sum", t + a["i"]), ("dot", t + a["i"] * b["i"]), ("squares", t + a["i"] * a["i"]),
    )}  # fmt: skip
    bodies = {
        "copy": a["i"].set(b["i"]),
        "scale": a["i"].set(b["i"] * s),
        "add": a["i"].set(b["i"] + c["i"]),
        "triad": a["i"].set(b["i"] + c["i"] * s),
        "schoenauer": a["i"].set(b["i"] + c["i"] * d["i"]),
        "daxpy": a["i"].add(b["i"] * s),
        "update": a["i"].add(b["i"]),
        **add,
    }
    return {
        name: build.function(name, [a, b, c, d], build.loop("i", 0, n, body))
        for name, body in bodies.items()
    }


def strided_sum(build: ModuleType, step: int) -> Function:
    a = build.array("a", "f64", "n")
    body = build.assign("t", build.carried("t") + a["i"])
    return build.function("strided", [a], build.loop("i", 0, "n", body, step=step))


def dgemv(build: ModuleType) -> Function:
    a = build.array("A", "f64", "m", "n")
    x, y = build.array("x", "f64", "n"), build.array("y", "f64", "m")
    body = y["i"].add(a["i", "j"] * x["j"])
    nest = build.loop("i", 0, "m", build.loop("j", 0, "n", body))
    return build.function("dgemv", [a, x, y], nest)


def jacobi2d(build: ModuleType, n: int | str = "n") -> Function:
    a, b = build.array("a", "f64", n, n), build.array("b", "f64", n, n)
    total = a["i", "j - 1"] + a["i", "j + 1"] + a["i - 1", "j"] + a["i + 1", "j"]
    body = b["i", "j"].set(total * 0.25)
    inner = build.loop("j", 1, f"{n} - 1", body)
    return build.function("jacobi2d", [a, b], build.loop("i", 1, f"{n} - 1", inner))


def heat3d(build: ModuleType) -> Function:
    """7-point, as in the Roofline report: c1*a + c2*(sum of six neighbours), 8 flops."""
    a, b = build.array("a", "f64", "n", "n", "n"), build.array("b", "f64", "n", "n", "n")
    total = a["i", "j", "k - 1"] + a["i", "j", "k + 1"]
    total = total + a["i", "j - 1", "k"] + a["i", "j + 1", "k"]
    total = total + a["i - 1", "j", "k"] + a["i + 1", "j", "k"]
    body = b["i", "j", "k"].set(a["i", "j", "k"] * build.scalar("c1") + total * build.scalar("c2"))
    nest = build.loop("k", 1, "n - 1", body)
    nest = build.loop("i", 1, "n - 1", build.loop("j", 1, "n - 1", nest))
    return build.function("heat3d", [a, b], nest)


def spmv(build: ModuleType) -> Function:
    val, col = build.array("val", "f64", None), build.array("col", "i32", None)
    x, y = build.array("x", "f64", None), build.array("y", "f64", None)
    index = build.unknown("col[j]", "j")
    gathered = build.op("add", build.carried("s"), val["j"] * x.at(index * 8))
    row = build.loop(
        "j",
        build.unknown("row[i]", "i"),
        build.unknown("row[i+1]", "i"),
        build.condition(col["j"]),
        build.assign("s", gathered),
    )
    rows = build.loop("i", 0, "n", row, y["i"].set(build.scalar("s")))
    return build.function("spmv", [val, col, x, y], rows)


def gemm(build: ModuleType) -> Function:
    """PolyBench's: C = alpha*A*B + beta*C, loops i, k, j."""
    a, b, c = (build.array(name, "f64", *extents) for name, extents in (
        ("A", ("ni", "nk")), ("B", ("nk", "nj")), ("C", ("ni", "nj")),
    ))  # fmt: skip
    scaled = build.loop("j", 0, "nj", c["i", "j"].set(c["i", "j"] * build.scalar("beta")))
    product = build.scalar("alpha") * a["i", "k"] * b["k", "j"]
    update = build.loop("k", 0, "nk", build.loop("j", 0, "nj", c["i", "j"].add(product)))
    return build.function("gemm", [a, b, c], build.loop("i", 0, "ni", scaled, update))


def lu(build: ModuleType) -> Function:
    a = build.array("A", "f64", "n", "n")
    inner = a["i", "j"].set(a["i", "j"] - a["i", "k"] * a["k", "j"])
    lower = build.loop(
        "j",
        0,
        "i",
        build.loop("k", 0, "j", inner),
        a["i", "j"].set(a["i", "j"] / a["j", "j"]),
    )
    upper = build.loop("j", "i", "n", build.loop("k", 0, "i", inner))
    return build.function("lu", [a], build.loop("i", 0, "n", lower, upper))


def cholesky(build: ModuleType) -> Function:
    a = build.array("A", "f64", "n", "n")
    row = a["i", "j"].set(a["i", "j"] - a["i", "k"] * a["j", "k"])
    lower = build.loop(
        "j",
        0,
        "i",
        build.loop("k", 0, "j", row),
        a["i", "j"].set(a["i", "j"] / a["j", "j"]),
    )
    diagonal = build.loop("k", 0, "i", a["i", "i"].set(a["i", "i"] - a["i", "k"] * a["i", "k"]))
    root = a["i", "i"].set(build.op("sqrt", a["i", "i"]))
    return build.function("cholesky", [a], build.loop("i", 0, "n", lower, diagonal, root))


def trisolv(build: ModuleType) -> Function:
    a = build.array("L", "f64", "n", "n")
    x, b = build.array("x", "f64", "n"), build.array("b", "f64", "n")
    inner = build.loop("j", 0, "i", x["i"].set(x["i"] - a["i", "j"] * x["j"]))
    body = (x["i"].set(b["i"]), inner, x["i"].set(x["i"] / a["i", "i"]))
    return build.function("trisolv", [a, x, b], build.loop("i", 0, "n", *body))


def correlation_triangle(build: ModuleType) -> Function:
    """The last nest of PolyBench's correlation: an upper triangle of dot products."""
    corr, data = build.array("corr", "f64", "m", "m"), build.array("data", "f64", "n", "m")
    product = corr["i", "j"].add(data["k", "i"] * data["k", "j"])
    body = (
        corr["i", "j"].set(build.number(0.0)),
        build.loop("k", 0, "n", product),
        corr["j", "i"].set(corr["i", "j"]),
    )
    nest = build.loop("j", "i + 1", "m", *body)
    rows = build.loop("i", 0, "m - 1", corr["i", "i"].set(build.number(1.0)), nest)
    return build.function("correlation", [corr, data], rows)


def repeated(function: Function, times: int) -> Function:
    """``function`` with a loop around its body that moves nothing: time steps, repetitions."""
    t = Loop("t", Poly.constant(0), Poly.constant(times), Poly.constant(1), function.body)
    return Function(function.name, function.parameters, function.arrays, (t,))


def kerncraft(build: ModuleType) -> dict[str, Function]:
    """The example kernels of RRZE-HPC/kerncraft that tests compare with, sizes M and N."""
    a, b, c, d = (build.array(name, "f64", "N") for name in "abcd")
    s, i = build.scalar("s"), "i"
    lines = {
        "triad": ([a, b, c, d], a[i].set(b[i] + c[i] * d[i])),
        "copy": ([a, b], a[i].set(b[i])),
        "DAXPY": ([a, b], a[i].set(a[i] + b[i] * s)),
        "scalar_product": ([a, b], build.assign("t", build.carried("t") + a[i] * b[i])),
    }
    found = {
        name: build.function(name, arrays, build.loop("i", 0, "N", body))
        for name, (arrays, body) in lines.items()
    }
    found["2d-5pt"] = _flat_star(build)
    found["3d-7pt"] = _deep_star(build)
    found["3d-long-range-stencil"] = _long_range(build)
    return found


def _flat_star(build: ModuleType) -> Function:
    a, b = build.array("a", "f64", "M", "N"), build.array("b", "f64", "M", "N")
    total = a["j", "i - 1"] + a["j", "i + 1"] + a["j - 1", "i"] + a["j + 1", "i"]
    nest = build.loop("i", 1, "N - 1", b["j", "i"].set(total * build.scalar("s")))
    return build.function("2d-5pt", [a, b], build.loop("j", 1, "M - 1", nest))


def _deep_star(build: ModuleType) -> Function:
    a, b = build.array("a", "f64", "M", "N", "N"), build.array("b", "f64", "M", "N", "N")
    total = a["k", "j", "i - 1"] + a["k", "j", "i + 1"] + a["k", "j - 1", "i"]
    total = total + a["k", "j + 1", "i"] + a["k - 1", "j", "i"] + a["k + 1", "j", "i"]
    nest = build.loop("i", 1, "N - 1", b["k", "j", "i"].set(total * build.scalar("s")))
    nest = build.loop("k", 1, "M - 1", build.loop("j", 1, "N - 1", nest))
    return build.function("3d-7pt", [a, b], nest)


def _long_range(build: ModuleType) -> Function:
    u, v, roc = (build.array(name, "f64", "M", "N", "N") for name in ("U", "V", "ROC"))
    lap = v["k", "j", "i"] * build.scalar("c0")
    for reach in range(1, 5):
        for away in (f"+ {reach}", f"- {reach}"):
            near = v["k", "j", f"i {away}"] + v["k", f"j {away}", "i"] + v[f"k {away}", "j", "i"]
            lap = lap + near * build.scalar(f"c{reach}")
    new = v["k", "j", "i"] * 2.0 - u["k", "j", "i"] + roc["k", "j", "i"] * lap
    nest = build.loop("j", 4, "N - 4", build.loop("i", 4, "N - 4", u["k", "j", "i"].set(new)))
    return build.function("3d-long-range-stencil", [u, v, roc], build.loop("k", 4, "M - 4", nest))


def refused_by_kerncraft(build: ModuleType) -> dict[str, tuple[Function, dict[str, int]]]:
    """Example kernels that kerncraft's layer conditions refuse, with sizes to simulate."""
    s = build.scalar("s")
    a, b = build.array("a", "f64", "M*N"), build.array("b", "f64", "M*N")
    total = a["j*N + i - 1"] + a["j*N + i + 1"] + a["(j - 1)*N + i"] + a["(j + 1)*N + i"]
    inner = build.loop("i", 1, "N - 1", b["j*N + i"].set(total * s))
    linear = build.function("linear", [a, b], build.loop("j", 1, "M - 1", inner))

    a, b, c = (
        build.array("a", "f64", "N", "M"),
        build.array("b", "f64", "N"),
        build.array("c", "f64", "N"),
    )
    inner = build.loop("i", 0, "N", c["i"].add(a["i", "j"] * b["i"]))
    matvec = build.function("matvec", [a, b, c], build.loop("j", 0, "M", inner))

    a, b = build.array("a", "f64", "M", "N", "N"), build.array("b", "f64", "M", "N", "N")

    def point(i: str) -> object:
        total = a["k", "j", f"{i} - 1"] + a["k", "j", f"{i} + 1"] + a["k", "j - 1", i]
        total = total + a["k", "j + 1", i] + a["k - 1", "j", i] + a["k + 1", "j", i]
        return b["k", "j", i].set(total * s)

    inner = build.loop("i", 1, "N - 1", point("i"), point("i + 1"), step=2)
    inner = build.loop("k", 1, "M - 1", build.loop("j", 1, "N - 1", inner))
    unrolled = build.function("unrolled", [a, b], inner)

    s_, d = build.array("S", "f64", "N", "N"), build.array("D", "f64", "N", "N")
    inner = build.loop("k", 0, "N", d["i", "j"].add(s_["i", "k"] * s_["k", "j"]))
    inner = build.loop("i", 0, "N", build.loop("j", 0, "N", inner))
    matsq = build.function("matsq", [s_, d], inner)
    return {
        "2d-5pt-linear": (linear, {"M": 60, "N": 700}),
        "matvec": (matvec, {"M": 80, "N": 150}),
        "3d-7pt-2unrolled": (unrolled, {"M": 12, "N": 50}),
        "matsq": (matsq, {"N": 60}),
        "himeno_t": (_himeno(build), {"L": 12, "M": 20, "N": 30}),
    }


def _himeno(build: ModuleType) -> Function:
    a = build.array("a", "f32", "L", "M", "N", 4)
    b, c = build.array("b", "f32", "L", "M", "N", 3), build.array("c", "f32", "L", "M", "N", 3)
    p, bnd, w1, w2 = (build.array(n, "f32", "L", "M", "N") for n in ("p", "bnd", "wrk1", "wrk2"))
    here = ("i", "j", "k")
    total = w1[here]
    for n, axis in enumerate(here):
        ahead = tuple(f"{x} + 1" if x == axis else x for x in here)
        behind = tuple(f"{x} - 1" if x == axis else x for x in here)
        total = total + a[(*here, n)] * p[ahead] + c[(*here, n)] * p[behind]
    for n, (one, other) in enumerate((("i", "j"), ("j", "k"), ("i", "k"))):
        for first in ("+ 1", "- 1"):
            for second in ("+ 1", "- 1"):
                moved = {one: f"{one} {first}", other: f"{other} {second}"}
                total = total + b[(*here, n)] * p[tuple(moved.get(x, x) for x in here)]
    residual = (total * a[(*here, 3)] - p[here]) * bnd[here]
    body = [
        build.assign("gosa", build.carried("gosa", "f32") + residual * residual),
        w2[here].set(p[here] + residual * build.scalar("omega", "f32")),
    ]
    nest = build.loop("k", 1, "N - 1", *body)
    nest = build.loop("i", 1, "L - 1", build.loop("j", 1, "M - 1", nest))
    return build.function("himeno", [a, b, c, p, bnd, w1, w2], nest)


@st.composite
def random_nests(draw: st.DrawFn, build: ModuleType) -> Function:
    """One to three loops, some of them triangular, around references of any small stride."""
    depth = draw(st.integers(1, 3))
    indices = "ijk"[:depth]
    arrays = [build.array(name, "f64", 4000) for name in "ab"]
    place = st.integers(0, 40).map(lambda n: n * draw(st.sampled_from((4, 8))))

    def reference(inside: str) -> Reference:
        steps = [draw(st.sampled_from((-136, -8, 0, 0, 8, 8, 16, 24, 64, 264))) for _ in inside]
        terms = [f"{step}*{index}" for step, index in zip(steps, inside, strict=True)]
        return draw(st.sampled_from(arrays)).at(f"{' + '.join(terms)} + 9000 + {draw(place)}")

    def statement(inside: str) -> Statement:
        target, left, right = (reference(inside) for _ in range(3))
        return target.set(left + right)

    body: list[Node] = [statement(indices) for _ in range(draw(st.integers(1, 2)))]
    for position in reversed(range(depth)):
        trips = draw(st.integers(0, 24))
        inside = body
        if position + 1 < depth and draw(st.booleans()):
            inside = [statement(indices[: position + 1]), *body]
        lower = indices[position - 1] if position and draw(st.booleans()) else 0
        body = [build.loop(indices[position], lower, trips, *inside)]
    return build.function("random", arrays, *body)
