"""How many cores saturate a memory: those of each domain in use, and none that do not exist."""

import pytest
from rooflint.machine import builtin_dir, find_machine
from rooflint.plugin_api.prediction import Prediction
from rooflint.rule_kit.openmp import saturating_cores

MACHINE = find_machine("icelake-sp-8360y", (builtin_dir(),))
DOMAIN, SOCKET = MACHINE.domain_cores("MEM"), MACHINE.cores_per_socket


def ecm(n_s: int | None) -> Prediction:
    return Prediction("ecm", "L3-MEM", "s", "h", data={"n_S": n_s})


@pytest.mark.parametrize(
    ("n_s", "cores", "expected"),
    [
        (1, 1, 1),
        (4, DOMAIN, 4),
        # two domains of a socket, each saturated by four
        (4, DOMAIN + 1, 8),
        (4, SOCKET, 4 * SOCKET // DOMAIN),
        (DOMAIN, SOCKET, SOCKET),
        # a domain lacks the cores, so a socket does
        (DOMAIN + 1, SOCKET, None),
        (875, SOCKET, None),
        (None, SOCKET, None),
    ],
)
def test_cores_that_saturate(n_s: int | None, cores: int, expected: int | None) -> None:
    assert DOMAIN < SOCKET
    assert saturating_cores(ecm(n_s), MACHINE, cores) == expected


def test_nobody_knows() -> None:
    assert saturating_cores(None, MACHINE, 1) is None
