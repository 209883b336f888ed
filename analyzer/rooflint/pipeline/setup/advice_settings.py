"""Settings of the advice, from a configuration to the process that loads rules."""

from rooflint.config.lint_settings import LintOverrides, Pattern, Policy
from rooflint.plugin_api.action import Confidence
from rooflint.records import NamedTuple


class AdviceSettings(NamedTuple):
    """The part of ``LintOverrides`` on which advice rests.

    off      rules that are off, by path
    in_full  as in ``Options``
    """

    select: tuple[str, ...] | None
    ignore: tuple[str, ...]
    min_gain: float | None
    min_time_s: float | None
    min_confidence: Confidence | None
    policy: Policy | None
    preview: bool
    off: tuple[tuple[Pattern, tuple[str, ...]], ...]
    in_full: bool

    @property
    def overrides(self) -> LintOverrides:
        """The same as a configuration has it."""
        return LintOverrides(
            select=self.select,
            ignore=self.ignore,
            min_gain=self.min_gain,
            min_time_s=self.min_time_s,
            min_confidence=self.min_confidence,
            policy=self.policy,
            preview=self.preview,
            per_file=dict(self.off),
        )


def advice_settings(configured: LintOverrides, *, in_full: bool) -> AdviceSettings:
    """Those of a configuration."""
    return AdviceSettings(
        select=configured.select,
        ignore=configured.ignore,
        min_gain=configured.min_gain,
        min_time_s=configured.min_time_s,
        min_confidence=configured.min_confidence,
        policy=configured.policy,
        preview=configured.preview,
        off=tuple(configured.per_file.items()),
        in_full=in_full,
    )
