"""Numbers of Linux system calls on x86-64 and AArch64, grouped by the harm that they can do.

From the kernel's ``asm/unistd_64.h`` and ``asm-generic/unistd.h``; from 424 on they are the same.
"""

import platform
import sys
from typing import Final

from rooflint.records import NamedTuple

NEWEST: Final = 469
"""The last call that these tables were made from: Linux 6.18's ``file_setattr``."""


class Architecture(NamedTuple):
    """The system calls of a processor: the kernel's name of it, and its column of the table."""

    audit: int
    column: int

    def number(self, name: str) -> int | None:
        """The call's number; None where the processor has no such call."""
        return _CALLS[name][self.column]


_ARCHITECTURES: Final = {
    "x86_64": Architecture(audit=0xC000003E, column=0),
    "aarch64": Architecture(audit=0xC00000B7, column=1),
}


def own_architecture() -> Architecture | None:
    """That of this process; None where the table has no column for it."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return None
    return _ARCHITECTURES.get(platform.machine())


START: Final = ("execve", "execveat", "fork", "vfork", "uselib")
OTHER_PROCESSES: Final = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal",
)  # fmt: skip
NETWORK: Final = (
    "socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
)  # fmt: skip
FILES: Final = (
    "creat", "truncate", "ftruncate", "fallocate", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "mknod",
    "mknodat", "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat",
    "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
    "fremovexattr", "removexattrat", "file_setattr", "utime", "utimes", "utimensat", "futimesat",
    "open_by_handle_at", "mq_open", "mq_unlink", "shmget", "msgget", "semget",
)  # fmt: skip
SYSTEM: Final = (
    "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr",
    "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "unshare", "setns", "bpf",
    "perf_event_open", "userfaultfd", "fanotify_init", "add_key", "request_key", "keyctl",
    "quotactl", "quotactl_fd", "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load",
    "init_module", "finit_module", "delete_module", "settimeofday", "clock_settime", "adjtimex",
    "clock_adjtime", "sethostname", "setdomainname", "acct", "syslog", "iopl", "ioperm",
    "modify_ldt", "io_uring_setup", "io_uring_enter", "io_uring_register",
)  # fmt: skip
"""``io_uring`` stands here because a filter does not see what is asked for through its ring."""

_CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    "execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None),
    "clone": (56, 220), "clone3": (435, 435), "uselib": (134, None),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "kcmp": (312, 272), "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "prlimit64": (302, 261),
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "open": (2, None), "openat": (257, 56), "openat2": (437, 437), "creat": (85, None),
    "truncate": (76, 45), "ftruncate": (77, 46), "fallocate": (285, 47),
    "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None),
    "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    "mknod": (133, None), "mknodat": (259, 33),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "removexattrat": (466, 466), "file_setattr": (469, 469),
    "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88), "futimesat": (261, None),
    "open_by_handle_at": (304, 265), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "ioctl": (16, 29),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "move_mount": (429, 429), "open_tree": (428, 428), "open_tree_attr": (467, 467),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "fanotify_init": (300, 262),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225),
    "reboot": (169, 142), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162),
    "acct": (163, 89), "syslog": (103, 116), "iopl": (172, None), "ioperm": (173, None),
    "modify_ldt": (154, None), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "seccomp": (317, 277),
}  # fmt: skip
