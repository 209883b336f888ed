"""Changes of the build instead of the source."""

from functools import partial

from rooflint.core import Compiler
from rooflint.plugin_api.advice import Fix
from rooflint.plugin_api.rule import Action, ActionKind, Change, Setup


def flag_change(flags: str, compiler: Compiler, effect: str = "") -> Change:
    """The build with ``flags``, priced as that of ``compiler``; ``effect`` ends the fix."""
    return Change(
        words=flags,
        setup=Setup(compiler=compiler),
        fix=partial(_fix, flags, effect),
        action=Action(ActionKind.FLAG, flags),
    )


def _fix(flags: str, effect: str, _: object) -> Fix:
    return Fix("unsafe", flags, sketch=f"compile with {flags}{effect}")
