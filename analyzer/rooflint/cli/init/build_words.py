"""The words for the build system of a tree, and the doubts that go with it."""

from rooflint.compile_flags.build_system import BuildKind, BuildSystem
from rooflint.compile_flags.find_flags import DATABASE

SHOWN_NAMES = 5
"""Of presets, databases and subfolders that are named; the others are counted."""
_WORDS = {
    BuildKind.CMAKE_PRESETS: "CMake with presets",
    BuildKind.CMAKE: "CMake",
    BuildKind.MESON: "Meson",
    BuildKind.CONFIGURE: "configure script",
    BuildKind.MAKE: "Makefile",
    BuildKind.MAKE_SUBFOLDERS: "Makefiles in subfolders",
    BuildKind.NONE: "no build system known to Rooflint",
}
_OTHERS = {
    BuildKind.DATABASE: "older databases",
    BuildKind.CMAKE_PRESETS: "other presets",
    BuildKind.MAKE_SUBFOLDERS: "other subfolders",
}
_BEAR = (BuildKind.CONFIGURE, BuildKind.MAKE, BuildKind.MAKE_SUBFOLDERS)


def build_words(build: BuildSystem) -> str:
    """The build system, and whether there is a compile database."""
    if build.kind is BuildKind.DATABASE:
        return f"compile commands of {build.database}"
    return f"{_WORDS[build.kind]}; no {DATABASE} yet"


def build_doubts(build: BuildSystem) -> list[str]:
    """Everything about the flags that a user should check, each with its remedy."""
    doubts = []
    if build.kind is not BuildKind.DATABASE:
        remedy = "until the next command has run" if build.command else "set [flags] default"
        doubts.append(f"compiler flags are guessed: {remedy}")
    if build.kind in _BEAR:
        doubts.append("bear records what make compiles: clean the build first")
    if build.others:
        named = ", ".join(build.others[:SHOWN_NAMES])
        more = len(build.others) - SHOWN_NAMES
        rest = f" and {more} more" if more > 0 else ""
        doubts.append(f"{_OTHERS[build.kind]}: {named}{rest}")
    return doubts
