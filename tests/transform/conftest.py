"""Running functions of the IR before and after a change."""

from collections.abc import Callable, Mapping
from types import ModuleType

import pytest
from rooflint.ir import Function
from rooflint.plugin_api.transforms import ChangedFunction, ChangeRefusal, Result

SIZES = (
    {"n": 5, "m": 4, "p": 3},
    {"n": 7, "m": 9, "p": 6},
    {"n": 1, "m": 2, "p": 1},
    {"n": 0, "m": 0, "p": 0},
)


@pytest.fixture(scope="session")
def same(interpreter: ModuleType) -> Callable[..., ChangedFunction]:
    """``same(before, result)`` runs both and compares what they leave in memory and scalars."""

    def check(
        before: Function,
        result: Result,
        sizes: tuple[Mapping[str, int], ...] = SIZES,
        temporaries: tuple[str, ...] = (),
        scalars: tuple[str, ...] = (),
        arithmetic: object = None,
        tolerance: float = 0.0,
        canonical: Callable[[tuple[str, int]], tuple[str, int]] | None = None,
    ) -> ChangedFunction:
        assert not isinstance(result, ChangeRefusal), result.reason
        kind = arithmetic or interpreter.FIELD
        for values in sizes:
            expected, its_scalars = interpreter.run(before, values, kind)
            found, new_scalars = interpreter.run(result.function, values, kind, canonical)
            kept = {place: v for place, v in found.items() if place[0] not in temporaries}
            assert kept.keys() == expected.keys(), values
            for place, value in expected.items():
                assert kept[place] == pytest.approx(value, rel=tolerance, abs=tolerance), (
                    place,
                    values,
                )
            for name in scalars:
                start = interpreter.Machine(before, values, kind).initial(name, 1)
                assert new_scalars.get(name, start) == its_scalars.get(name, start), (name, values)
        return result

    return check
