"""RL310: flags that leave part of the machine unused, once for a file."""

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import (
    Change,
    Guard,
    Match,
    RuleContext,
    Setup,
    UnitContext,
    UnitMatch,
)

TARGETS: Final = ("target(", "__builtin_cpu_supports", "ifunc", "target_clones")


def _per_function(match: Match, context: RuleContext) -> str:
    found = [word for word in TARGETS if word in context.text]
    return f"the file picks its instructions at run time ({found[0]})" if found else ""


def _assumed(match: Match, context: RuleContext) -> str:
    return "nobody gave flags" if context.compiler.assumed else ""


class FlagsBelowMachine:
    """The vectors that the processor has, and the compiler may not use."""

    code = "RL310"
    slug = "flags-below-machine"
    summary = "the compile flags leave vectors of the machine unused"
    aliases = ("RMK015", "PWR053")
    status: Literal["stable", "preview", "structural"] = "stable"
    models = ("ecm", "bounds")
    needs = ("core",)
    guards = (
        Guard("assumed", "no flags are known", _assumed),
        Guard("target-attribute", "the file has code for several targets", _per_function),
    )

    def match_unit(self, unit: UnitContext) -> Iterator[UnitMatch]:
        """A file whose flags are for less than the machine, or vectorise little."""
        if not unit.functions:
            return
        compiler = unit.compiler
        simd = unit.machine.simd
        wide = simd is not None and simd.isa.startswith("avx") and compiler.baseline
        weak = not compiler.vectorises or compiler.whole_vectors_only
        if not (wide or weak) or not compiler.vectorise:
            return
        better = compiler._replace(level=max(3, compiler.level), baseline=False)
        flags = ["-O3"] if weak else []
        flags += ["-march=native"] if wide else []
        loops = sum(facts.kernel.innermost for each in unit.functions for facts in each.facts)
        if simd is None or not loops:
            return
        used = (
            0
            if not compiler.vectorises
            else min(16 if compiler.baseline else 64, simd.register_bytes)
        )
        words = " ".join(flags)
        yield UnitMatch(
            unit.functions[0],
            Match(
                "",
                f"built by {compiler}: {used} of {simd.register_bytes} B vectors used in"
                f" {loops} innermost loop{'s' if loops > 1 else ''}",
                (Change(words, None, Setup(compiler=better), partial(_fix, words)),),
                origin=-1,
            ),
            whole=True,
        )


RULE = FlagsBelowMachine()


def _fix(flags: str, _: object) -> Fix:
    return Fix("unsafe", flags, sketch=f"compile with {flags}; it will not run on older processors")
