"""The inside of the child process in which libclang runs: it may hang, crash or eat memory there.

The main thread reads requests, so that it notices the parent's death even while libclang works in
the other thread, which has the large stack that deeply nested source needs.
"""

import _thread
import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, Protocol

from rooflint.errors import AnalysisError, RooflintError
from rooflint.workers.dialogue import Dialogue, dialogue_of, failure_message
from rooflint.workers.environment import hide_environment
from rooflint.workers.frames import Frame, read_frame, write_message
from rooflint.workers.limits import Failure, Limits

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

STACK_MIB: Final = (512, 128, 32)
RECURSION_LIMIT: Final = 200_000
GARBAGE_OBJECTS: Final = 250_000
"""Containers made and not freed since the last collection, at about 100 bytes each a hundredth of
the memory that a child may have: fewer are not worth going through all of them."""
EXIT_NO_MEMORY: Final = 71
EXIT_BROKEN: Final = 70


class ChildTask(Protocol):
    """Makes the function of one request once the child runs, before it is confined.

    A child that cannot be forked builds the task anew, so it is a NamedTuple of functions of
    modules and plain values; another kind has such a one, or a function, in ``elsewhere``.
    """

    def start(self) -> Callable[[Any], Any]:
        """The function to answer requests with."""


Target = Callable[[Any], Any] | ChildTask
"""A function of one request, or what makes it."""


def serve(
    load: Callable[[], Target],
    dialogue: Dialogue[Any, Any] | None,
    requests_fd: int,
    answers_fd: int,
    limits: Limits,
) -> None:
    """Answer requests until the other end closes; never returns.

    ``dialogue`` is None where the types of the function itself tell.
    """
    try:
        _settle(limits)
        function = _function(load())
        exchange = dialogue or dialogue_of(function)
        from rooflint.workers.confinement import confine  # noqa: PLC0415 - ctypes

        # What is loaded by now may have been compiled and kept by Python; no request was read yet.
        confine()
        gc.freeze()
        mailbox: list[Frame] = []
        arrived = _thread.allocate_lock()
        arrived.acquire()
        _start_thread(lambda: _work(function, exchange, mailbox, arrived, answers_fd))
        while True:
            mailbox.append(read_frame(requests_fd))
            arrived.release()
    except EOFError:
        os._exit(0)
    except MemoryError:
        os._exit(EXIT_NO_MEMORY)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(EXIT_BROKEN)


def _settle(limits: Limits) -> None:
    for number in ("SIGHUP", "SIGPIPE"):
        if hasattr(signal, number):
            signal.signal(getattr(signal, number), signal.SIG_DFL)
    # Both may be sent to a whole group of processes and are for the parent, whose end is ours.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)  # that of the parent is not ours to wake
    hide_environment()
    # libclang's own threads have an 8 MiB stack; without them it uses the caller's.
    os.environ["LIBCLANG_NOTHREADS"] = "1"
    sys.setrecursionlimit(RECURSION_LIMIT)
    faulthandler.enable()
    if hasattr(faulthandler, "register"):  # not on Windows
        faulthandler.register(signal.SIGUSR1)
    gc.disable()
    if resource is not None:
        own_mib = limits.memory_mib + STACK_MIB[0]
        _limit("RLIMIT_AS", _address_space_bytes() + (own_mib << 20))


def _address_space_bytes() -> int:
    """Address space of this process so far; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as pages:
            return int(pages.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _limit(name: str, value: int) -> None:
    """Lower a limit; where the system knows it not or has a lower one, that stays."""
    which = getattr(resource, name, None)
    if which is None:
        return
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (OSError, ValueError):
        return


def _start_thread(run: Callable[[], None]) -> None:
    for stack_mib in STACK_MIB:
        try:
            _thread.stack_size(stack_mib << 20)
            _thread.start_new_thread(run, ())
        except (RuntimeError, ValueError):
            continue  # the system grants no stack of that size
        return
    raise RuntimeError("no thread could be started")


def _work(
    function: Callable[[Any], Any],
    dialogue: Dialogue[Any, Any],
    mailbox: list[Frame],
    arrived: _thread.LockType,
    answers_fd: int,
) -> None:
    try:
        while True:
            arrived.acquire()
            write_message(answers_fd, _answer(function, dialogue, mailbox.pop()))
            _collect_garbage()  # the parent has its answer and does not wait for this
    except MemoryError:
        os._exit(EXIT_NO_MEMORY)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(EXIT_BROKEN)


def _collect_garbage() -> None:
    if gc.get_count()[0] >= GARBAGE_OBJECTS:
        gc.collect()


def _function(target: Target) -> Callable[[Any], Any]:
    """The function that ``target`` stands for; loads what it needs."""
    start: Callable[[], Callable[[Any], Any]] | None = getattr(target, "start", None)
    if start is not None:
        return start()
    assert callable(target)
    return target


def _answer(function: Callable[[Any], Any], dialogue: Dialogue[Any, Any], message: Frame) -> bytes:
    try:
        return dialogue.answer(function(dialogue.asked(message)))
    except MemoryError:
        raise
    except AnalysisError as error:
        failure = Failure(str(error), "refused", problem=error.problem)
    except RooflintError as error:
        failure = Failure(str(error), "refused")
    except BaseException as error:
        failure = _internal_failure(error)
    return failure_message(failure)


def _internal_failure(error: BaseException) -> Failure:
    import traceback  # noqa: PLC0415 - costs 5 ms and is hardly ever needed

    text = "".join(traceback.format_exception(error))
    return Failure(f"internal error: {type(error).__name__}: {error}", "internal", text)


def main(load: Callable[[], Target]) -> None:
    """Entry point where the process cannot be forked: requests on stdin, answers on stdout."""
    seconds, memory_mib = sys.argv[1:]
    requests_fd, answers_fd = os.dup(0), os.dup(1)
    redirect_standard_streams(2)
    limits = Limits(float(seconds), int(memory_mib))
    serve(load, None, requests_fd, answers_fd, limits)


def redirect_standard_streams(log_fd: int) -> None:
    """Nothing to read on stdin; what is printed goes to ``log_fd``."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log_fd, 1)
    os.dup2(log_fd, 2)
    os.close(null)
    # The program may have replaced its streams by others, whose descriptors are closed here.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = sys.stderr = os.fdopen(
        2, "w", buffering=1, errors="backslashreplace", closefd=False
    )
