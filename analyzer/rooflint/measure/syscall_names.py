"""Names of the Linux system calls that user code tries most, by number."""

import platform
from typing import Final

_X86_64: Final = {
    2: "open", 16: "ioctl", 22: "pipe", 32: "dup", 33: "dup2", 41: "socket", 42: "connect",
    56: "clone", 57: "fork", 58: "vfork", 59: "execve", 61: "wait4", 62: "kill", 72: "fcntl",
    76: "truncate", 77: "ftruncate", 79: "getcwd", 80: "chdir", 82: "rename", 83: "mkdir",
    85: "creat", 86: "link", 87: "unlink", 88: "symlink", 90: "chmod", 101: "ptrace",
    105: "setuid", 110: "getppid", 112: "setsid", 141: "setpriority", 157: "prctl",
    160: "setrlimit", 161: "chroot", 165: "mount", 200: "tkill", 217: "getdents64",
    234: "tgkill", 257: "openat", 263: "unlinkat", 272: "unshare", 293: "pipe2",
    302: "prlimit64", 310: "process_vm_readv", 311: "process_vm_writev", 316: "renameat2",
    319: "memfd_create", 321: "bpf", 425: "io_uring_setup", 435: "clone3",
}  # fmt: skip
_AARCH64: Final = {
    29: "ioctl", 34: "mkdirat", 35: "unlinkat", 36: "symlinkat", 37: "linkat", 38: "renameat",
    40: "mount", 51: "chroot", 53: "fchmodat", 56: "openat", 57: "close", 59: "pipe2",
    61: "getdents64", 97: "unshare", 117: "ptrace", 129: "kill", 130: "tkill", 131: "tgkill",
    140: "setpriority", 146: "setuid", 157: "setsid", 164: "setrlimit", 167: "prctl",
    173: "getppid", 198: "socket", 200: "bind", 203: "connect", 206: "sendto", 220: "clone",
    221: "execve", 260: "wait4", 261: "prlimit64", 270: "process_vm_readv",
    271: "process_vm_writev", 276: "renameat2", 279: "memfd_create", 280: "bpf",
    425: "io_uring_setup", 435: "clone3",
}  # fmt: skip


def call_name(number: int) -> str:
    """The call's name on this processor; its number where it is none of these."""
    table = _AARCH64 if platform.machine().lower() in ("aarch64", "arm64") else _X86_64
    return table.get(number, f"number {number}")
