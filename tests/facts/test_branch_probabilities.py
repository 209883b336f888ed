"""Probabilities of branches by their patterns."""

import pytest
from rooflint.facts.guards import then_probability
from rooflint.ir.control_flow import BranchPattern

PATTERNS = [
    (BranchPattern("ordered", "goes-on"), 0.5),
    (BranchPattern("equal", "goes-on"), 0.25),
    (BranchPattern("debug", "goes-on"), 0.0),
    (BranchPattern("ordered", "no-return"), 0.0),
    (BranchPattern("ordered", "goes-on", "no-return"), 1.0),
    (BranchPattern("ordered", "leaves-loop"), 0.02),
    (BranchPattern("ordered", "reports-error"), 0.12),
    (BranchPattern("ordered", "goes-on", "reports-error"), 0.88),
    # ways of a switch: as likely as each other, unless they report an error or end the program
    (BranchPattern(condition="case", then="goes-on", ways=4), 0.25),
    (BranchPattern(condition="case", then="reports-error", ways=4), 0.12),
    (BranchPattern(condition="case", then="reports-error", ways=10), 0.1),
    (BranchPattern(condition="case", then="no-return", ways=4), 0.0),
]


@pytest.mark.parametrize(("pattern", "share"), PATTERNS)
def test_probability(pattern: BranchPattern, share: float) -> None:
    assert then_probability(pattern) == pytest.approx(share)
