"""Builds the compiled replay where a C compiler is found; without one the wheel is pure Python.

The machine files are read once and packed, so that no start of the program parses YAML.

A wheel has the manual page and the completion scripts, which the program itself writes.

The README of a package index has absolute links, to the sources of this version. Files of others
that the wheel carries have to be those whose hashes stand beside them.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}
FLAGS = ("-O2", "-fwrapv", "-shared", "-fPIC", "-fvisibility=hidden", "-std=c11")
VENDORED = ("analyzer/rooflint/render/html/vendor",)
"""Folders with files of others and their ``SHA256SUMS``."""


def check_vendored(folder: Path) -> None:
    """Raises RuntimeError for a file that has not the hash in its folder's ``SHA256SUMS``."""
    for line in (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines():
        expected, _, name = line.partition("  ")
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
            raise RuntimeError(
                f"{folder / name}: is not the file that SHA256SUMS names: restore it"
            )


RELATIVE_PICTURE = re.compile(r"(!\[[^\]]*\])\((?!https?:)([^)]+)\)")
RELATIVE_LINK = re.compile(r"\]\((?!https?:|#)([^)]+)\)")
"""Of Markdown: ``](docs/lint.md#rules)``."""


def with_absolute_links(text: str, source: str, version: str) -> str:
    """Markdown whose relative links lead to the files of a version below ``source``."""
    text = RELATIVE_PICTURE.sub(rf"\1({source}/raw/v{version}/\2)", text)
    return RELATIVE_LINK.sub(rf"]({source}/blob/v{version}/\1)", text)


class ReadmeHook(MetadataHookInterface):
    """Adds the README to the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called when a package or its metadata is made."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source, version = metadata["urls"]["Source"], metadata["version"]
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, source, version),
        }


SOURCE_ROOTS = ("analyzer", "plugins", "lsp")
SHARED = "rooflint.cli.completion.shared_files"


class WheelHook(BuildHookInterface[Any]):
    """Compiles ``kernel.c`` beside its module, and adds the files below ``share``."""

    shared: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel, also an editable one, is put together."""
        if self.target_name != "wheel":
            return
        for folder in VENDORED:
            check_vendored(Path(self.root, folder))
        if version != "editable":
            self._add_shared(build_data)
        self._run("rooflint.machine.packed.writing", str(Path(self.root, "machines")))
        source = Path(self.root, "analyzer", "rooflint", "replay", "kernel.c")
        library = source.with_name("_kernel" + SUFFIXES.get(sys.platform, ".so"))
        if not self._compiled(source, library):
            library.unlink(missing_ok=True)
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is there."""
        if self.shared is not None:
            self.shared.cleanup()

    def _add_shared(self, build_data: dict[str, Any]) -> None:
        self.shared = tempfile.TemporaryDirectory()
        self._run(SHARED, self.shared.name)
        for file in sorted(Path(self.shared.name).rglob("*")):
            if file.is_file():
                place = file.relative_to(self.shared.name).as_posix()
                build_data["shared_data"][str(file)] = place

    def _run(self, module: str, folder: str) -> None:
        """Runs a module of the program that writes files into a folder."""
        roots = [str(Path(self.root, name)) for name in SOURCE_ROOTS]
        # A build in isolation has its requirements on this process's path alone. Its own
        # ``sitecustomize`` (-S: none) would drop our folders where an editable installation of
        # before has them too.
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([*roots, *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        subprocess.run([sys.executable, "-S", "-m", module, folder], env=environment, check=True)

    def _compiled(self, source: Path, library: Path) -> bool:
        named = os.environ.get("CC", "").split()
        found = [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
        compiler = named or found[:1]
        if not compiler:
            self.app.display_warning("no C compiler: the replay of caches runs in Python, slower")
            return False
        command = [*compiler, *FLAGS, str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            self.app.display_warning(f"{' '.join(command)} failed: {done.stderr[-500:]}")
        return done.returncode == 0
