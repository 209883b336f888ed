"""Commits of a git repository, read without its settings, so that no program of it can run.

Git runs programs that a repository's configuration names: filters, differs, monitors, hooks,
transports. A list of settings to turn off is never complete, because names of filters and drivers
are free. So git gets a folder of our own in place of ``.git``: our configuration, and links to the
repository's objects and references. What configures programs is in no file that git opens, and no
command used here reads the work tree or a remote.

This package alone calls git; ``tests/trust/test_git_calls.py`` says so.
"""

from rooflint.git.folders import find_folders
from rooflint.git.repository import Repository, TreeFile, open_repository

__all__ = ["Repository", "TreeFile", "find_folders", "open_repository"]
