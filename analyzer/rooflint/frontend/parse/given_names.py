"""The names of files as the user gave them: libclang gets absolute ones, and people do not."""

import os
from collections.abc import Sequence


class GivenNames:
    """Translates the absolute names of a source file and of the headers beside it back."""

    def __init__(self, given: str, absolute: str, included: Sequence[str]) -> None:
        """``given`` is the source file's name as it was asked for, ``absolute`` that for libclang.

        ``included`` are the names under which libclang opened the headers.
        """
        self._given = given
        self._absolute = absolute
        self._given_folder = os.path.dirname(given) or os.curdir
        self._folder = os.path.dirname(absolute) + os.sep
        self._included = included

    def given(self, name: str) -> str:
        """A file's name as it would be, had libclang got the source file's name as given."""
        if self._given == self._absolute or not name.startswith(self._folder):
            return name
        if name == self._absolute:
            return self._given
        return os.path.join(self._given_folder, name[len(self._folder) :])

    def in_text(self, text: str) -> str:
        """A text of libclang's with these files' names as given.

        It names files where a type has no name: ``(unnamed struct at a.c:3:1)``.
        """
        if self._given == self._absolute or self._folder not in text:
            return text
        # a longer name may begin with a shorter one
        for name in sorted((self._absolute, *self._included), key=len, reverse=True):
            if name in text:
                text = text.replace(name, self.given(name))
        return text
