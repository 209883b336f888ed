"""Cycles of calls of libraries: one table, and nothing in it twice."""

import pytest
from rooflint.ir import CallCost
from rooflint.library import calls
from rooflint.library.calls import library_cost
from rooflint.library.mathematics import CALL_CYCLES, MATHEMATICAL, call_cycles

IN_STD = "c:@N@std@F@f"


@pytest.mark.parametrize(
    ("name", "key", "cycles"),
    [
        ("rand", "c:@F@rand", 48),
        ("__builtin_strlen", "c:@F@__builtin_strlen", 7),
        ("sin", "c:@F@sin", 27),
        ("sinf", "c:@F@sinf", 12),
        ("__builtin_sinf", "c:@F@__builtin_sinf", 12),
        ("_mm256_add_pd", "c:@F@_mm256_add_pd", 1),
        ("size", IN_STD, 1),
        ("abort", "c:@F@abort", 0),  # once at most
        ("__builtin_clzll", "c:@F@__builtin_clzll", 1),
        ("__builtin_umull_overflow", "c:@F@__builtin_umull_overflow", 1),
        ("pthread_rwlock_rdlock", "c:@F@pthread_rwlock_rdlock", 11),
    ],
)
def test_cost(name: str, key: str, cycles: float) -> None:
    assert library_cost(name, key) == CallCost(cycles)


@pytest.mark.parametrize(
    ("declared", "cycles"),
    [
        ("operator<<#d#", 682),
        ("operator<<#I#", 65),
        ("operator>>#&f#", 274),
        ("operator>>#&I#", 107),
    ],
)
def test_streams_take_longer_for_numbers_that_are_not_whole(declared: str, cycles: float) -> None:
    owner = "basic_ostream" if "<<" in declared else "basic_istream"
    name = declared.partition("#")[0]
    assert library_cost(name, f"c:@N@std@ST>1#T@{owner}@F@{declared}", owner=owner) == CallCost(
        cycles
    )


def test_an_operator_outside_of_a_class_moves_text() -> None:
    assert library_cost("operator<<", "c:@N@std@FT@operator<<", owner="std") == CallCost(32)


@pytest.mark.parametrize("name", ["size", "frobnicate", "open", "_mmap", "f"])
def test_of_other_functions_nothing_is_known(name: str) -> None:
    assert library_cost(name, f"c:@F@{name}") is None


def test_methods_of_a_class_have_their_own_costs() -> None:
    assert library_cost("operator=", IN_STD, owner="basic_string") == CallCost(6)
    assert library_cost("operator=", IN_STD, owner="thread") is None
    assert library_cost("size", IN_STD, owner="basic_string") == CallCost(1)


@pytest.mark.parametrize(
    ("length", "cost"),
    [
        (None, CallCost(9, complete=False)),
        (0, CallCost(9)),
        # moves of 16 bytes, no call
        (8, CallCost(1)),
        (64, CallCost(4)),
        (65, CallCost(9)),
        (256, CallCost(9)),
        (288, CallCost(10)),
        (16_384, CallCost(9 + 504)),
        (16_416, CallCost(9 + 505, complete=False)),
    ],
)
def test_a_copy_takes_its_call_and_then_32_bytes_a_cycle(
    length: float | None, cost: CallCost
) -> None:
    assert library_cost("memcpy", "c:@F@memcpy", length) == cost
    assert library_cost("__builtin_memcpy", "c:@F@__builtin_memcpy", length) == cost


def test_every_function_has_one_figure() -> None:
    tables = [calls.CYCLES, calls.COPIES, CALL_CYCLES]
    names = [name for table in tables for name in table]
    assert len(names) == len(set(names))
    assert not [name for name in calls.CYCLES if call_cycles(name, "f64") is not None]


def test_operations_of_the_ir_that_are_calls_have_cycles() -> None:
    unknown = {name for name in MATHEMATICAL if call_cycles(name, "f64") is None}
    assert unknown == {"arg", "norm", "rsqrt"}  # no functions of C
