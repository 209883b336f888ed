"""Operations of llvm-mca's tables in machine files; expected values are worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest
from rooflint.cli.main import run
from rooflint.errors import ConfigurationError, UsageError
from rooflint.machine import CoreOperation, Machine, PortUse, builtin_dir
from rooflint.machine.describe import check
from rooflint.machine.llvm import import_llvm_model, is_llvm_model
from rooflint.machine.load import load_machine

DIRS = (builtin_dir(),)
LISTINGS = Path(__file__).parents[2] / "docs" / "operations"
UNITS = ["P0", "P1", "P5", "Div", "Ld.\0", "Ld.\1", "Agu0", "Agu1"]
ADD = {"P0": 0.5, "P1": 0.5}


def region(
    name: str,
    pressure: dict[str, float],
    latency: float = 4,
    uops: int = 1,
    cycles: float | None = None,
    stores: bool = False,
) -> dict[str, Any]:
    """A region of one instruction; ``cycles`` are by default those of the busiest unit."""
    figures = {
        "Instruction": 0,
        "Latency": latency,
        "NumMicroOpcodes": uops,
        "RThroughput": max(pressure.values(), default=0) if cycles is None else cycles,
        "hasUnmodeledSideEffects": False,
        "mayLoad": False,
        "mayStore": stores,
    }
    used = [
        {"InstructionIndex": index, "ResourceIndex": UNITS.index(unit), "ResourceUsage": usage}
        for index in (0, 1)  # the totals come last
        for unit, usage in pressure.items()
    ]
    return {
        "Name": name,
        "Instructions": ["one"],
        "InstructionInfoView": {"InstructionList": [figures]},
        "ResourcePressureView": {"ResourcePressureInfo": used},
    }


def tables(*regions: dict[str, Any], cpu: str = "newcore", arch: str = "x86-64") -> str:
    return json.dumps(
        {
            "CodeRegions": regions,
            "SimulationParameters": {"-march": arch, "-mcpu": cpu},
            "TargetInfo": {"CPUName": cpu, "Resources": UNITS},
        }
    )


def imported(folder: Path, text: str, base: str | None = "generic-avx2") -> Machine:
    assert is_llvm_model(text)
    file = folder / "mine.yaml"
    file.write_text(import_llvm_model(folder / "core.json", text, "mine", base, DIRS).text)
    assert check(file, DIRS) == []
    return load_machine(file, DIRS)


def operation(folder: Path, one: dict[str, Any]) -> CoreOperation:
    """The operation, beside an addition, without which a machine has no roof."""
    core = imported(folder, tables(one, region("add.f64", ADD))).core
    assert core is not None
    return core.operations[one["Name"]]


def test_the_operations_are_llvms_and_the_rest_is_the_bases(tmp_path: Path) -> None:
    load = region("load", {"Ld.\0": 0.5, "Ld.\1": 0.5}, latency=5)
    machine = imported(tmp_path, tables(region("add.float", ADD), load))
    base = load_machine(builtin_dir() / "generic-avx2.yaml", DIRS)
    assert machine.core is not None and base.core is not None
    assert set(machine.core.operations) == {"add.float", "load"}
    assert machine.core.operations["add.float"] == CoreOperation(4, ("P0", "P1"))
    assert machine.core.operations["load"].ports == ("Ld.0", "Ld.1")
    assert machine.core.ports == {"load": ("Ld.0", "Ld.1")}
    assert machine.core.issue_width == base.core.issue_width
    assert (machine.core.buffers, machine.caches) == (base.core.buffers, base.caches)
    assert machine.memory == base.memory
    assert machine.tools is not None and machine.tools.cpu == "newcore"
    assert machine.figures == "typical"
    assert machine.sources["core.issue_width"] == base.sources["core.issue_width"]


def test_each_figure_names_llvm(tmp_path: Path) -> None:
    machine = imported(tmp_path, tables(region("add.float", ADD)))
    source = machine.sources["core.operations.add.float.latency_cy"]
    assert source == "LLVM's scheduling model of newcore, by llvm-mca, core.json"


@pytest.mark.parametrize(
    ("pressure", "uses"),
    [
        ({"P0": 1}, (PortUse(("P0",)),)),
        ({"P0": 1, "P1": 1}, (PortUse(("P0", "P1"), 2),)),
        ({"P0": 0.333333, "P1": 0.333333, "P5": 0.333334}, (PortUse(("P0", "P1", "P5")),)),
        # other pressure, or a unit of another kind: a port of each
        ({"P0": 0.5, "P1": 0.5, "P5": 1}, (PortUse(("P5",)), PortUse(("P0", "P1")))),
        ({"P0": 1, "Div": 8}, (PortUse(("Div",), 8), PortUse(("P0",)))),
        ({"P0": 0.5, "P1": 0.51}, (PortUse(("P1",), 0.51), PortUse(("P0",), 0.5))),
        ({"Ld.\0": 0.5, "Ld.\1": 0.5, "Agu0": 0.5, "Agu1": 0.5},
         (PortUse(("Agu0", "Agu1")), PortUse(("Ld.0", "Ld.1")))),
        ({"P0": 1, "P1": 0}, (PortUse(("P0",)),)),
    ],
)  # fmt: skip
def test_units_of_one_kind_and_pressure_are_alternatives(
    pressure: dict[str, float], uses: tuple[PortUse, ...], tmp_path: Path
) -> None:
    assert operation(tmp_path, region("add.float", pressure)).uses == uses


def test_a_store_has_no_latency_and_an_eliminated_move_the_least_there_is(tmp_path: Path) -> None:
    assert (
        operation(tmp_path, region("store", {"P0": 1}, latency=12, stores=True)).latency_cy is None
    )
    assert operation(tmp_path, region("move", {"P0": 1}, latency=0)).latency_cy == 1
    assert operation(tmp_path, region("move", {"P0": 1}, latency=2)).latency_cy == 2


def losses(text: str, base: str = "generic-avx2") -> str:
    return "\n".join(import_llvm_model(Path("core.json"), text, "mine", base, DIRS).losses)


def test_groups_that_cannot_be_told_apart_are_named() -> None:
    # one of P0, P1, P5 and one of P5: the pressure alone says 4/3 cycles on P5
    pressure = {"P0": 1 / 3, "P1": 1 / 3, "P5": 4 / 3}
    assert "one in 1 cycles; its" in losses(tables(region("shuffle", pressure, cycles=1)))
    assert "cannot be told apart" not in losses(tables(region("shuffle", pressure)))


def test_what_the_file_lacks_is_named() -> None:
    said = losses(
        tables(region("add.float", ADD), region("div.f64", {"Div": 4}), region("move", {}))
    )
    assert "move: its instruction occupies no unit" in said
    general, unknown = (
        line for line in said.split("\n") if "more general" in line or "no figure" in line
    )
    assert "div.f64.simd32" in general and "add.float" not in general
    assert "div.f32.simd32" in unknown and "move.simd" in unknown
    assert "caches, memory, clock and cores are those of generic-avx2" in said


def test_the_base_is_the_machine_with_the_core(tmp_path: Path) -> None:
    text = tables(region("add.float", ADD), cpu="znver4")
    imported(tmp_path, text, base=None)
    assert "\nextends: zen4-9654\n" in (tmp_path / "mine.yaml").read_text()
    with pytest.raises(UsageError, match="core 'newcore'; name the machine that lends"):
        imported(tmp_path, tables(region("add.float", ADD)), base=None)


ONE = region("add.float", ADD)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (tables(ONE | {"Name": ""}), "a region called '', expected one such as add.f64.simd"),
        (tables(ONE | {"Name": "add: x"}), "a region called 'add: x'"),
        (tables(ONE | {"Name": "vadd"}), "unknown operation class 'vadd'"),
        (tables(ONE, ONE), "add.float: two regions with this name"),
        (tables(ONE | {"InstructionInfoView": {"InstructionList": []}}), "one instruction, got 0"),
        (tables(region("move", {})), "no region has an instruction that occupies a unit"),
        (tables(), "no region"),
        (tables(ONE | {"SummaryView": {"DispatchWidth": 6}}), "a simulation, expected tables"),
        (tables(ONE).replace('"ResourceIndex": 1', '"ResourceIndex": 8'), "unit 8 of 8"),
        (tables(ONE).replace('"ResourceIndex": 1', '"ResourceIndex": -1'), "no tables of llvm-mca"),
        (tables(ONE).replace('"Latency"', '"Lat"'), "missing required field `Latency`"),
        (tables(ONE)[:-1], "no tables of llvm-mca"),
        (tables(ONE, arch="aarch64"), "instructions of aarch64, but generic-avx2 is x86_64"),
    ],
)
def test_a_broken_file_is_one_error(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        imported(tmp_path, text)
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)
    assert caught.value.file == str(tmp_path / "core.json")


@pytest.mark.parametrize(
    ("files", "base", "least"),
    [(("avx2.s",), "generic-avx2", 30), (("avx2.s", "avx512.s"), "skylake-sp-6148", 60)],
)
def test_the_listings_name_operations(files: tuple[str, ...], base: str, least: int) -> None:
    lines = "".join((LISTINGS / file).read_text() for file in files).splitlines()
    names = [line.rpartition(" ")[2] for line in lines if line.startswith("# LLVM-MCA-BEGIN")]
    said = losses(tables(*[region(name, ADD) for name in names]), base)
    assert len(names) > least
    widest = next((line for line in said.split("\n") if "more general" in line), "")
    assert "add.float" not in widest and "simd64" not in widest


def test_the_command_takes_a_base_for_llvm_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, output = tmp_path / "core.json", tmp_path / "box.yaml"
    source.write_text(tables(ONE))
    words = ["machine", "import", str(source), "-o", str(output)]
    assert run([*words, "--base", "generic"]) == 0
    assert load_machine(output, DIRS).name == "box"
    assert "no figure" in capsys.readouterr().err
    assert run(words) == 2
    assert "--base NAME" in capsys.readouterr().err
    assert run([*words, "--base", "nonesuch"]) == 2
    source.write_text("clock: 1 GHz\n")
    assert run([*words, "--base", "generic"]) == 2
    assert "--base is for JSON of llvm-mca" in capsys.readouterr().err
