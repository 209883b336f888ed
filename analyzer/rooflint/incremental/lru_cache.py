"""A few things that were used last, for what is asked again and again."""

from collections import OrderedDict
from typing import Generic, TypeVar

Name = TypeVar("Name")
Thing = TypeVar("Thing")


class Recent(OrderedDict[Name, Thing], Generic[Name, Thing]):
    """The things last used, no more than ``limit`` of them."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def recall(self, name: Name) -> Thing | None:
        """What was kept under the name, if it still is."""
        if name in self:
            self.move_to_end(name)
        return self.get(name)

    def keep(self, name: Name, thing: Thing) -> Thing:
        """Keep a thing, and forget the one that was not used for longest."""
        self[name] = thing
        self.move_to_end(name)
        while len(self) > self.limit:
            self.popitem(last=False)
        return thing
