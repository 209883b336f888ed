"""The working directory, which somebody may remove while a program is in it."""

import os


def current_folder() -> str:
    """Its path; the root of the file system where it is gone.

    Relative paths lead nowhere then. Absolute ones still hold, and are all that this is used for:
    to show paths below the folder in short, and to tell the folder apart from others.
    """
    try:
        return os.getcwd()
    except OSError:
        return os.sep


def current_folder_is_gone() -> bool:
    """Whether relative paths have lost their meaning."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False
