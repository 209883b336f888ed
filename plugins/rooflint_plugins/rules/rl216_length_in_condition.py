from collections.abc import Iterator
from functools import partial

from rooflint.ir import Call
from rooflint.plugin_api.rule import Action, ActionKind, Change, Fix, Guard, Match, RuleContext
from rooflint.rule_kit.copies import LocalCopy, copy_edits
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.features import CodeFeature
from rooflint.rule_kit.queries import innermost
from rooflint.source_edit.edits import EditableSource
from rooflint.transform.nest.tree import Site
from rooflint.transform.repeated_calls import (
    condition_length,
    count_once,
    length_changers,
    stores_into,
)
from rooflint.transform.result import ChangedFunction


def _hoisted(match: Match, context: RuleContext) -> str:
    own = context.sites[match.place].loop
    call = condition_length(own)
    if context.compiler.level < 1 or call is None:
        return ""
    (text,) = call.arrays
    if stores_into(own, text) or length_changers(context.function, own, call):
        return ""
    return f"nothing in the loop can change {text}: compilers count it once themselves"


class LengthInCondition(RuleDefaults):
    code = "RL216"
    slug = "length-in-condition"
    requires = (CodeFeature.CALL, CodeFeature.EARLY_EXIT)
    summary = "the condition of a loop counts the characters of a string in every iteration"
    guards = (Guard("hoisted", "nothing in the loop can change the string", _hoisted),)

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops whose condition calls ``strlen`` of a string that stays the same."""
        for site, _ in innermost(context):
            call = condition_length(site.loop)
            if call is not None:
                yield _match(context, site, call)


RULE = LengthInCondition()


def _match(context: RuleContext, site: Site, call: Call) -> Match:
    length = f"{call.name}({call.arrays[0]})"
    return Match(
        site.name,
        f"{length} counts all characters in every iteration, as the loop may change them",
        (
            Change(
                f"counting once, if the loop writes no 0 into {call.arrays[0]}"
                if stores_into(site.loop, call.arrays[0])
                else "counting once before the loop",
                partial(count_once, loop=site.name),
                fix=partial(_fix, context, site, length),
                action=Action(ActionKind.HOIST, length),
            ),
        ),
        names=call.arrays,
    )


def _fix(context: RuleContext, site: Site, length: str, _: ChangedFunction) -> Fix:
    copy = LocalCopy(expression=length, type="const size_t")
    span = context.source.spans[site.loop.origin]
    edits = copy_edits(EditableSource(context.text), span, (copy,))
    sketch = f"// before the loop\n{copy.declaration('length')}"
    return Fix(safety="unsafe", title="count once", edits=edits, sketch="" if edits else sketch)
