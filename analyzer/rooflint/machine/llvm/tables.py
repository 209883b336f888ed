"""The output of ``llvm-mca --json -instruction-tables``, typed."""

from typing import Annotated, Any, TypeAlias

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Cycles: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class UnitPressure(msgspec.Struct, frozen=True, kw_only=True, rename="pascal"):
    """Cycles for which an instruction occupies a unit, an average over its alternatives."""

    instruction_index: Count
    resource_index: Count
    resource_usage: Cycles


class PressureTable(msgspec.Struct, frozen=True, kw_only=True):
    """One entry for each instruction and unit; the totals have the number after the last."""

    pressures: tuple[UnitPressure, ...] = msgspec.field(name="ResourcePressureInfo")


class InstructionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Latency and reciprocal throughput in cycles."""

    latency_cy: Cycles = msgspec.field(name="Latency")
    uops: Count = msgspec.field(name="NumMicroOpcodes")
    reciprocal_cy: Cycles = msgspec.field(name="RThroughput")
    stores: bool = msgspec.field(name="mayStore")


class InstructionTable(msgspec.Struct, frozen=True, kw_only=True):
    """One entry for each instruction."""

    figures: tuple[InstructionFigures, ...] = msgspec.field(name="InstructionList")


class CodeRegion(msgspec.Struct, frozen=True, kw_only=True):
    """The instructions between two markers; ``summary`` is there after a simulation alone."""

    name: str = msgspec.field(name="Name")
    table: InstructionTable = msgspec.field(name="InstructionInfoView")
    pressure: PressureTable = msgspec.field(name="ResourcePressureView")
    summary: Any = msgspec.field(name="SummaryView", default=None)


class LlvmTarget(msgspec.Struct, frozen=True, kw_only=True):
    """LLVM's name for the core, and its units; a unit of several ends in ``.`` and a number."""

    cpu: str = msgspec.field(name="CPUName")
    units: tuple[str, ...] = msgspec.field(name="Resources")


class LlvmParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The options that decide what was asked."""

    arch: str = msgspec.field(name="-march", default="")


class LlvmTables(msgspec.Struct, frozen=True, kw_only=True):
    """The output of ``llvm-mca --json``."""

    target: LlvmTarget = msgspec.field(name="TargetInfo")
    regions: tuple[CodeRegion, ...] = msgspec.field(name="CodeRegions")
    parameters: LlvmParameters = msgspec.field(
        name="SimulationParameters", default=LlvmParameters()
    )
