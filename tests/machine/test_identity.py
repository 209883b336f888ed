"""The machine file for a processor, by the numbers that it gives itself."""

from pathlib import Path
from types import MappingProxyType

import pytest
from rooflint.cli.machine.detection import detection_lines
from rooflint.cli.main import run
from rooflint.machine import builtin_dir, find_machine
from rooflint.machine.identity import (
    Identification,
    MachinePatterns,
    MatchKind,
    ProcessorArchitecture,
    ProcessorNumbers,
    ProcessorPattern,
    identify,
    machine_patterns,
    pattern_errors,
    read_processor,
)
from rooflint.machine.identity.processor import cpuinfo_fields, processor_numbers
from rooflint.machine.load import load_machine
from rooflint.machine.probe.cores import core_name

SHIPPED = machine_patterns([builtin_dir()])
SANDY_BRIDGE, HASWELL = "sandybridge-ep-e5-2680", "haswell-ep-e5-2695v3"
BROADWELL = "broadwell-ep-e5-2630v4"
X86, ARM = ProcessorArchitecture.X86_64, ProcessorArchitecture.AARCH64


def intel(model: int, stepping: int, brand: str = "") -> ProcessorNumbers:
    """Models are those of the Intel SDM, volume 4, table 2-1."""
    return ProcessorNumbers(X86, "GenuineIntel", 6, model, stepping, brand=brand)


def amd(family: int, model: int, brand: str = "") -> ProcessorNumbers:
    """Numbers are those of AMD's revision guides."""
    return ProcessorNumbers(X86, "AuthenticAMD", family, model, 1, brand=brand)


def arm(implementer: int, part: int) -> ProcessorNumbers:
    """Numbers are those of MIDR_EL1 in Arm's technical reference manuals."""
    return ProcessorNumbers(ARM, implementer=implementer, part=part)


def with_features(processor: ProcessorNumbers, *features: str) -> ProcessorNumbers:
    return processor._replace(features=frozenset(features))


@pytest.mark.parametrize(
    ("processor", "match", "machines"),
    [
        (intel(45, 7, "Intel(R) Xeon(R) CPU E5-2680 0"), "exact", SANDY_BRIDGE),
        (intel(42, 7, "Intel(R) Core(TM) i7-2600 CPU @ 3.40GHz"), "core", SANDY_BRIDGE),
        # Ivy Bridge's E5-2680 v2 has the words of E5-2680 in its name
        (intel(62, 4, "Intel(R) Xeon(R) CPU E5-2680 v2"), "nearest", SANDY_BRIDGE),
        (intel(63, 2, "Intel(R) Xeon(R) CPU E5-2695 v3 @ 2.30GHz"), "exact", HASWELL),
        (intel(79, 1, "Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz"), "exact", BROADWELL),
        (intel(79, 1, "Intel(R) Xeon(R) CPU E5-2630L v4 @ 1.80GHz"), "core", BROADWELL),
        # model 85 is Skylake-SP to stepping 4, Cascade Lake from 5 to 7, Cooper Lake from 10 on
        (intel(85, 4, "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"), "exact", "skylake-sp-6148"),
        (intel(85, 4, "Intel(R) Xeon(R) Platinum 8176 CPU @ 2.10GHz"), "core", "skylake-sp-6148"),
        (intel(85, 5), "core", "cascadelake-sp-6248"),
        (intel(85, 7, "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"), "core", "cascadelake-sp-6248"),
        (intel(85, 7, "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"), "exact", "cascadelake-sp-6248"),
        (intel(85, 7, "Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz"), "core", "cascadelake-sp-6248"),
        (intel(85, 8), "generic", "generic-avx2"),
        (intel(85, 11), "nearest", "cascadelake-sp-6248"),
        (intel(106, 6, "Intel(R) Xeon(R) Platinum 8360Y CPU"), "exact", "icelake-sp-8360y"),
        (intel(143, 8, "Intel(R) Xeon(R) Platinum 8480+"), "nearest", "icelake-sp-8360y"),
        (intel(151, 2, "12th Gen Intel(R) Core(TM) i7-12700K"), "generic", "generic-avx2"),
        (amd(23, 49, "AMD EPYC 7452 32-Core Processor"), "exact", "zen2-7452"),
        (amd(25, 1, "AMD EPYC 7763 64-Core Processor"), "exact", "zen3-7763"),
        (amd(25, 97, "AMD Ryzen 9 7950X 16-Core Processor"), "core", "zen4-9654"),
        # a virtual machine hides the product, family and model still tell the core
        (amd(25, 17, "AMD EPYC"), "core", "zen4-9654"),
        (amd(25, 144, "AMD Instinct MI300A Accelerator"), "exact", "mi300a"),
        (amd(26, 2, "AMD EPYC 9755 128-Core Processor"), "nearest", "zen4-9654"),
        (arm(65, 0xD4F), "ambiguous", "gh200 graviton4-c8g"),
        (arm(65, 0xD40), "nearest", "graviton4-c8g"),
        (arm(65, 0xD0C), "generic", "generic-aarch64"),
        (arm(70, 1), "core", "a64fx-fx700"),
        # Apple's lines have 128 B: no Arm file describes them, and an x86 machine even less
        (arm(97, 34), "none", ""),
        (ProcessorNumbers(ARM), "none", ""),
        (ProcessorNumbers(X86), "generic", "generic-avx2"),
        (ProcessorNumbers(None, brand="IBM POWER10"), "none", ""),
        # a virtual machine may hide an instruction set, and an old processor has none
        (with_features(intel(106, 6), "avx2", "avx512f"), "core", "icelake-sp-8360y"),
        (with_features(intel(106, 6), "avx2"), "generic", "generic-avx2"),
        (with_features(intel(44, 2), "sse4_2"), "none", ""),
    ],
)  # fmt: skip
def test_shipped_machines(processor: ProcessorNumbers, match: str, machines: str) -> None:
    found = identify(processor, SHIPPED)
    assert (found.match.value, " ".join(found.machines)) == (match, machines)


def test_a_brand_alone_identifies_nothing() -> None:
    named = ProcessorNumbers(X86, "GenuineIntel", 6, 151, 2, brand="Xeon Gold 6148")
    assert identify(named, SHIPPED).match is MatchKind.GENERIC


def test_no_pattern_crosses_architectures() -> None:
    for each in SHIPPED:
        machine = find_machine(each.machine, [builtin_dir()])
        triple = machine.tools.triple if machine.tools else None
        arches = {pattern.arch for pattern in each.patterns}
        assert len(arches) == 1, each.machine
        if triple is not None:
            assert triple.startswith(arches.pop().value), each.machine


def test_the_core_is_the_one_that_compilers_name() -> None:
    """Of each ``core`` pattern: LLVM's name for its numbers, where the probe knows one."""
    tried = 0
    for each in SHIPPED:
        tools = find_machine(each.machine, [builtin_dir()]).tools
        cpu = tools.cpu if tools is not None else None
        for pattern in each.patterns:
            if pattern.match is not MatchKind.CORE or cpu is None:
                continue
            for number in pattern.models or pattern.parts:
                names = {core_name(processor) for processor in _processors(pattern, number)}
                assert names <= {cpu, None}, (each.machine, number)
                tried += names == {cpu}
    assert tried >= 10


def _processors(pattern: ProcessorPattern, number: int) -> list[ProcessorNumbers]:
    if pattern.arch is ARM:
        return [arm(implementer, number) for implementer in pattern.implementers]
    return [
        ProcessorNumbers(X86, pattern.vendor or "", pattern.family, number, stepping)
        for stepping in pattern.steppings or (1,)
    ]


GENERIC = ProcessorPattern(MatchKind.GENERIC, X86)
CORE = ProcessorPattern(match=MatchKind.CORE, arch=X86, vendor="V", family=6, models=(1,))
EXACT = CORE._replace(brand="Gold 1")
NEAREST = CORE._replace(match=MatchKind.NEAREST, models=(1, 2))


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ({"g": (GENERIC,), "n": (NEAREST,), "c": (CORE,), "e": (EXACT,)}, ("exact", "e")),
        ({"g": (GENERIC,), "n": (NEAREST,), "c": (CORE,)}, ("core", "c")),
        ({"g": (GENERIC,), "n": (NEAREST,)}, ("nearest", "n")),
        ({"g": (GENERIC,)}, ("generic", "g")),
        ({}, ("none", "")),
        ({"one": (GENERIC, CORE)}, ("core", "one")),
        ({"a": (NEAREST,), "b": (NEAREST,)}, ("ambiguous", "a b")),
        ({"a": (CORE._replace(models=(2,)),)}, ("none", "")),
        ({"a": (CORE._replace(family=7),)}, ("none", "")),
        ({"a": (CORE._replace(vendor="W"),)}, ("none", "")),
        ({"a": (CORE._replace(steppings=(2,)),)}, ("none", "")),
        ({"a": (CORE._replace(steppings=(3, 2)), GENERIC)}, ("generic", "a")),
        ({"a": (CORE._replace(brand="Gold"),)}, ("exact", "a")),
        ({"a": (CORE._replace(brand="old 1"),)}, ("core", "a")),
        ({"a": (NEAREST._replace(brand="Gold 1"),)}, ("nearest", "a")),
    ],
)
def test_the_best_match_wins(
    patterns: dict[str, tuple[ProcessorPattern, ...]], expected: tuple[str, str]
) -> None:
    processor = ProcessorNumbers(X86, "V", 6, 1, 1, brand="X Gold 1 CPU")
    candidates = [MachinePatterns(name, each) for name, each in patterns.items()]
    found = identify(processor, candidates)
    assert (found.match.value, " ".join(found.machines)) == expected


CPUINFO = """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1
flags\t\t: fpu avx2 avx512f

processor\t: 1
model\t\t: 99
"""
ARM_CPUINFO = """\
processor\t: 0
Features\t: asimd sve2
CPU implementer\t: 0x41
CPU part\t: 0xd4f
"""


def test_the_numbers_of_a_processor(tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(CPUINFO)
    assert processor_numbers(cpuinfo_fields(file), "x86_64") == with_features(
        amd(25, 17, "AMD EPYC"), "fpu", "avx2", "avx512f"
    )
    file.write_text(ARM_CPUINFO)
    for name in ("aarch64", "arm64"):
        found = processor_numbers(cpuinfo_fields(file), name)
        assert found == with_features(arm(65, 0xD4F), "asimd", "sve2")
    assert processor_numbers({}, "AMD64") == ProcessorNumbers(X86)
    assert processor_numbers({"model": "POWER10"}, "ppc64le") == ProcessorNumbers(None)
    assert cpuinfo_fields(tmp_path / "none") == {}


def test_a_system_without_proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    monkeypatch.setattr("sys.platform", "darwin")
    assert read_processor(tmp_path).implementer == 0x61
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert read_processor(tmp_path) == ProcessorNumbers(X86)


FILE = (builtin_dir() / "cell.yaml").read_text()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{match: core, arch: x86_64, vendor: V, family: 6}", "missing key 'models'"),
        ("{match: nearest, arch: x86_64, vendor: V, models: [1]}", "missing key 'family'"),
        ("{match: core, arch: x86_64, family: 6, models: [1]}", "missing key 'vendor'"),
        ("{match: core, arch: aarch64, implementers: [65]}", "missing key 'parts'"),
        ("{match: core, arch: aarch64, parts: [1]}", "missing key 'implementers'"),
        ("{match: exact, arch: x86_64}", 'expected one of core, nearest, generic, got "exact"'),
        ("{match: generic, arch: ppc}", "expected one of x86_64, aarch64"),
        ("{match: generic}", "missing key 'arch'"),
        ("{match: generic, arch: x86_64, parts: [0x41]}", "in decimal"),
        ("{match: generic, arch: x86_64, parts: 1}", "expected a list of numbers"),
        ("{match: generic, arch: x86_64, family: -1}", "from 0 to 65535"),
        ("{match: generic, arch: x86_64, family: 65536}", "from 0 to 65535"),
        ("{match: generic, arch: x86_64, model: [1]}", "unknown key 'identify.0.model'"),
    ],
)
def test_a_broken_entry_is_one_error(
    entry: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cell.yaml"
    file.write_text(f"identify: [{entry}]\n{FILE}")
    (found,) = pattern_errors(file)
    error = str(found)
    assert error.startswith(f"{file}:1: ")
    assert message in error
    assert machine_patterns([tmp_path]) == ()
    assert load_machine(file).name == "cell"  # an analysis does not read the entries
    assert run(["machine", "check", str(file)]) == 1
    assert error in capsys.readouterr().out


@pytest.mark.parametrize("file", sorted(builtin_dir().glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_entries_have_no_errors(file: Path) -> None:
    assert pattern_errors(file) == []


def test_identification_is_not_inherited_and_the_first_folder_wins(tmp_path: Path) -> None:
    start = "schema: 1\nextends: zen4-9654\nsources: {default: x}\ndescription: d\n"
    (tmp_path / "child.yaml").write_text(f"{start}name: child\n")
    assert load_machine(tmp_path / "child.yaml", [builtin_dir()]).clock_ghz == 2.4
    assert machine_patterns([tmp_path]) == ()
    mine = "identify: [{match: core, arch: aarch64, implementers: [97], parts: [34]}]\n"
    (tmp_path / "zen4-9654.yaml").write_text(f"{start}name: zen4-9654\n{mine}")
    both = machine_patterns([tmp_path, builtin_dir()])
    assert identify(arm(97, 34), both).machines == ("zen4-9654",)
    assert identify(amd(25, 17), both).match is MatchKind.GENERIC


LINES = MappingProxyType({
    MatchKind.EXACT: "machine    a: this product",
    MatchKind.AMBIGUOUS: "machine    a or b: the same core, so the numbers cannot tell; choose one"
    " with --machine",
    MatchKind.NONE: "machine    none; no machine file describes this processor",
})  # fmt: skip


@pytest.mark.parametrize("match", LINES)
def test_the_words_of_a_match(match: MatchKind) -> None:
    machines = {MatchKind.AMBIGUOUS: ("a", "b"), MatchKind.NONE: ()}.get(match, ("a",))
    processor, machine, following = detection_lines(
        amd(25, 17, "AMD EPYC"), Identification(match, machines)
    )
    assert processor == (
        "processor  AMD EPYC (x86_64, AuthenticAMD, family 25, model 17, stepping 1)"
    )
    assert machine == LINES[match]
    is_exact = match is MatchKind.EXACT
    assert ("rooflint analyze PATH --machine a" in following) == is_exact
    assert ("rooflint machine probe -o mine.yaml" in following) != is_exact


def test_detect_names_one_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["machine", "detect"]) == 0
    processor, machine, following = capsys.readouterr().out.splitlines()
    assert processor.startswith("processor  ")
    assert machine.startswith("machine    ")
    assert following.startswith("next       rooflint ")


@pytest.mark.parametrize("action", ["list", "detect"])
def test_an_argument_too_many_is_a_usage_error(
    action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["machine", action, "x"]) == 2
    assert f"machine {action}: expected no argument, got 'x'" in capsys.readouterr().err
