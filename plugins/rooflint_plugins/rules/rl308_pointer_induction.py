from collections.abc import Iterator

from rooflint.plugin_api.rule import Match, RelatedNode, RuleContext
from rooflint.rule_kit.defaults import RuleDefaults
from rooflint.rule_kit.queries import accesses_of, innermost


class PointerInduction(RuleDefaults):
    code = "RL308"
    slug = "pointer-induction"
    summary = "a pointer walks through an array where an index would do"
    aliases = ("PWR028", "PWR086")
    status = "structural"

    def match(self, context: RuleContext) -> Iterator[Match]:
        """Innermost loops with accesses through pointers that move with the loop."""
        for site, _ in innermost(context):
            walked = {
                access.array: origin
                for access, origin in accesses_of(site.loop)
                if not access.subscripts and site.loop.index in access.offset.names()
            }
            if walked:
                names = list(walked)
                yield Match(
                    site.name,
                    f"{', '.join(names[:3])} walked by a pointer:"
                    " an index would show the accessed element",
                    related=tuple(
                        [RelatedNode(o, f"{n} is touched here") for n, o in walked.items()]
                    ),
                )


RULE = PointerInduction()
