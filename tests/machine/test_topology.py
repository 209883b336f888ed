"""Topologies of hwloc and likwid as machine files; expected values are counted by hand."""

from pathlib import Path

import pytest
from rooflint.cli.main import run
from rooflint.errors import ConfigurationError
from rooflint.machine import builtin_dir
from rooflint.machine.describe import check
from rooflint.machine.load import load_machine
from rooflint.machine.topology import import_topology, is_topology

DIRS = (builtin_dir(),)
ZEN4 = ("AuthenticAMD", 25, 17)
SKYLAKE = ("GenuineIntel", 6, 85)
UNKNOWN = ("GenuineIntel", 15, 2)


def core(number: int, caches: str = "") -> str:
    """Two hardware threads below caches of 32 KiB and 1 MiB."""
    units = "".join(f'<object type="PU" os_index="{2 * number + n}"/>' for n in (0, 1))
    return (
        '<object type="L2Cache" cache_size="1048576" cache_linesize="64"'
        ' cache_associativity="8" cache_type="0"><info name="Inclusive" value="0"/>'
        '<object type="L1Cache" cache_size="32768" cache_linesize="64"'
        ' cache_associativity="8" cache_type="1">'
        '<object type="L1iCache" cache_size="65536" cache_linesize="64" cache_type="2">'
        f'<object type="Core">{units}</object></object></object></object>'
    )


def hwloc(processor: tuple[str, int, int] = ZEN4, cores: tuple[int, ...] = (4, 4)) -> str:
    """Packages of so many cores, each with a last cache of 32 MiB and a NUMA domain."""
    vendor, family, model = processor
    packages = "".join(
        f'<object type="Package"><info name="CPUVendor" value="{vendor}"/>'
        f'<info name="CPUFamilyNumber" value="{family}"/>'
        f'<info name="CPUModelNumber" value="{model}"/><info name="CPUStepping" value="4"/>'
        '<info name="CPUModel" value="Some Processor"/>'
        '<object type="NUMANode" cpuset="0x0000000f"/>'
        '<object type="L3Cache" cache_size="33554432" cache_linesize="64"'
        ' cache_associativity="16" cache_type="0"><info name="Inclusive" value="0"/>'
        f"{''.join(map(core, range(count)))}</object></object>"
        for count in cores
    )
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">'
        '<object type="Machine"><info name="Architecture" value="x86_64"/>'
        f'{packages}<object type="NUMANode" cpuset="0x0"/></object>'
        '<cpukind cpuset="0xff"><info name="FrequencyMaxMHz" value="3700"/>'
        '<info name="FrequencyBaseMHz" value="2400"/></cpukind></topology>'
    )


LIKWID = """\
STRUCT,Info,3
CPU name:,Some Processor,
CPU type:,Intel Skylake SP processor,
STRUCT,Hardware Thread Topology,3
Sockets:,2,
Cores per socket:,4,
Threads per core:,2,
STRUCT,Cache Topology L1,3
Level:,1,
Size:,32 kB,
Cache groups:,0 8,1 9,2 10,3 11
STRUCT,Cache Topology L2,3
Level:,2,
Size:,1 MB,
Cache groups:,0 8,1 9,2 10,3 11
STRUCT,Cache Topology L3,3
Level:,3,
Size:,27.5 MB,
Cache groups:,0 8 1 9 2 10 3 11,4 12 5 13 6 14 7 15
NUMA domains:,4,
"""


def imported(text: str, folder: Path) -> Path:
    assert is_topology(text)
    file = folder / "mine.yaml"
    file.write_text(import_topology(folder / "topology", text, "mine", DIRS).text)
    return file


def test_hwloc_gives_the_topology_and_the_processor_the_rest(tmp_path: Path) -> None:
    machine = load_machine(imported(hwloc(), tmp_path), DIRS)
    zen4 = load_machine(builtin_dir() / "zen4-9654.yaml", DIRS)
    assert (machine.sockets, machine.cores_per_socket, machine.threads_per_core) == (2, 4, 2)
    assert machine.memory.numa_domains_per_socket == 1  # a domain without cores is no processor's
    assert [(c.size_kib, c.ways, c.shared_by_cores) for c in machine.caches] == [
        (32, 8, 1),
        (1024, 8, 1),
        (32768, 16, 4),
    ]
    assert machine.clock_ghz == 2.4
    assert (machine.core, machine.simd) == (zen4.core, zen4.simd)
    assert machine.caches[2].holds == zen4.caches[2].holds == "victim"
    assert all(entry.cores <= 8 for entry in machine.memory.bandwidth)
    assert any(entry.cores == 8 for entry in zen4.memory.bandwidth)
    # no report takes these figures for measured ones
    assert machine.figures == "typical"
    assert "zen4-9654, not of this computer" in machine.description
    assert machine.sources["sockets"] == "hwloc, topology"
    assert machine.sources["caches.L2.size_kib"] == "hwloc, topology"
    assert "zen4-9654" in machine.sources["caches.L3.cy_per_line_up"]
    assert check(tmp_path / "mine.yaml", DIRS) == []


def test_likwid_names_the_core(tmp_path: Path) -> None:
    machine = load_machine(imported(LIKWID, tmp_path), DIRS)
    skylake = load_machine(builtin_dir() / "skylake-sp-6148.yaml", DIRS)
    assert (machine.sockets, machine.cores_per_socket, machine.threads_per_core) == (2, 4, 2)
    assert machine.memory.numa_domains_per_socket == 2
    assert [(c.size_kib, c.shared_by_cores) for c in machine.caches] == [
        (32, 1),
        (1024, 1),
        (28160, 4),
    ]
    assert [c.ways for c in machine.caches] == [c.ways for c in skylake.caches]
    assert machine.core == skylake.core
    assert machine.clock_ghz == skylake.clock_ghz


@pytest.mark.parametrize(
    ("text", "parent"),
    [
        (hwloc(SKYLAKE), "skylake-sp-6148"),
        (hwloc(UNKNOWN), "generic-avx2"),
        (hwloc().replace("x86_64", "aarch64"), "generic-aarch64"),
        (LIKWID.replace("Skylake SP", "Quark"), "generic-avx2"),
        (LIKWID.replace("Intel Skylake SP", "Some Arm"), "generic-aarch64"),
    ],
)
def test_the_rest_is_of_the_nearest_machine(text: str, parent: str, tmp_path: Path) -> None:
    assert f"\nextends: {parent}\n" in imported(text, tmp_path).read_text()


def test_older_files_of_hwloc_have_other_names(tmp_path: Path) -> None:
    text = hwloc().replace("Package", "Socket")
    for level in ("L1", "L1i", "L2", "L3"):
        text = text.replace(f'"{level}Cache"', '"Cache"')
    text = text.partition("<cpukind")[0] + "</topology>"
    machine = load_machine(imported(text, tmp_path), DIRS)
    assert [cache.size_kib for cache in machine.caches] == [32, 1024, 32768]
    zen4 = load_machine(builtin_dir() / "zen4-9654.yaml", DIRS)
    assert machine.clock_ghz == zen4.clock_ghz


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (hwloc(cores=(4, 2)), "6 cores in 2 packages that differ"),
        (hwloc(cores=()), "expected cores and hardware threads"),
        (hwloc().replace("<!DOCTYPE", "<!ENTITY x 'y'><!DOCTYPE"), "entities are not read"),
        (hwloc().replace("</topology>", ""), "not valid XML"),
        (hwloc().replace("Cache", "Store"), "expected caches"),
        (LIKWID.replace("Sockets:,2", "Sockets:,two"), "'Sockets:' with a number, got 'two'"),
        (LIKWID.replace("1 MB", "1 pound"), "expected a size such as 48 kB, got '1 pound'"),
        (LIKWID.replace("Size:", "Width:"), "a size and groups of each cache"),
    ],
)
def test_a_broken_file_is_one_error(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        import_topology(tmp_path / "topology", text, "mine", DIRS)
    assert problem in caught.value.problem
    assert caught.value.file == str(tmp_path / "topology")


def test_the_command_knows_whose_a_file_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("host.xml", hwloc()), ("host.txt", LIKWID)):
        source, output = tmp_path / name, tmp_path / "box.yaml"
        source.write_text(text)
        assert run(["machine", "import", str(source), "-o", str(output)]) == 0
        assert load_machine(output, DIRS).name == "box"
        assert "rooflint machine probe" in capsys.readouterr().err
    source.write_text("hello\n")
    assert run(["machine", "import", str(source)]) == 2
