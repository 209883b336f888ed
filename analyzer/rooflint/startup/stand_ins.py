"""Modules of others without what only their rarer functions need.

The standard library's and msgspec's own modules import, on top, whatever any of their functions may
need: 8 ms of a start, for none of what a command does. While they are imported here, stand-ins take
the place of these parts; whoever imports one of them later gets it itself.
"""

import os
import sys
from types import ModuleType

TYPE_CHECKING = False  # a type checker takes it as true; to import ``typing`` takes 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Names = Mapping[str, object]
    """Of a module, with what they stand for."""


def _number_form(one: str, many: str, number: int) -> str:
    return one if number == 1 else many


def _system() -> str:
    return os.uname().sysname


OF_PATHLIB: "Mapping[str, Names | None]" = {"urllib.parse": {}}
"""Paths as URLs."""
OF_ARGPARSE: "Mapping[str, Names | None]" = {
    "gettext": {"gettext": str, "ngettext": _number_form},
}
"""Messages in the user's language, of which Python comes with none."""
OF_MSGSPEC: "Mapping[str, Names | None]" = {
    "typing_extensions": None,  # it takes from there what ``typing`` has since 3.11
    "msgspec._json_schema": {},
    "msgspec.inspect": {},
    "msgspec.toml": {},
    "msgspec.yaml": {},
    # ``uuid`` asks it for the name of the system when it is imported, and for nothing else
    **({"platform": {"system": _system}} if hasattr(os, "uname") else {}),
}


class StandIn(ModuleType):
    """A module that is imported when one of its functions is called, or its names are asked for.

    ``names``: what it has without that.
    """

    def __init__(self, name: str, names: "Names") -> None:
        super().__init__(name)
        vars(self).update(names)
        self._is_waiting = True

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if not self._is_waiting:
            return getattr(self._module(), name)

        def function(*arguments: object, **named: object) -> object:
            self.give_way()
            found: Callable[..., object] = getattr(self._module(), name)
            return found(*arguments, **named)

        return function

    def give_way(self) -> None:
        """From now on, whoever imports the module gets the module itself."""
        self._is_waiting = False
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]

    def _module(self) -> ModuleType:
        __import__(self.__name__)
        return sys.modules[self.__name__]


class Absence:
    """Inside, stand-ins take the place of modules that are not there yet; None: of none."""

    def __init__(self, parts: "Mapping[str, Names | None]") -> None:
        self._parts = {name: names for name, names in parts.items() if name not in sys.modules}
        self._waiting: list[StandIn] = []

    def __enter__(self) -> None:
        for name, names in self._parts.items():
            if names is None:
                sys.modules[name] = None  # type: ignore[assignment] # an import of it fails
            else:
                self._waiting.append(StandIn(name, names))
                sys.modules[name] = self._waiting[-1]

    def __exit__(self, *error: object) -> None:
        for each in self._waiting:
            each.give_way()
        for name, names in self._parts.items():
            if names is None:
                sys.modules.pop(name, None)


def import_others() -> None:
    """Imports what every command needs of others, without what none of them needs."""
    with Absence(OF_PATHLIB):
        import pathlib  # noqa: F401, PLC0415 - here, as the others below, without its parts
    with Absence(OF_ARGPARSE):
        import argparse  # noqa: F401, PLC0415
    with Absence(OF_MSGSPEC if "msgspec" not in sys.modules else {}):
        import msgspec  # noqa: F401, PLC0415
