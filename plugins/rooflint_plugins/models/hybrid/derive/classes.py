"""Procedures of a loop nest: streamed through the coprocessors, or resident in them.

Every class becomes a procedure in the language of procedure files, so it can be printed, edited,
evaluated and overridden like one that somebody wrote.
"""

from rooflint_plugins.models.hybrid.derive.pages import PagedNest
from rooflint_plugins.models.hybrid.derive.resident import resident_class, single_class
from rooflint_plugins.models.hybrid.derive.streamed import BlockMemo, ClassCandidate, streamed_class
from rooflint_plugins.models.hybrid.evaluate.system import System


def candidates(
    name: str, found: PagedNest, system: System, blocks: BlockMemo | None = None
) -> tuple[ClassCandidate, ...]:
    """The classes of a nest on a system, those that cannot be with the reason.

    ``blocks`` remembers what the search for blocks found, for the same nest at other sizes.
    """
    known = {} if blocks is None else blocks
    made = [
        streamed_class(name, found, system, known, passing=False),
        streamed_class(name, found, system, known, passing=True),
    ]
    if found.between:
        made += [ClassCandidate(shape, None, found.between) for shape in ("C1", "C2")]
    else:
        made += [single_class(name, found), resident_class(name, found, system)]
    return tuple([candidate for candidate in made if candidate is not None])
