from collections.abc import Iterator
from typing import Final

from rooflint.core import Compiler
from rooflint.machine import Machine, Simd
from rooflint.plugin_api.rule import (
    Guard,
    Match,
    RuleContext,
    UnitContext,
    UnitMatch,
)
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.flags import flag_change
from rooflint.rule_kit.queries import mention

TARGETS: Final = ("target(", "__builtin_cpu_supports", "ifunc", "target_clones")


def _per_function(match: Match, context: RuleContext) -> str:
    found = mention(context, TARGETS)
    return f"the file selects its instructions at run time ({found})" if found else ""


def _assumed(match: Match, context: RuleContext) -> str:
    return "the compile flags are unknown" if context.compiler.assumed else ""


class FlagsBelowMachine(RuleDefaults):
    code = "RL310"
    slug = "flags-below-machine"
    summary = "the compile flags leave vectors of the machine unused"
    aliases = ("RMK015", "PWR053")
    needs = ("core",)
    guards = (
        Guard("assumed", "the flags are unknown", _assumed),
        Guard("target-attribute", "the file has code for several targets", _per_function),
    )

    def match_unit(self, unit: UnitContext) -> Iterator[UnitMatch]:
        """A file whose flags are for less than the machine, or vectorise little."""
        if not unit.functions or not unit.compiler.vectorise:
            return
        flags = _missing_flags(unit.compiler, unit.machine)
        simd = unit.machine.simd
        loops = sum(facts.kernel.innermost for each in unit.functions for facts in each.facts)
        if not flags or simd is None or not loops:
            return
        compiler, words = unit.compiler, " ".join(flags)
        better = compiler._replace(level=max(3, compiler.level), baseline=False)
        match = Match(
            "",
            f"built by {compiler}: {_used_bytes(compiler, simd)} of {simd.register_bytes} B vectors"
            f" used in {loops} innermost loop{'s' if loops > 1 else ''}",
            (flag_change(words, better, "; it will not run on older processors"),),
        )
        yield UnitMatch(unit.functions[0], match, whole=True)


RULE = FlagsBelowMachine()


def _missing_flags(compiler: Compiler, machine: Machine) -> list[str]:
    simd = machine.simd
    wide = simd is not None and simd.isa.startswith("avx") and compiler.baseline
    weak = not compiler.vectorises or compiler.whole_vectors_only
    return ["-O3"] * weak + ["-march=native"] * wide


def _used_bytes(compiler: Compiler, simd: Simd) -> int:
    if not compiler.vectorises:
        return 0
    return min(16 if compiler.baseline else 64, simd.register_bytes)
