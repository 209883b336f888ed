"""The closed-form bound of chains of dependences, by hand."""

import pytest
from rooflint_plugins.models.bounds.parts import Need, Op, OpStretch
from rooflint_plugins.models.bounds.prebounds import prebounds

from tests.sandy_bridge import ADD, LOADS, STORES, sandy_bridge


@pytest.mark.parametrize(("between", "cycles"), [(False, 4), (True, 7)])
def test_a_value_through_memory_waits_for_the_load_and_not_for_the_store(
    between: bool, cycles: int
) -> None:
    # a load takes 4 cycles and an addition 3; what is stored can be forwarded at once, so that the
    # next body's load starts when the store does
    load = Op((LOADS["L1"],), (Need(1, (1,)),))
    store = Op((STORES["L1"],), (Need(2 if between else 0, (0,)),))
    add = Op((ADD,), (Need(0, (0,)),))
    bounds = prebounds(sandy_bridge(), OpStretch((load, store, add)))
    assert next(bound.cycles for bound in bounds if bound.kind == "chain") == cycles
