"""Names of the Linux system calls that user code tries most, by number."""

import platform
from typing import Final

_X86_64: Final = {
    2: "open", 16: "ioctl", 22: "pipe", 32: "dup", 33: "dup2", 41: "socket", 42: "connect",
    56: "clone", 57: "fork", 58: "vfork", 59: "execve", 61: "wait4", 62: "kill", 72: "fcntl",
    76: "truncate", 77: "ftruncate", 79: "getcwd", 80: "chdir", 82: "rename", 83: "mkdir",
    85: "creat", 86: "link", 87: "unlink", 88: "symlink", 90: "chmod", 101: "ptrace",
    110: "getppid", 200: "tkill", 217: "getdents64", 234: "tgkill", 257: "openat", 293: "pipe2",
    435: "clone3",
}  # fmt: skip
_AARCH64: Final = {
    29: "ioctl", 35: "unlinkat", 34: "mkdirat", 56: "openat", 57: "close", 59: "pipe2",
    61: "getdents64",
    129: "kill", 173: "getppid", 130: "tkill", 131: "tgkill", 198: "socket", 203: "connect",
    220: "clone", 221: "execve", 260: "wait4", 276: "renameat2", 435: "clone3",
}  # fmt: skip


def call_name(number: int) -> str:
    """The call's name on this processor; its number where it is none of these."""
    table = _AARCH64 if platform.machine().lower() in ("aarch64", "arm64") else _X86_64
    return table.get(number, f"number {number}")
