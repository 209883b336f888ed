"""Messages that are none, too long, too deep, or of another type."""

import gc
import json
import subprocess
import sys
import time
import zlib
from typing import Any, NamedTuple

import msgspec
import pytest
from msgspec.msgpack import Ext
from rooflint.ir import (
    ONE,
    Const,
    Exit,
    IndexValue,
    Loop,
    Node,
    Poly,
    Reason,
    ScalarRead,
    SourceName,
    Statement,
    Unknown,
)
from rooflint.ir.poly import function
from rooflint.ir.serial import from_json, to_json
from rooflint.plugin_api.prediction import DEEPEST_DATA, Prediction
from rooflint.plugin_api.report import SkippedModel
from rooflint.workers import storage
from rooflint.workers.frames import HEADER_BYTES, LENGTH_AT, Frame, FrameReader, unpack
from rooflint.workers.storage import compress, decompress
from rooflint.workers.wire import MAX_BODY_BYTES, MAX_WIDE_BYTES, PLAIN, WIDE, Codec, WireError


def element(array: str, index: str) -> Unknown:
    form = (SourceName(array, "array"), "[", SourceName(index), "]")
    return Unknown(form, Reason("indirect", (array,)), (index,))


NODES = Codec[Any](Node)
POLYS = Codec[Poly](Poly)
PREDICTIONS = Codec[Prediction](Prediction)
SKIPPED = Codec[SkippedModel](SkippedModel)
NAMES = Codec[tuple[str, ...]](tuple[str, ...])
pack = msgspec.msgpack.encode


def test_origins_survive_though_they_are_no_part_of_equality() -> None:
    body = (Statement((), origin=4), Exit("break", origin=5))
    loop = Loop("i", ONE, Poly.symbol("n"), ONE, body, origin=3)
    back = NODES.decode(NODES.encode(loop))
    assert back == loop
    assert (back.origin, [node.origin for node in back.body]) == (3, [4, 5])
    assert hash(back) == hash(msgspec.structs.replace(loop, origin=9))
    assert Exit("x") != Statement(()) != ScalarRead(type="f64", name="x")


def test_integers_and_names_that_messagepack_lacks() -> None:
    poly = Poly(
        {
            ("\udcff",): 10**30,
            (element("c", "i"),): -(2**70),
            (): 7,
        }
    )
    bound = function("min", poly, Poly.symbol("m"))
    assert POLYS.decode(POLYS.encode(bound)) == bound
    assert NAMES.decode(NAMES.encode(("\udc80", "plain"))) == ("\udc80", "plain")


def test_equal_values_have_the_same_digested_bytes() -> None:
    class Settings(NamedTuple):
        sizes: dict[str, int]
        codes: frozenset[str]

    one = Settings({"n": 1, "m": 2}, frozenset(("RL101", "RL2", "RL3")))
    other = Settings({"m": 2, "n": 1}, frozenset(("RL3", "RL2", "RL101")))
    codec = Codec[Settings](Settings)
    assert codec.canonical(one) == codec.canonical(other)
    n, m, least = (
        Poly.symbol("n"),
        Poly.symbol("m"),
        Poly.symbol(Unknown((SourceName("x"),), Reason("count"))),
    )
    assert POLYS.canonical(n + m + least) == POLYS.canonical(least + m + n)
    big = Poly.constant(10**30)
    assert POLYS.canonical(big * n + m + least) == POLYS.canonical(least + m + big * n)


def test_another_declaration_has_another_schema() -> None:
    def record(**fields: Any) -> Codec[Any]:  # noqa: ANN401 - types
        return Codec(NamedTuple("R", list(fields.items())))

    schemas = [
        record(a=int).schema,
        record(a=str).schema,
        record(b=int).schema,
        record(a=int, b=int).schema,
        record(a=tuple[int, ...]).schema,
        record(a=tuple[int]).schema,
        record(a=Exit).schema,
    ]
    assert len({*schemas}) == len(schemas)
    assert record(a=int).schema == schemas[0]


WRONG = {
    "empty": b"",
    "no form": b"\7" + pack(["m", "r", False]),
    "garbage": PLAIN + b"\xc1" * 50,
    "cut off": PLAIN + pack(["m", "r", False])[:-1],
    "more behind": PLAIN + pack(["m", "r", False]) + b"\0",
    "wrong type": PLAIN + pack(["m", 3, False]),
    "wrong container": PLAIN + pack({"model": "m"}),
    "too few": PLAIN + pack(["m"]),
    "an extension": PLAIN + pack(["m", Ext(1, b"5"), False]),
    "a count beyond the message": PLAIN + b"\xdd\xff\xff\xff\xff",
    "a text beyond the message": PLAIN + b"\x93\xdb\xff\xff\xff\xff",
    "wide, wrong type": WIDE + pack(["m", Ext(1, b"0x5"), False]),
    "wide, no number": WIDE + pack(["m", Ext(1, b"five"), False]),
    "wide, no text": WIDE + pack(["m", Ext(2, b"\xff"), False]),
    "wide, no pairs": WIDE + pack(["m", Ext(3, pack([1, 2])), False]),
    "wide, a key that is none": WIDE + pack(["m", Ext(3, pack([[{}, 2]])), False]),
    "wide, an unknown extension": WIDE + pack(["m", Ext(9, b""), False]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_not_of_the_type_is_an_error(name: str) -> None:
    with pytest.raises(WireError):
        SKIPPED.decode(WRONG[name])
    assert gc.isenabled()


POLY_PARTS = [
    3, [3], [[3, 4]], [[["n"], 1.5]], [[["n"], True]], [[[3], 1]], [[[["min"]], 1]],
    [[[["pow", [[], []]]], 1]], [[[["x", "reason", [3]]], 1]], [[[["x", "r", 3]], 1]],
    [[[["min", [3]]], 1]], [["n"]], {"n": 1}, [[[["x", ["nonsense", []], []]], 1]],
    [[[["x", ["indirect", [3]], []]], 1]], [[[["x", "ab", []]], 1]],
]  # fmt: skip


@pytest.mark.parametrize("parts", POLY_PARTS, ids=repr)
def test_parts_that_make_no_polynomial(parts: object) -> None:
    with pytest.raises(WireError):
        POLYS.decode(PLAIN + pack(parts))


def nested(levels: int) -> bytes:
    inner: Any = ["Opaque", ["access", ["r"]], -1]
    for _ in range(levels):
        inner = ["Region", "k", [], [inner], -1]
    return PLAIN + pack(inner)


def deep_poly(levels: int) -> bytes:
    head, tail = pack([[[["min", [0]]], 1]]).split(b"\0")
    return PLAIN + head * levels + b"\x90" + tail * levels


@pytest.mark.parametrize("form", [PLAIN, WIDE])
def test_nesting_is_bounded(form: bytes) -> None:
    assert NODES.decode(nested(50))
    assert POLYS.decode(deep_poly(20))
    for codec, message in (
        (NODES, PLAIN + b"\x95\xa6Region\xa1k\x90\x91" * 100_000),
        (POLYS, deep_poly(100_000)),
        (Codec[Any](Any), PLAIN + b"\x91" * 1_000_000),
    ):
        with pytest.raises(WireError):
            codec.decode(form + message[1:])


def test_data_of_models_has_so_many_levels() -> None:
    def prediction(levels: int) -> Prediction:
        data: Any = 1
        for _ in range(levels - 1):
            data = [data]
        return Prediction("m", "b", "s", "h", data={"d": data})

    assert PREDICTIONS.decode(PREDICTIONS.encode(prediction(DEEPEST_DATA)))
    with pytest.raises(WireError):
        PREDICTIONS.decode(PREDICTIONS.encode(prediction(DEEPEST_DATA + 1)))
    for foreign in (b"bytes", {3: 4}, msgspec.msgpack.Ext(1, b"")):
        with pytest.raises(WireError):
            PREDICTIONS.decode(PLAIN + pack(["m", "b", "s", "h", None, [], {"d": foreign}]))


def test_what_is_too_long_is_neither_written_nor_read() -> None:
    text = "x" * (MAX_BODY_BYTES // 2)
    with pytest.raises(WireError, match="at most"):
        NAMES.encode((text, text))
    with pytest.raises(WireError, match="at most"):
        NAMES.decode(bytes(MAX_BODY_BYTES + 1))
    with pytest.raises(WireError, match="at most"):
        NAMES.encode(("x" * MAX_WIDE_BYTES, "\udcff"))
    with pytest.raises(WireError, match="at most"):
        NAMES.decode(WIDE + bytes(MAX_WIDE_BYTES))


WORST = """
import resource, sys, time
from rooflint.plugin_api.prediction import Prediction
from rooflint.workers.wire import MAX_BODY_BYTES, PLAIN, Codec, WireError
item = bytes.fromhex(sys.argv[1])
count = (MAX_BODY_BYTES - 100) // len(item)
body = PLAIN + bytes.fromhex("97a16da162a173a168c09081a164dd") + count.to_bytes(4, "big")
body += item * count
before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
try:
    Codec(Prediction).decode(body)
    outcome = "decoded"
except WireError as error:
    outcome = "refused"
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(outcome, (after - before) >> 10, time.process_time() - begin)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts KiB")
@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        ("80", "refused"), ("90", "refused"), ("9100", "refused"), ("93000000", "decoded"),
        ("a2d0b0", "decoded"),
    ],
)  # fmt: skip
def test_the_longest_message_takes_less_than_a_gigabyte(item: str, outcome: str) -> None:
    command = [sys.executable, "-c", WORST, item]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    how, mib, seconds = done.stdout.split()
    assert how == outcome
    assert int(mib) < 700
    assert float(seconds) < 5


FRAME = Frame(1, b"schema..", b"body").packed()


def changed(at: int, by: bytes) -> bytes:
    return FRAME[:at] + by + FRAME[at + len(by) :]


def test_a_frame_comes_in_pieces() -> None:
    reader = FrameReader()
    for number in range(len(FRAME) - 1):
        assert reader.add(FRAME[number : number + 1]) is None
    assert reader.add(FRAME[-1:]) == (1, b"schema..", b"body")
    assert not reader.started
    assert unpack(FRAME).body == b"body"
    assert unpack(Frame(0, b"schema..", b"").packed()).body == b""


@pytest.mark.parametrize(
    "message",
    [
        b"", FRAME[:5], FRAME[:-1], FRAME + b"x", changed(0, b"XXXX"), changed(HEADER_BYTES, b"B"),
        changed(LENGTH_AT, b"\xff\xff\xff\xff"), changed(LENGTH_AT, b"\3"),
    ],
)  # fmt: skip
def test_no_frame(message: bytes) -> None:
    with pytest.raises(WireError):
        unpack(message)


def test_a_length_is_refused_before_anything_behind_it_is_read() -> None:
    reader = FrameReader(100)
    long = changed(LENGTH_AT, (101).to_bytes(4, "little"))
    with pytest.raises(WireError, match="101 bytes, at most 100"):
        reader.add(long[:HEADER_BYTES])


def bomb(size: int) -> bytes:
    """Zeroes, compressed as far as they can be."""
    packer = zlib.compressobj(1)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join([*parts, packer.flush()])


def entry(body: bytes) -> bytes:
    return Frame(storage.STORED, NAMES.schema, body).packed()


def test_a_bomb_is_not_inflated() -> None:
    message = entry(bomb(128 << 20))
    assert len(message) < 700_000
    begin = time.process_time()
    with pytest.raises(WireError, match="more than"):
        decompress(NAMES, message)
    assert time.process_time() - begin < 2  # 32 MiB of it take a tenth of a second


def test_what_is_stored_is_restored() -> None:
    assert decompress(NAMES, compress(NAMES, ("a", "b"))) == ("a", "b")
    whole = zlib.compress(NAMES.encode(("a", "b")))
    for damaged in (whole[:-1], whole + b"x", b"", b"no stream"):
        with pytest.raises(WireError):
            decompress(NAMES, entry(damaged))
    with pytest.raises(WireError):
        decompress(Codec[tuple[int, ...]](tuple[int, ...]), compress(NAMES, ()))
    with pytest.raises(WireError):
        decompress(NAMES, Frame(1, NAMES.schema, whole).packed())


@pytest.mark.parametrize(("size", "taken"), [(0, True), (99, True), (100, True), (101, False)])
def test_a_message_may_be_as_long_as_agreed_and_no_longer(size: int, taken: bool) -> None:
    message = Frame(1, b"schema..", b"x" * size).packed()
    if taken:
        assert unpack(message, 100).body == b"x" * size
    else:
        # refused with the header, before any of the body is there
        with pytest.raises(WireError):
            FrameReader(100).add(message[:HEADER_BYTES])


def test_values_carry_their_polynomials_and_numbers() -> None:
    moved = Poly.symbol(element("c", "i")) + function("mod", Poly.symbol("i"), ONE + 2)
    values = (
        IndexValue(type="i32", poly=moved),
        Const(type="u64", spelling="0xffffffffffffffffff", number=2**72 - 1),
        Const(type="f32", spelling="0.1f", number=13421773 / 2**27),
    )
    statement = Statement(values)
    assert NODES.decode(NODES.encode(statement)) == statement
    assert from_json(json.loads(json.dumps(to_json(statement)))) == statement
