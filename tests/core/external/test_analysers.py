"""Figures from what llvm-mca and OSACA print; the texts are written by hand."""

import json

import pytest
from rooflint.core.external import mca, osaca
from rooflint.core.external.figures import ExternalFailure, PassFigures, as_figures, as_text
from rooflint.core.external.measure import split


def mca_report(**changes: float) -> str:
    """Load, add, store, jump on a core with one adder and two units for loads and addresses."""
    report = {
        "CodeRegions": [
            {
                "InstructionInfoView": {
                    "InstructionList": [
                        {"Instruction": 0, "mayLoad": True, "mayStore": False},
                        {"Instruction": 1, "mayLoad": False, "mayStore": False},
                        {"Instruction": 2, "mayLoad": False, "mayStore": True},
                        {"Instruction": 3, "mayLoad": False, "mayStore": False},
                    ]
                },
                "ResourcePressureView": {
                    "ResourcePressureInfo": [
                        {"InstructionIndex": 0, "ResourceIndex": 2, "ResourceUsage": 0.75},
                        {"InstructionIndex": 0, "ResourceIndex": 3, "ResourceUsage": 0.25},
                        {"InstructionIndex": 1, "ResourceIndex": 0, "ResourceUsage": 1},
                        {"InstructionIndex": 2, "ResourceIndex": 1, "ResourceUsage": 1},
                        {"InstructionIndex": 2, "ResourceIndex": 3, "ResourceUsage": 0.5},
                        {"InstructionIndex": 3, "ResourceIndex": 0, "ResourceUsage": 0.5},
                        # the sums of a pass, which stand behind the last instruction
                        {"InstructionIndex": 4, "ResourceIndex": 0, "ResourceUsage": 1.5},
                    ]
                },
                "SummaryView": {
                    "BlockRThroughput": 1.5,
                    "DispatchWidth": 4,
                    "Iterations": 500,
                    "TotalCycles": 2000,
                    "TotaluOps": 2000,
                    **changes,
                },
            }
        ],
        "TargetInfo": {"Resources": ["ABPort1", "ABPort4", "ABPort23.\0", "ABPort23.\x01"]},
    }
    return json.dumps(report)


def parsed(text: str, ports: str = "23") -> PassFigures:
    found = mca.parse_report(text, "LLVM 19", ports)
    assert isinstance(found, PassFigures), found
    return found


def test_mca_adds_up_by_port_and_tells_loads_apart() -> None:
    found = parsed(mca_report())
    assert found.cycles == 4.0  # 2000 / 500
    assert found.throughput_cy == 1.5
    assert found.load_cy == 0.75
    assert found.ports == {"ABPort1": 1.5, "ABPort4": 1.0, "ABPort23.0": 0.75, "ABPort23.1": 0.75}
    # the adder and branch unit with 1.5, more than 4 micro-operations over 4 a cycle
    assert found.other_cy == 1.5
    assert found.uops == 4.0


def test_mca_issue_width_counts_among_what_overlaps() -> None:
    assert parsed(mca_report(TotaluOps=4000)).other_cy == 2.0  # 8 / 4


def test_mca_without_known_load_ports_tells_nothing_apart() -> None:
    assert parsed(mca_report(), "").load_cy is None


def test_mca_before_release_15_prints_a_table_behind() -> None:
    assert parsed(f"\n{mca_report()}\n\nTimeline view:\n").cycles == 4.0


@pytest.mark.parametrize("text", ["", "{}", '{"CodeRegions": []}', "no JSON"])
def test_mca_output_of_another_kind_is_refused(text: str) -> None:
    found = mca.parse_report(text, "")
    assert isinstance(found, ExternalFailure)
    assert found.reason.startswith("llvm-mca's output is not understood")


OSACA = """Open Source Architecture Code Analyzer (OSACA) - 0.0.0
Combined Analysis Report
------------------------
                           Port pressure in cycles
     |  0   - 0DV  |  1   |  2   -  2D  |  3   -  3D  |  4   ||  CP  | LCD  |
----------------------------------------------------------------------------
   1 |             |      | 0.50   0.50 | 0.50   0.50 |      ||      |      |   vmovupd (%rsi), %ymm1
   2 | 0.50        | 0.50 | 0.50   0.50 | 0.50   0.50 |      ||  4.0 |      |   vaddpd (%rdi), %ymm1, %ymm1
   3 |             |      | 0.50        | 0.50        | 1.00 ||  0.0 |  8.0 |   vmovupd %ymm1, (%rdi)
   4 |             |      |             |             |      ||      |      | * jne .L1

       0.50          0.50   1.50   1.00   1.50   1.00   1.00     12.0   8.0


Loop-Carried Dependencies Analysis Report
-----------------------------------------
"""  # noqa: E501


def test_osaca_sums_by_port_with_empty_places_as_none() -> None:
    found = osaca.parse_table(OSACA, "0.0.0", "23")
    assert isinstance(found, PassFigures), found
    assert found.ports == {
        "0": 0.5, "0DV": 0.0, "1": 0.5, "2": 1.5, "2D": 1.0, "3": 1.5, "3D": 1.0, "4": 1.0,
    }  # fmt: skip
    assert found.load_cy == 1.0  # the data paths, not the address units
    assert found.other_cy == 1.5
    assert (found.cycles, found.throughput_cy, found.latency_cy) == (8.0, 1.5, 8.0)
    assert found.uops == 4.0


def test_osaca_unknown_instructions_are_refused_but_jumps() -> None:
    unknown = OSACA.replace("|   vaddpd", "| X vaddpd")
    assert osaca.parse_table(unknown, "") == ExternalFailure(
        "OSACA does not know the instruction vaddpd"
    )
    assert isinstance(osaca.parse_table(OSACA.replace("* jne", "X jne"), ""), PassFigures)


@pytest.mark.parametrize("text", ["", OSACA.replace("1.00     12.0   8.0", "1.00")])
def test_osaca_output_of_another_kind_is_refused(text: str) -> None:
    assert isinstance(osaca.parse_table(text, ""), ExternalFailure)


def figures(cycles: float, load: float | None, other: float) -> PassFigures:
    return PassFigures("llvm-mca", "", cycles, cycles, load, other, None, 4.0, {})


def test_loads_that_bind_are_non_overlapping_and_the_ports_stay_apart() -> None:
    assert split(figures(8.0, 8.0, 6.0), loads_overlap=False) == (6.0, 8.0)


def test_latency_overlaps() -> None:
    assert split(figures(20.0, 8.0, 6.0), loads_overlap=False) == (20.0, 8.0)


def test_on_a_core_whose_loads_overlap_all_of_it_does() -> None:
    assert split(figures(8.0, 8.0, 6.0), loads_overlap=True) == (8.0, 0.0)
    assert split(figures(8.0, None, 6.0), loads_overlap=True) == (8.0, 0.0)


def test_loads_not_told_apart_are_left_open() -> None:
    assert split(figures(8.0, None, 6.0), loads_overlap=False) == (8.0, None)


def test_figures_survive_the_store() -> None:
    found = parsed(mca_report())
    assert as_figures(as_text(found)) == found
    assert as_figures("[1, 2]") is None
    assert as_figures("no JSON") is None
