"""Procedures of a loop nest: streamed through the coprocessors, or resident in them.

Every class becomes a procedure in the language of procedure files, so it can be printed, edited,
evaluated and overridden like one that somebody wrote.
"""

from rooflint.hybrid.pages import Cut
from rooflint.hybrid.resident import resident, single
from rooflint.hybrid.streamed import Blocks, Candidate, streamed
from rooflint.hybrid.system import System


def candidates(
    name: str, found: Cut, system: System, blocks: Blocks | None = None
) -> tuple[Candidate, ...]:
    """The classes of a nest on a system, those that cannot be with the reason.

    ``blocks`` remembers what the search for blocks found, for the same nest at other sizes.
    """
    known = {} if blocks is None else blocks
    made = [
        streamed(name, found, system, known, passing=False),
        streamed(name, found, system, known, passing=True),
    ]
    if found.between:
        made += [Candidate(shape, None, found.between) for shape in ("C1", "C2")]
    else:
        made += [single(name, found), resident(name, found, system)]
    return tuple([candidate for candidate in made if candidate is not None])
