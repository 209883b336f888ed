"""The published schema and the loader agree."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import jsonschema
import pytest
from rooflint.errors import ConfigurationError
from rooflint.machine import builtin_dir
from rooflint.machine.document import YamlNode, read_document
from rooflint.machine.identity import pattern_errors
from rooflint.machine.load import load_machine
from rooflint.machine.parts import CLASSES, PATTERNS, TYPE_BYTES
from rooflint.machine.ranges import range_of

Json: TypeAlias = Any

SCHEMA = json.loads((builtin_dir() / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
FILES = sorted(builtin_dir().glob("*.yaml"))

EVERY_KEY = """\
schema: 1
name: all
aliases: [a]
description: every key there is
identify:
  - {match: core, arch: x86_64, vendor: V, family: 6, models: [0, 85], steppings: [4], brand: B,
     features: [avx2]}
  - {match: nearest, arch: aarch64, implementers: [65], parts: [1]}
figures: datasheet
sources: {default: x}
clock_ghz: 2.0
simd_clock_ghz: 1.5
sockets: 1
cores_per_socket: 4
threads_per_core: 2
line_bytes: 64
peak_gflop_s: {f64: 64}
peak_gop_s: {exchange: 2, iop.i32: 3}
simd: {isa: avx, register_bytes: 32, registers: 16, fma: false}
tools: {triple: x86_64-linux-gnu, cpu: haswell, osaca: HSW}
tlb: {entries: 1024, walk_cy: 9, page_bytes: 4096}
quality:
  - {figure: clock_ghz, rounds: 3, spread: 0.25, clean: 0.5, doubtful: true}
accepted: [{figure: clock_ghz, reason: x}]
dropped:
  - {figure: memory.bandwidth.MEM.load.2, gb_s: 3, reason: x}
core:
  issue_width: 4
  fused_loads: true
  in_order: true
  memory_order: x86
  prefetch_into: L1
  mispredict_cy: 15
  set_fill_cy: 16
  set_read_cy: 12
  set_evict_cy: 16
  buffers: {rob: 1, rs: 1, vector_rs: 1, load: 1, store: 1, line_fill: 1}
  ports: {load: [2, x]}
  operations: {add.float.simd32: {latency_cy: 3, ports: [1, y], cy: 0.5, uops: 2,
    also: [{ports: [5], cy: 2}]}}
  overlap: {non_overlapping: [load], links: serial, overlapping_links: [L1-MEM]}
caches:
  - {level: L1, size_kib: 32, ways: 8, shared_by_cores: 1, write_allocate: true, write_back: true,
     replacement: plru, holds: victim, latency_cy: 4, cy_per_line_up: 1, cy_per_line_down: 1,
     duplex: full}
memory:
  latency_ns: 80
  numa_domains_per_socket: 1
  write_allocate_evasion: automatic
  evasion_from_cores: 2
  duplex: full
  penalty_cy_per_line_up: 0.5
  penalty_cy_per_line_down: 2
  write_gb_s: 4
  scattered_gb_s: 1
  run_lines: 16
  prefetched_runs: 8
  penalty_cy_per_nearer_line: 3
  bandwidth: [{level: MEM, pattern: load, cores: 1, gb_s: 1.5}]
ceilings:
  compute: [{name: ilp, gflop_s: 1, lifted_by: x}]
  compute_balanced: [{name: ilp, gop_s: 1, operation: exchange, lifted_by: x}]
  memory: [{name: affinity, gb_s: 1, lifted_by: x}]
coprocessors: {count: 4, memory_bytes: 6.0e+9, peak_gop_s: 1500, bandwidth_gb_s: 288, banks: 1,
  clock_ghz: 1, peer: main, issue: {arithmetic: 1},
  channels: {main: {bandwidth_gb_s: 32, shared: true, duplex: half, align_bytes: 16, latency_us: 0,
  rates: [{run_bytes: 8, stride_bytes: 8, get_gb_s: 1, put_gb_s: 2}]}}}
host: {memory_bytes: 1, peak_gop_s: 1}
"""


def plain(node: YamlNode) -> Json:
    match node.data:
        case dict() as entries:
            return {key: plain(child) for key, child in entries.items()}
        case list() as items:
            return [plain(item) for item in items]
        case scalar:
            return scalar


def mappings(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
        for key, child in value.items():
            yield from mappings(child, (*path, key))
    elif isinstance(value, list):
        for number, child in enumerate(value):
            yield from mappings(child, (*path, number))


def scalars(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        if isinstance(child, dict | list):
            yield from scalars(child, (*path, key))
        else:
            yield (*path, key)


def at(value: Json, path: tuple[Any, ...]) -> Json:
    for key in path:
        value = value[key]
    return value


def loads(data: dict[str, Any], folder: Path) -> bool:
    file = folder / "x.yaml"
    file.write_text(json.dumps(data))
    try:
        load_machine(file)
    except ConfigurationError:
        return False
    return not pattern_errors(file)


@pytest.fixture(params=["caches", "local_store"])
def every_key(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Every key at once, but for one of the two that exclude each other."""
    file = tmp_path / "all.yaml"
    file.write_text(EVERY_KEY)
    data: dict[str, Any] = plain(read_document(file))
    if request.param == "local_store":
        del data["caches"]
        data["core"]["overlap"]["overlapping_links"] = ["LS-MEM"]
        dma = {"align_bytes": 16, "max_transfer_bytes": 16384, "latency_ns": 100}
        data["local_store"] = {"size_kib": 256, "dma": dma}
    return data


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_files_satisfy_the_schema(file: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(plain(read_document(file)))] == []


def test_both_accept_every_key(every_key: dict[str, Any], tmp_path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(every_key)] == []
    assert loads(every_key, tmp_path)


def test_the_file_with_every_key_has_every_key_of_the_schema(every_key: dict[str, Any]) -> None:
    def keys(schema: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        for name, below in schema.get("properties", {}).items():
            yield (*path, name)
            yield from keys(below, (*path, name))
        if "items" in schema:
            yield from keys(schema["items"], path)

    present = {tuple(k for k in p if isinstance(k, str)) for p in mappings(every_key)}
    present |= {tuple(k for k in p if isinstance(k, str)) for p in scalars(every_key)}
    assert {path for path in keys(SCHEMA) if path not in present} <= {
        ("extends",),
        ("ceilings", "compute", "gop_s"),
        ("ceilings", "compute", "operation"),
        ("ceilings", "compute_balanced", "gflop_s"),
    } | {p for p in keys(SCHEMA) if p[0] == ("local_store" if "caches" in every_key else "caches")}


def test_both_refuse_an_unknown_key_anywhere(every_key: dict[str, Any], tmp_path: Path) -> None:
    for path in mappings(every_key):
        if path in (("peak_gop_s",), ("coprocessors", "issue")):  # names are free
            continue
        broken = copy.deepcopy(every_key)
        at(broken, path)["zzz"] = 1  # where names are free, a number is no valid value
        assert not VALIDATOR.is_valid(broken), path
        assert not loads(broken, tmp_path), path


def test_both_refuse_figures_outside_the_range_of_their_unit(
    every_key: dict[str, Any], tmp_path: Path
) -> None:
    tried = 0
    for path in scalars(every_key):
        old = at(every_key, path)
        is_number = isinstance(old, int | float) and not isinstance(old, bool)
        if path == ("schema",) or "ports" in path or path[0] == "identify" or not is_number:
            continue
        low, high, _ = range_of(".".join(map(str, path)))
        for value, allowed in ((low / 2, False), (high * 2, False), (high, True)):
            changed = copy.deepcopy(every_key)
            at(changed, path[:-1])[path[-1]] = value
            assert VALIDATOR.is_valid(changed) == allowed, (path, value)
            assert allowed or not loads(changed, tmp_path), (path, value)
        tried += 1
    assert tried > 50


@pytest.mark.parametrize("value", [-1, 0, "32 KB", [], {}])
def test_both_refuse_a_wrong_value_anywhere(
    every_key: dict[str, Any], tmp_path: Path, value: object
) -> None:
    for path in scalars(every_key):
        if (
            str(path[-1]).startswith(("latency_us", "penalty_", "uops", "spread", "clean"))
            and value == 0
        ):
            continue
        if path[0] == "identify" and value == 0:
            continue  # a model, a stepping and a part may be 0
        old = at(every_key, path)
        if isinstance(old, str) and isinstance(value, str):
            continue  # a text for a text may be right
        if "ports" in path and isinstance(value, int | str):
            continue  # a port's name
        if isinstance(old, int | float) and not isinstance(old, bool) and value == old:
            continue
        broken = copy.deepcopy(every_key)
        at(broken, path[:-1])[path[-1]] = value
        assert not VALIDATOR.is_valid(broken), path
        assert not loads(broken, tmp_path), path


def test_both_require_the_same_keys(every_key: dict[str, Any], tmp_path: Path) -> None:
    for path in mappings(every_key):
        for key in at(every_key, path):
            if path == ("sources",):
                continue  # whether each figure has a source is more than a schema can say
            broken = copy.deepcopy(every_key)
            del at(broken, path)[key]
            if key in ("caches", "local_store"):  # links are named after them
                del broken["core"]["overlap"]["overlapping_links"]
            assert VALIDATOR.is_valid(broken) == loads(broken, tmp_path), (*path, key)


def test_words_are_the_same() -> None:
    operations = SCHEMA["properties"]["core"]["properties"]["operations"]["patternProperties"]
    pattern = next(iter(operations))
    assert all(word in pattern for word in (*CLASSES, *TYPE_BYTES))
    entry = SCHEMA["properties"]["memory"]["properties"]["bandwidth"]["items"]["properties"]
    assert entry["pattern"]["enum"] == list(PATTERNS)
