"""Functions that do harm: each is refused with its reason or measured, and leaves nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.measure.build import build_program
from rooflint.measure.refusals import MeasureRefusal, RefusalCode, refusal_text

HOSTILE = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return deeper(here) + here[1];
}

int victim;
static const char *const target = "TARGET";

void act(int action, int zero, double *a, volatile int *nowhere)
{
    a[0] += 1;
    switch (action) {
    case 0: exit(0);
    case 1: { int f = open("/etc/passwd", O_RDONLY); if (f >= 0) close(f); } break;
    case 2: { FILE *f = fopen(target, "w"); if (f) { fputs("x", f); fclose(f); } } break;
    case 3: system("touch TARGET"); break;
    case 4: socket(AF_INET, SOCK_STREAM, 0); break;
    case 5: kill(getppid(), SIGKILL); break;
    case 6: abort();
    case 7: for (int i = 0; i < 100; i++) printf("{\"record\":\"done\"}\n"); fflush(stdout); break;
    case 8: *(volatile int *)(long)zero = 1; break;
    case 9: deeper((volatile char *)&zero); break;
    case 10: a[1] = action / zero; break;
    case 11: for (size_t i = 0; i < ((size_t)4 << 30) / 8; i++) a[i] = 1; break;
    case 12: for (volatile int go = 1; go;) ; break;
    case 13: { char *p = malloc(1000); p[0] = 1; a[1] += p[0]; free(p); } break;
    case 14: { char *p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } break;
    case 16: kill(getpid(), SIGUSR1); break;
    case 15: while (fork() >= 0) ; break;
    }
}

int main(void) { return 3; }
"""
REFUSED = {
    0: (RefusalCode.ENDED_PROGRAM, ""),
    1: (RefusalCode.SYSTEM_CALL, "openat"),
    2: (RefusalCode.SYSTEM_CALL, "openat"),
    3: (RefusalCode.SYSTEM_CALL, "clone"),
    4: (RefusalCode.SYSTEM_CALL, "socket"),
    5: (RefusalCode.SYSTEM_CALL, "getppid"),
    16: (RefusalCode.SYSTEM_CALL, "kill"),
    6: (RefusalCode.ABORT, "SIGABRT"),
    8: (RefusalCode.FAULT, "0x0"),
    9: (RefusalCode.FAULT, ""),
    10: (RefusalCode.DIVISION, ""),
    11: (RefusalCode.OVER_MEMORY, str(32 << 20)),
    12: (RefusalCode.NO_RETURN, "1"),
    15: (RefusalCode.SYSTEM_CALL, "clone"),
}
MEASURED = (7, 13)
ENDLESS = 12


def test_harm_is_refused_and_leaves_nothing(
    subject_in: Callable[..., Any], bench: Callable[..., Any], tmp_path: Path
) -> None:
    target = tmp_path / "written"
    text = HOSTILE.replace("TARGET", str(target))
    program = bench(subject_in(text, function="act"))

    def run_act(action: int) -> MeasureRefusal | None:
        seconds = 1.0 if action == ENDLESS else 60.0
        found: MeasureRefusal | None = program.refusal(
            (("action", action), ("zero", 0)), seconds, 32 << 20
        )
        return found

    sandbox = program.run((("action", 13),)).sandbox
    assert sandbox is not None
    if not sandbox.seccomp:
        pytest.skip("the kernel filters no system calls here")
    for action, (code, argument) in REFUSED.items():
        refusal = run_act(action)
        assert refusal is not None, action
        assert refusal.code is code, (action, refusal)
        assert argument in refusal.arguments or not argument, (action, refusal)
        assert refusal_text(refusal).startswith(("act ", "the process of act"))
    for action in MEASURED:
        assert run_act(action) is None, action
    leaking = run_act(14)
    assert leaking is None or leaking.code is RefusalCode.FAULT, leaking
    assert not target.exists()
    assert not list(tmp_path.glob("build/core*"))


EARLY = r"""
#include <sys/socket.h>
static int made = socket(AF_INET, SOCK_STREAM, 0);
void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] += made; }
"""


def test_code_before_main_is_confined_too(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    refusal = bench(subject_in(EARLY, ".cpp")).refusal()
    assert refusal is not None
    assert refusal.code is RefusalCode.SYSTEM_CALL
    assert refusal.arguments == ("f", "socket")


LOOKING = r"""
#include <fcntl.h>
static int seen = open("/etc/passwd", O_RDONLY);
void f(int n, double *a)
{
    if (seen >= 0)
        *(volatile int *)0 = 1;
    for (int i = 0; i < n; i++) a[i] = seen;
}
"""


def test_a_file_stays_closed_before_main_too(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    """Libraries look at the system while they start, so the look fails and ends nothing."""
    program = bench(subject_in(LOOKING, ".cpp"))
    sandbox = program.run().sandbox
    assert sandbox is not None
    if not sandbox.seccomp:
        pytest.skip("the kernel filters no system calls here")
    assert program.refusal() is None


STRAY = r"""
void f(int n, double *a)
{
    a[0] = 1;
    volatile char *p = (volatile char *)&f;
    for (int i = 0; i < n; i++)
        p[i] = 1;
}
"""


def test_a_write_into_the_program_is_a_fault(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    refusal = bench(subject_in(STRAY)).refusal()
    assert refusal is not None
    assert refusal.code is RefusalCode.FAULT


FORGED = r"""
#include <unistd.h>
void f(int n, double *a)
{
    a[0] = n;
    for (int i = 3; i < 32; i++)
        write(i, "no record\n", 10);
}
"""


def test_a_report_that_the_function_damages_is_refused(
    subject_in: Callable[..., Any], bench: Callable[..., Any]
) -> None:
    refusal = bench(subject_in(FORGED)).refusal()
    assert refusal is not None
    assert refusal.code is RefusalCode.GARBLED


IFUNC = r"""
static void plain(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 1; }
static void (*choose(void))(int, double *) { return plain; }
void chosen(int n, double *a) __attribute__((ifunc("choose")));
void f(int n, double *a) { chosen(n, a); }
"""


def test_code_that_runs_while_the_program_is_loaded_is_refused(
    subject_in: Callable[..., Any], tmp_path: Path
) -> None:
    refusal = build_program(subject_in(IFUNC, function="f"), str(tmp_path), (), "gcc")
    assert isinstance(refusal, MeasureRefusal)
    assert refusal.code is RefusalCode.EARLY_CODE
