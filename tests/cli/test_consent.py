"""Who may let code of a tree run: every combination."""

from itertools import product

import pytest
from rooflint.cli.measure.consent import Consent, ConsentFacts, consent_of

ALL = list(product((False, True), repeat=5))


@pytest.mark.parametrize(("accepted", "trusted", "known", "terminal", "confined"), ALL)
def test_consent(
    accepted: bool, trusted: bool, known: bool, terminal: bool, confined: bool
) -> None:
    found = consent_of(
        ConsentFacts(
            is_accepted=accepted,
            is_trusted=trusted,
            is_known=known,
            is_terminal=terminal,
            is_confined=confined,
        )
    )
    if accepted:
        expected = Consent.GIVEN
    elif not confined:
        expected = Consent.ASK if terminal else Consent.MISSING
    elif trusted:
        expected = Consent.GIVEN
    elif not terminal:
        expected = Consent.MISSING
    else:
        expected = Consent.GIVEN if known else Consent.ASK
    assert found is expected
