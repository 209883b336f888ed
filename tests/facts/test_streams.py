"""Streams: what moves together, by how much, and what is loaded before it is stored."""

from types import ModuleType

from rooflint.facts import Stream, streams_of
from rooflint.ir import Loop, Reason, Statement


def streams(*loops: Loop) -> tuple[Stream, ...]:
    body = [node for node in loops[-1].body if isinstance(node, Statement)]
    return streams_of(loops, body)


def test_a_stencil_is_one_stream_a_row_apart(build: ModuleType, nests: ModuleType) -> None:
    outer = nests.jacobi2d(build).body[0]
    a, b = streams(outer, outer.body[0])
    assert [str(stride) for stride in a.strides] == ["8*n", "8"]
    displacements = [str(reference.displacement) for reference in a.references]
    assert displacements == ["-8", "8", "-8*n", "8*n"]
    assert (a.reads, a.writes, a.pattern) == (4, 0, "contiguous")
    assert (b.reads, b.writes, b.pattern) == (0, 1, "contiguous")
    assert b.references[0].stored_first


def test_patterns_follow_the_own_loop(build: ModuleType, nests: ModuleType) -> None:
    outer = nests.dgemv(build).body[0]
    patterns = {s.array: s.pattern for s in streams(outer, outer.body[0])}
    assert patterns == {"y": "invariant", "A": "contiguous", "x": "contiguous"}
    a = build.array("a", "f64", "n", "m")
    down = build.loop("i", 0, "n", a["i", "j"].add(a["i", "j"]))
    (column,) = streams(build.loop("j", 0, "m", down), down)
    assert column.pattern == "strided"
    assert [str(stride) for stride in column.strides] == ["8", "8*m"]


def test_strides_count_steps_of_the_loop(build: ModuleType) -> None:
    a = build.array("a", "f64", "n")
    up = build.loop("i", 0, "n", build.assign("x", a["i"] + a["i"]), step=4)
    down = build.loop("i", "n", 0, build.assign("x", a["i"]), step=-1)
    assert [str(s) for s in streams(up)[0].strides] == ["32"]
    assert [str(s) for s in streams(down)[0].strides] == ["-8"]
    assert streams(down)[0].pattern == "contiguous"


def test_order_of_load_and_store_decides_on_the_fetch(build: ModuleType) -> None:
    a, b = build.array("a", "f64", "n"), build.array("b", "f64", "n")
    update = build.loop("i", 0, "n", a["i"].add(b["i"]))
    reference = streams(update)[0].references[0]
    assert (reference.loaded, reference.stored, reference.stored_first) == (True, True, False)
    # a[i] = b[i]; b[i] = a[i] + 1: the value of a[i] is at hand
    reread = build.loop("i", 0, "n", a["i"].set(b["i"]), b["i"].set(a["i"] + 1.0))
    reference = next(s for s in streams(reread) if s.array == "a").references[0]
    assert (reference.loaded, reference.stored, reference.stored_first) == (False, True, True)


def test_fields_of_a_record_are_one_stream(build: ModuleType) -> None:
    p = build.array("p", "f64", None)
    loop = build.loop("i", 0, "n", p.at("24*i").set(p.at("24*i + 8") + p.at("24*i + 16")))
    (stream,) = streams(loop)
    assert [str(stride) for stride in stream.strides] == ["24"]
    assert len(stream.references) == 3


def test_unknown_places_are_a_gather_with_its_reason(build: ModuleType) -> None:
    x = build.array("x", "f64", None)
    index = build.unknown("col[j]", "j")
    loop = build.loop("j", 0, "n", build.assign("s", x.at(index * 8)))
    (stream,) = streams(loop)
    assert (stream.pattern, stream.strides, stream.reason) == (
        "gather",
        (None,),
        Reason("indirect", ("col",)),
    )
    # col[i] seen from the inner loop over j does not move
    inner = build.loop("j", 0, "n", build.assign("s", x.at(build.unknown("col[i]", "i") * 8)))
    (stream,) = streams(build.loop("i", 0, "n", inner), inner)
    assert stream.pattern == "invariant"
    assert stream.strides[0] is None


def test_products_of_indices_have_no_stride(build: ModuleType) -> None:
    a = build.array("a", "f64", None)
    loop = build.loop("i", 0, "n", build.assign("s", a.at("8*i*i")))
    (stream,) = streams(loop)
    assert stream.pattern == "gather"
    assert str(stream.reason) == "subscript not linear in the loop indices: 8*i*i"


def test_rows_that_start_at_run_time_follow_each_other(
    build: ModuleType, nests: ModuleType
) -> None:
    outer = nests.spmv(build).body[0]
    val = next(s for s in streams(outer, outer.body[0]) if s.array == "val")
    assert val.follows == (True, False)
    # the same with the start in the offset: val[row[i] + j]
    array = build.array("val", "f64", None)
    start = build.unknown("row[i]", "i")
    inner = build.loop("j", 0, 9, build.assign("s", array.at(start * 8 + build.poly("8*j"))))
    (val,) = streams(build.loop("i", 0, "n", inner), inner)
    assert val.follows == (True, False)
