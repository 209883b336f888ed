"""The start of a command's process: the program's own modules are imported without a search, those
that a command always needs from one file, and modules of others without their rarer parts.
"""

import os

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

QUESTION_SECTION = "question"
"""Of a bundle: modules of the process that the user starts, until it knows whether it has an
answer."""
COMMAND_SECTION = "command"
"""Of a bundle: modules of the process that the user starts."""
CHILD_SECTION = "child"
"""Of a bundle: modules of a process that reads and analyses files."""


def load_command(command: str, sections: "Mapping[str, Callable[[], object]]") -> None:
    """Loads the modules of a command from its bundle, and has its children do so.

    ``sections``: for each, a function that imports its modules; those of the first one are loaded
    now. A bundle is written first if there is none that counts; without one, each module is loaded
    where it is imported.
    """
    from rooflint.startup.own_modules import own_finder

    finder = own_finder()
    if finder is None or finder.bundle is not None:
        return
    from rooflint.startup.module_bundle import read_bundle

    folder = os.path.join(os.path.dirname(__file__), "__pycache__")
    path = os.path.join(folder, f"{command}.{finder.cache_tag}.bundle")
    finder.bundle = read_bundle(path)
    if finder.bundle is None:
        from rooflint.startup.bundle_writing import write_bundle

        if write_bundle(path, finder, sections):
            finder.bundle = read_bundle(path)
    load_section(next(iter(sections)))


def load_section(section: str) -> None:
    """Loads modules of the bundle that this process uses, if it uses one."""
    from rooflint.startup.own_modules import own_finder

    finder = own_finder()
    if finder is not None and finder.bundle is not None:
        finder.bundle.load(section)
