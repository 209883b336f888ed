"""The children that read source are confined, whoever starts them, and still do their work."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rooflint.compile_flags.flags import Flags
from rooflint.frontend.request import Request
from rooflint.frontend.service import Frontend
from rooflint.ir import Unit
from rooflint.workers.child_output import KEPT_BYTES, ChildOutput
from rooflint.workers.confinement import SWITCH, Harm
from rooflint.workers.confinement_trial import try_confinement
from rooflint.workers.dialogue import Dialogue
from rooflint.workers.limits import Failure, Limits
from rooflint.workers.pool import Workers

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.usefixtures("forked"),
]

ANYTHING = Dialogue[Any, Any](Any, Any)
LOOP = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] = 2; }\n"


def write(path: str) -> int:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
    except OSError as error:
        assert error.errno is not None
        return error.errno
    return 0


def start(_: str) -> int:
    try:
        subprocess.run([sys.executable, "-V"], check=True)
    except OSError as error:
        assert error.errno is not None
        return error.errno
    return 0


def chatter(size: int) -> str:
    sys.stdout.write("x" * size)
    return "printed"


DEEDS: dict[str, Callable[[Any], Any]] = {"write": write, "start": start, "chatter": chatter}


def obey(command: tuple[str, Any]) -> object:
    return DEEDS[command[0]](command[1])


@pytest.mark.parametrize(("deed", "harm"), [("write", Harm.WRITE), ("start", Harm.START)])
def test_a_child_cannot(deed: str, harm: Harm, tmp_path: Path) -> None:
    path = tmp_path / "new"
    with Workers[Any, Any](obey, Limits(seconds=20), ANYTHING) as workers:
        error = workers.analyse((deed, str(path)))
    if harm not in try_confinement().prevented:
        pytest.skip("this system has nothing against it")
    assert error in (errno.EPERM, errno.EACCES)
    assert not path.exists()


def test_the_switch_reaches_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "off")
    with Workers[Any, Any](obey, Limits(seconds=20), ANYTHING) as workers:
        assert workers.analyse(("write", str(tmp_path / "new"))) == 0
    assert (tmp_path / "new").exists()


def test_a_fresh_interpreter_is_confined_too(other_thread: None, tmp_path: Path) -> None:
    with Workers[Any, Any](os.mkdir, Limits(seconds=20), ANYTHING) as workers:
        answer = workers.analyse(str(tmp_path / "new"))
    if Harm.WRITE not in try_confinement().prevented:
        pytest.skip("this system has nothing against it")
    assert isinstance(answer, Failure)
    assert "PermissionError" in answer.reason
    assert not (tmp_path / "new").exists()


def test_the_front_end_works_confined(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text('#include <math.h>\n#include "none.h"\n' + LOOP)
    with Frontend(Limits(seconds=20), 1) as workers:
        unit = workers.analyse(Request(str(path), Flags("c")))
    assert isinstance(unit, Unit)
    assert [d.message for d in unit.diagnostics] == ["'none.h' file not found"]
    assert [r.reason for r in unit.refusals] or unit.functions


@pytest.mark.parametrize("size", [10, 70_000, 3_000_000])
def test_what_a_child_prints_never_blocks_it(size: int) -> None:
    with Workers[Any, Any](obey, Limits(seconds=20), ANYTHING, jobs=2) as workers:
        answers = [answer for _, answer in workers.analyse_all([("chatter", size)] * 4)]
        assert answers == ["printed"] * 4
        assert workers.analyse(("chatter", size)) == "printed"


def test_of_much_output_the_end_is_kept() -> None:
    output = ChildOutput()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(output.child_fd, b"begin")
            for _ in range(9):
                os.write(output.child_fd, b"x" * KEPT_BYTES)
            os.write(output.child_fd, b"end")
        finally:
            os._exit(0)
    output.started()
    while output.fd is not None:
        output.drain()
    os.waitpid(pid, 0)
    text = output.text()
    assert (len(text), text[:5], text[-4:]) == (KEPT_BYTES, "xxxxx", "xend")
    output.forget()
    assert output.text() == ""
