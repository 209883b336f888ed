"""The sentence on the change of a loop whose best advice is threads."""

from rooflint.ir import Span
from rooflint.plugin_api.advice import Advice, Gain
from rooflint.plugin_api.report import KernelReport
from rooflint.plugin_api.verdict import Action, ActionKind
from rooflint.render.layout import Style
from rooflint.render.ranked.report import render_ranked

from .test_ranked import FOLDER, MACHINE, advised, small_file


def shared(*findings: Advice) -> str:
    """The details of the small file, whose best advice is threads, beside other ``findings``."""
    small = small_file()
    (file,) = small.files

    def told(kernel: KernelReport) -> KernelReport:
        return kernel._replace(results=(kernel.results[0]._replace(advice=findings),))

    functions = tuple([each.with_kernels(told) for each in file.functions])
    (best,) = small.verdicts
    best = advised(best, "RL401", ActionKind.THREADS, "i", 5.4)
    return render_ranked(
        small._replace(verdicts=(best,), files=(file._replace(functions=functions),)),
        Style(96),
        FOLDER,
    )


def alone(code: str, gain: float, kind: ActionKind) -> Advice:
    return Advice(
        code=code,
        slug="s",
        message="m",
        severity="note",
        span=Span(line=2, column=3, end_line=2, end_column=4),
        function="triad",
        loop="i",
        fingerprint=code,
        machine=MACHINE,
        gain=Gain(gain, gain),
        action=Action(kind, ""),
        change="bypassing the caches",
    )


def test_beside_threads_the_best_change_of_one_core_is_named() -> None:
    threads = alone("RL402", 5.0, ActionKind.THREADS)
    stores = alone("RL105", 1.3, ActionKind.OTHER)
    weak = alone("RL202", 1.2, ActionKind.OTHER)
    assert "On one core no change is known; 5.4× with threads (RL401)." in shared()
    assert "On one core no change is known; 5.4× with threads (RL401)." in shared(threads)
    assert "On one core no change" in shared(stores._replace(gain=None))
    sentence = "Bypassing the caches (RL105): 1.3× on one core; 5.4× with threads (RL401)."
    assert sentence in " ".join(shared(threads, weak, stores).split())
