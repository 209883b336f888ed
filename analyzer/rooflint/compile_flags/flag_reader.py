"""From a compile command to ``Flags``, past an allow-list.

Flags come from ``compile_commands.json`` of a tree that nobody has vouched for. Include paths,
macros, the language and its standard, the target and a few language switches get through
(``options``); nothing that loads code, writes a file or runs a program does.
OpenMP is turned into its macro, because libclang's own OpenMP mode hides the loops.
"""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rooflint.compile_flags import options
from rooflint.compile_flags.argv import MSVC_DRIVERS, expand, from_msvc, split_driver
from rooflint.compile_flags.flags import CodeGeneration, Flags, default_language
from rooflint.compile_flags.options import Language, is_header_name

OPENMP_VERSION: Final = 202011
OPENACC_VERSION: Final = 201711


def read_flags(
    argv: Sequence[str],
    directory: str,
    path: str,
    *,
    roots: Sequence[str] = (),
    language: Language | None = None,
) -> Flags:
    """Flags of ``path`` from a compile command or from what stands after ``--``.

    ``argv`` may start with the compiler. Relative paths are relative to ``directory``; response
    files are read below ``roots`` only. ``language`` wins over ``-x``, the driver's name and the
    file's extension: a header read with a source file's flags has its source's language.
    """
    driver, tokens = split_driver(argv)
    if driver.lower() in MSVC_DRIVERS:
        tokens = tuple(from_msvc(token) for token in tokens)
    opened = expand(tokens, directory, roots)
    reader = _FlagReader(directory, opened.notes)
    reader.code["driver"] = driver
    reader.read(opened.tokens)
    cross = re.fullmatch(options.CROSS_DRIVER, driver)
    if cross and reader.target is None and re.fullmatch(options.TARGET, cross[1]):
        reader.target = cross[1]
    return reader.flags(language or reader.language or default_language(path, driver))


def _value(
    token: str, rest: list[str], names: Iterable[str], *, joined: bool = True
) -> tuple[str, str] | None:
    """(name, value) when ``token`` is one of ``names``, its value joined to it, after = or next.

    ``rest`` is reversed: the next token is its last. A name at the end of the line has no value.
    """
    for name in names:
        if token == name:
            return name, _next(rest)
        if name.startswith("--"):
            if token.startswith(name + "="):
                return name, token[len(name) + 1 :]
        elif joined and token.startswith(name):
            return name, token[len(name) :]
    return None


def _next(rest: list[str]) -> str:
    """Takes the next token, empty at the end of the line; ``rest`` is reversed."""
    return rest.pop() if rest else ""


class _FlagReader:
    """Collects what one command line says; later options win over earlier ones."""

    def __init__(self, directory: str, notes: Sequence[str]) -> None:
        self.directory = directory
        self.language: Language | None = None
        self.std: str | None = None
        self.target: str | None = None
        self.march: str | None = None
        self.options: list[str] = []
        self.features: list[str] = []
        self.dropped: list[str] = []
        self.notes = list(notes)
        self.unclear: list[str] = []
        self.code: dict[str, Any] = {}

    def read(self, tokens: Sequence[str]) -> None:
        rest = list(reversed(tokens))
        while rest:
            token = rest.pop()
            if token == "--":
                return
            # What does not start with a dash is the source file or an input of the linker.
            if not token.startswith("-") or token in {"-", "-I-"}:
                continue
            if not any(take(self, token, rest) for take in _TAKERS):
                self._drop(token, rest)

    def flags(self, language: Language) -> Flags:
        standard = self._standard(language)
        kept = self.options
        if language != "c":
            kept = [o for o in kept if not re.fullmatch(options.C_ONLY_SWITCHES, o)]
        if self.code.get("openmp"):
            kept = [*kept, f"-D_OPENMP={OPENMP_VERSION}"]
        if self.unclear:
            self.notes.append(f"ignored unknown compiler flags: {' '.join(self.unclear)}")
        return Flags(
            language,
            standard,
            (*kept, *self._target_arguments()),
            CodeGeneration(
                march=self.march,
                target=self.target,
                features=tuple(feature[2:] for feature in self.features),
                **self.code,
            ),
            tuple(self.dropped),
            tuple(dict.fromkeys(self.notes)),
        )

    def _path_or_macro(self, token: str, rest: list[str]) -> bool:
        if found := _value(token, rest, options.FILE_OPTIONS, joined=False):
            self._file(options.FILE_OPTIONS[found[0]], found[1])
        elif found := _value(token, rest, options.DIRECTORY_OPTIONS):
            self._include_directory(options.DIRECTORY_OPTIONS[found[0]], found[1])
        elif found := _value(token, rest, options.MACRO_OPTIONS):
            # Without optimisation, glibc answers _FORTIFY_SOURCE with a warning and nothing else.
            if found[1] and not found[1].startswith("_FORTIFY_SOURCE"):
                self.options.append(options.MACRO_OPTIONS[found[0]] + found[1])
        else:
            return False
        return True

    def _dialect(self, token: str, rest: list[str]) -> bool:
        name, _, value = token.partition("=")
        if token == "-x" or (token.startswith("-x") and token[2:] in options.X_LANGUAGES):
            named = token[2:] or _next(rest)
            self.language = options.X_LANGUAGES.get(named, self.language)
        elif name in {"-std", "--std", "-cl-std"}:
            self.std = value or _next(rest) or None
        elif token == "-ansi":
            self.std = "ansi"
        else:
            return False
        return True

    def _language_switch(self, token: str, rest: list[str]) -> bool:
        del rest
        if re.fullmatch(options.LANGUAGE_SWITCHES, token) or (
            re.fullmatch(options.C_ONLY_SWITCHES, token)
        ):
            self.options.append(token)
            if token.endswith("fast-math"):
                self.code["fast_math"] = token == "-ffast-math"
        elif token in {"-stdlib=libc++", "-stdlib=libstdc++"}:
            self.options.append(token)
        elif token in {"-fopenacc", "-acc"}:
            self.options.append(f"-D_OPENACC={OPENACC_VERSION}")
        else:
            return False
        return True

    def _target(self, token: str, rest: list[str]) -> bool:
        name, _, value = token.partition("=")
        if name in {"--target", "-target"}:
            self._set_target(value or _next(rest))
        elif name in {"-march", "-mcpu"}:
            self.march = value
        elif re.fullmatch(options.TARGET_SWITCHES, token) or (
            re.fullmatch(options.ARM_SWITCHES, token)
        ):
            self.features.append(token)
        elif name in {"--gcc-toolchain", "--gcc-install-dir"} and value:
            self.options.append(f"{name}={self._absolute(value)}")
        else:
            return False
        return True

    def _set_target(self, target: str) -> None:
        if re.fullmatch(options.TARGET, target):
            self.target = target
        else:
            self._drop_with(f"--target={target}", "is unknown: using the default target")

    def _code_switch(self, token: str, rest: list[str]) -> bool:
        del rest
        name, _, _ = token.partition("=")
        if token.startswith("-O"):
            self.code["opt_level"] = token[2:] or "1"
            if token == "-Ofast":
                self.options.append("-ffast-math")
                self.code["fast_math"] = True
        elif name in options.OPENMP or name in options.NO_OPENMP:
            self.code["openmp"] = name in options.OPENMP
        elif token in options.CODE_SWITCHES:
            field, setting = options.CODE_SWITCHES[token]
            self.code[field] = setting
            if token == "-funsafe-math-optimizations":
                self.code["reciprocal_math"] = True
        else:
            return False
        return True

    def _code_value(self, token: str, rest: list[str]) -> bool:
        name, _, value = token.partition("=")
        if name in options.CODE_VALUES:
            self.code[options.CODE_VALUES[name]] = value
        elif name == "-mprefer-vector-width":
            self.code["prefer_vector_bits"] = int(value) if value.isdecimal() else None
        elif name == "-fp-model":
            self.code["fast_math"] = (value or _next(rest)).startswith("fast")
        else:
            return False
        return True

    def _drop(self, token: str, rest: list[str]) -> None:
        separate = token in options.SEPARATE_OPTIONS and bool(rest)
        shown = f"{token} {rest.pop()}" if separate else token
        if token.startswith(options.UNTRUSTED):
            self._drop_with(shown, "not passed on: flags of a build must not load code")
        elif token.startswith(options.MEANINGFUL):
            self._drop_with(shown, "not passed on: libclang has no such option")
        else:
            self.dropped.append(shown)
            if token.startswith(options.UNCLEAR) and not token.startswith(options.HARMLESS):
                self.unclear.append(shown)

    def _drop_with(self, flag: str, note: str) -> None:
        self.dropped.append(flag)
        self.notes.append(f"{flag} {note}")

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.directory, path))

    def _include_directory(self, name: str, value: str) -> None:
        if not value:
            return
        path = value if value.startswith("=/") else self._absolute(value)
        self.options.extend((name + path,) if name in {"-I", "-F"} else (name, path))

    def _file(self, name: str, value: str) -> None:
        if not value:
            return
        path = self._absolute(value)
        if not os.path.exists(path) and is_header_name(value):
            path = value  # left for the include path, where compilers look next
        if name == "-include":
            # The driver would replace a forced include by a precompiled header lying beside it,
            # and a stranger's binary must not be read; clang's own front end looks for none.
            self.options.extend(("-Xclang", "-include", "-Xclang", path))
        else:
            self.options.extend((name, path))

    def _standard(self, language: Language) -> str | None:
        """``-std`` where this language has it: an unknown one fails the whole parse."""
        known = options.STANDARDS[language]
        std = self.std
        if std is None:
            return None
        if std == "ansi":
            std = "c++98" if "c++98" in known else "c89"
        if std in known:
            return std
        nearest = options.NEWER_STANDARDS.get(std, "")
        if nearest in known:
            self.notes.append(f"-std={std} read as {nearest}")
            return nearest
        self.dropped.append(f"-std={std}")
        if not any(std in others for others in options.STANDARDS.values()):
            self.notes.append(f"-std={std} is unknown: using the default standard")
        return None

    def _target_arguments(self) -> list[str]:
        processor = self._processor()
        arguments = [] if self.target is None else [f"--target={self.target}"]
        for feature in self.features:
            if self.target is not None or re.fullmatch(options.TARGET_SWITCHES, feature):
                arguments.append(feature)
        return arguments + processor

    def _processor(self) -> list[str]:
        """``-march`` as libclang takes it: an unknown one fails the whole parse."""
        march = self.march
        if march is None:
            return []
        if march == "native":
            note = "not passed on: results must not depend on the machine that analyses"
            self._drop_with("-march=native", note)
            return []
        nearest = options.NEWER_CPUS.get(march, march)
        x86 = self.target is None or re.fullmatch(options.X86_TARGET, self.target)
        if x86 and nearest in options.X86_CPUS:
            if nearest != march:
                self.notes.append(f"-march={march} read as {nearest}")
            return [f"-march={nearest}"]
        return self._foreign_processor(march)

    def _foreign_processor(self, march: str) -> list[str]:
        """A processor of another family, which tells the target where nothing else does."""
        foreign = (name for form, name in options.FOREIGN_TARGETS if re.fullmatch(form, march))
        target = next(foreign, None)
        if target is None:
            self._drop_with(f"-march={march}", "is unknown: using the baseline of the target")
            return []
        if self.target is None:
            self.target = target
            self.notes.append(f"target {target} taken from {march}")
        return [f"-march={march}"] if march.startswith(("armv", "rv")) else []


_TAKERS: Final = (
    _FlagReader._path_or_macro,
    _FlagReader._dialect,
    _FlagReader._language_switch,
    _FlagReader._target,
    _FlagReader._code_switch,
    _FlagReader._code_value,
)
"""Each takes an option and answers whether it was one of its kind."""
