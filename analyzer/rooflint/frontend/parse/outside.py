"""Files that source names and that are none of its project's business: their text is not shown.

``#include "/home/me/.netrc"`` makes a compiler quote that file in its messages, and a report may be
read by others than the one whose computer makes it.
"""

import os
from functools import lru_cache
from typing import Final

from rooflint.compile_flags import options
from rooflint.compile_flags.guess import MAX_LEVELS, PROJECT_ROOT

NAMED_AS_SOURCE: Final = frozenset((*options.EXTENSIONS, ".inc", ".def", ".tbl", ".cuh"))
MARKS: Final = (*PROJECT_ROOT, "compile_commands.json")


def is_outside(name: str, source: str) -> bool:
    """Whether ``name``, which ``source`` includes, has no name of a header and is not in its tree.

    The tree is below the nearest folder with the marks of a project, else the source's own folder.
    """
    real = os.path.realpath(name)
    if os.path.splitext(real)[1] in NAMED_AS_SOURCE:
        return False
    root = _tree_of(os.path.dirname(os.path.realpath(source)))
    return not real.startswith(root.rstrip(os.sep) + os.sep)


@lru_cache(maxsize=64)
def _tree_of(folder: str) -> str:
    place = folder
    for _ in range(MAX_LEVELS):
        if any(os.path.exists(os.path.join(place, mark)) for mark in MARKS):
            return place
        place = os.path.dirname(place)
    return folder
