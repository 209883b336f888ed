"""The functions that pointers lead to."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from rooflint.ir.equations import Equations, PointerCall

Keys: TypeAlias = "Mapping[str, None]"
"""Keys of functions, in an order of their own."""


class PointerTargets:
    """The functions that calls through pointers may run, by their keys.

    What holds a pointer leads to the functions whose addresses flow to it; where none does, or
    where no name holds it, to all of its type whose addresses are taken.
    """

    def __init__(self, files: Iterable[Equations]) -> None:
        self._of_types: dict[str, dict[str, None]] = {}
        self._sources: dict[str, dict[str, None]] = {}
        self._of_holders: dict[str, Keys] = {}
        self.names: dict[str, str] = {}
        """Functions whose addresses are taken, by their keys."""
        self.signatures: dict[str, str] = {}
        """Their types, by their keys."""
        for file in files:
            for address in file.addresses:
                function = file.quantities[address.function]
                self._of_types.setdefault(address.signature, {})[function.key] = None
                self.names[function.key] = function.name
                self.signatures[function.key] = address.signature
            for flow in file.pointer_flows:
                self._sources.setdefault(flow.holder, {})[flow.source] = None

    def of_call(self, call: PointerCall) -> Keys:
        """The functions that a call may run."""
        return self.of_holder(call) or self.of_type(call.signature)

    def of_holder(self, call: PointerCall) -> Keys:
        """The functions whose addresses reach what holds the pointer of a call."""
        found = self._of_holders.get(call.holder)
        if found is None:
            found = self._of_holders[call.holder] = self._flowing_to(call.holder)
        return found

    def of_type(self, signature: str) -> Keys:
        """The functions of a type whose addresses are taken."""
        return self._of_types.get(signature, {})

    def _flowing_to(self, holder: str) -> Keys:
        """The functions whose addresses reach what holds a pointer, in the order of the files."""
        seen = {holder: None}
        waiting = [holder]
        while waiting:
            for source in self._sources.get(waiting.pop(), ()):
                if source not in seen:
                    seen[source] = None
                    waiting.append(source)
        return {each: None for each in seen if each in self.names}
