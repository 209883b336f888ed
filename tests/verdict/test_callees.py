"""Loops whose time is in functions that they call."""

from rooflint.plugin_api.report import FunctionReport, KernelReport
from rooflint.plugin_api.terms import TimeTerm
from rooflint.plugin_api.verdict import CallShare
from rooflint.verdict.steps import verdicts_of

from .test_steps import CALL, CHAIN, MACHINE, file_of, kernel, of_kernel, prediction, result


def calling(cores: int = 1, **cycles: float) -> KernelReport:
    """A loop of 40 cycles per iteration, nearly all of them in calls."""
    terms = [TimeTerm(CALL, 36.0), TimeTerm(CHAIN, 4.0)]
    found = result(prediction(terms, [TimeTerm(CALL, 40.0)]))._replace(cores=cores, calls=cycles)
    return kernel(found)


def test_time_in_a_called_function_names_it() -> None:
    callee = FunctionReport(name="Cell::volume", line=31, column=1, nests=(), totals=())
    file = file_of(calling(area=6.0, volume=30.0))
    file = file._replace(functions=(*file.functions, callee))
    [verdict] = verdicts_of([file], [MACHINE])
    assert verdict.limiter == CALL
    assert verdict.callee == CallShare("volume", 31, 0.75)
    # a call is as long as it is: its time is no limit that a loop comes near to
    assert verdict.floor is not None and verdict.floor.of_limit is None


def test_a_callee_of_another_file_has_no_line() -> None:
    assert of_kernel(calling(volume=30.0)).callee == CallShare("volume", 0, 0.75)


def test_cores_share_the_cycles_of_a_call() -> None:
    assert of_kernel(calling(cores=2, volume=60.0)).callee == CallShare("volume", 0, 0.75)


def test_a_callee_without_most_of_the_time_is_not_named() -> None:
    assert of_kernel(calling(one=12.0, two=13.0, three=11.0)).callee is None
    busy = result(prediction([TimeTerm(CALL, 6.0), TimeTerm(CHAIN, 40.0)]))
    assert of_kernel(kernel(busy._replace(calls={"volume": 6.0}))).callee is None
