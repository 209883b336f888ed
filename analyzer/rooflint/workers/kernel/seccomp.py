"""A filter on Linux system calls: what starts, writes, connects or signals answers EPERM.

``man 2 seccomp`` describes the machine that the filter's program runs on. It sees a call's number
and its arguments, but not what a pointer leads to.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from rooflint.workers.kernel import syscalls
from rooflint.workers.kernel.syscalls import Architecture

_SET_MODE_FILTER, _ALL_THREADS = 1, 1
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_LOAD, _RETURN = 0x20, 0x06
_IF_EQUAL, _IF_GREATER, _IF_ANY_BIT = 0x15, 0x25, 0x45
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Offsets in ``struct seccomp_data``; an argument has 8 bytes, the lower 4 first."""

_CREATE, _TRUNCATE, _NAMELESS = 0o100, 0o1000, 0o20000000
_WRITING: Final = os.O_WRONLY | os.O_RDWR | _CREATE | _TRUNCATE | _NAMELESS
_CLONE_THREAD: Final = 0x00010000
_TERMINAL_INPUT: Final = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX`` type on the terminal for its user."""

Instruction: TypeAlias = tuple[int, int, int, int]


def _call(code: int, value: int = 0, if_true: int = 0, if_false: int = 0) -> Instruction:
    return code, if_true, if_false, value


def _fail(error: int) -> Instruction:
    return _call(_RETURN, _FAIL | error)


def _argument(index: int) -> Instruction:
    return _call(_LOAD, _ARGUMENTS + 8 * index)


def _refused(number: int, error: int) -> Iterator[Instruction]:
    yield _call(_IF_EQUAL, number, 0, 1)
    yield _fail(error)


def _checked(number: int, *checks: Instruction) -> Iterator[Instruction]:
    """A call that is decided by its arguments; the checks end with their own answers."""
    yield _call(_IF_EQUAL, number, 0, len(checks))
    yield from checks


def _unless_writing(index: int) -> tuple[Instruction, ...]:
    return (
        _argument(index),
        _call(_IF_ANY_BIT, _WRITING, 0, 1),
        _fail(errno.EPERM),
        _call(_RETURN, _ALLOW),
    )


def _only_threads() -> tuple[Instruction, ...]:
    return (
        _argument(0),
        _call(_IF_ANY_BIT, _CLONE_THREAD, 1, 0),
        _fail(errno.EPERM),
        _call(_RETURN, _ALLOW),
    )


def _only_process(*pids: int) -> tuple[Instruction, ...]:
    checks = (_call(_IF_EQUAL, pid, len(pids) - position, 0) for position, pid in enumerate(pids))
    return (_argument(0), *checks, _fail(errno.EPERM), _call(_RETURN, _ALLOW))


def _no_typing() -> tuple[Instruction, ...]:
    first, second = _TERMINAL_INPUT
    return (
        _argument(1),
        _call(_IF_EQUAL, first, 1, 0),
        _call(_IF_EQUAL, second, 0, 1),
        _fail(errno.EPERM),
        _call(_RETURN, _ALLOW),
    )


def program(architecture: Architecture, pid: int) -> tuple[Instruction, ...]:
    """The filter for a process: what is in none of the tables is allowed."""
    decided: dict[str, tuple[Instruction, ...]] = {
        "open": _unless_writing(1),
        "openat": _unless_writing(2),
        "clone": _only_threads(),
        **dict.fromkeys(
            ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"), _only_process(pid)
        ),
        "prlimit64": _only_process(pid, 0),  # 0 is the caller itself
        "ioctl": _no_typing(),
    }
    # Libraries take these two for calls of a newer kernel and go back to the older ones.
    unknown = ("clone3", "openat2")
    refused = (
        *syscalls.START,
        *syscalls.OTHER_PROCESSES,
        *syscalls.NETWORK,
        *syscalls.FILES,
        *syscalls.SYSTEM,
    )
    made = [
        _call(_LOAD, _ARCHITECTURE),
        _call(_IF_EQUAL, architecture.audit, 1, 0),
        _fail(errno.EPERM),
        _call(_LOAD, _NUMBER),
        # calls of kernels that this program does not know yet, and those of the x32 interface
        _call(_IF_GREATER, syscalls.NEWEST, 0, 1),
        _fail(errno.ENOSYS),
    ]
    numbered: list[tuple[str, Callable[[int], Iterator[Instruction]]]] = [
        *(
            (name, lambda number, c=checks: _checked(number, *c))
            for name, checks in decided.items()
        ),
        *((name, lambda number: _refused(number, errno.ENOSYS)) for name in unknown),
        *((name, lambda number: _refused(number, errno.EPERM)) for name in refused),
    ]
    for name, instructions in numbered:
        number = architecture.number(name)
        if number is not None:
            made.extend(instructions(number))
    made.append(_call(_RETURN, _ALLOW))
    return tuple(made)


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def filter_calls(library: ctypes.CDLL) -> bool:
    """Put the filter in force for all threads of this process; whether the kernel took it.

    Needs ``PR_SET_NO_NEW_PRIVS``. It cannot be taken back.
    """
    architecture = syscalls.own_architecture()
    if architecture is None:
        return False
    number = architecture.number("seccomp")
    assert number is not None
    instructions = program(architecture, os.getpid())
    text = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
    buffer = ctypes.create_string_buffer(text, len(text))
    filled = _Program(len(instructions), ctypes.addressof(buffer))
    for flags in (_ALL_THREADS, 0):
        arguments = (number, _SET_MODE_FILTER, flags)
        if library.syscall(*map(ctypes.c_long, arguments), ctypes.byref(filled)) == 0:
            return True
    return False
