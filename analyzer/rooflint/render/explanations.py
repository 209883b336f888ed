"""Texts on rules, models and terms: the one glossary of reports, pages and editors."""

import inspect
from collections.abc import Mapping
from typing import Final

from rooflint.config.lint_settings import NOTES, Note
from rooflint.errors import UsageError, near_miss
from rooflint.lint.pages import rule_page
from rooflint.plugin_api.hookspecs import Model, Rule
from rooflint.plugin_api.rule_code import is_code
from rooflint.registry import ON_REQUEST, load_registry, model_text, with_requested, with_rules
from rooflint.verdict.words import SHORT_WORDS

WORDS: Final[Mapping[str, str]] = {
    "loop nest": "an outermost loop with everything inside it: a tree of loops and statements.",
    "kernel": "a loop that directly owns statements with arithmetic or array accesses, with the"
    " loops around it; the unit that models predict. Most are innermost.",
    "iteration": "one execution of a loop body. Work and traffic of a kernel are per iteration of"
    " its own loop.",
    "trip count": "the number of iterations in one execution of a loop, in closed form where sizes"
    " are open.",
    "unit of work": "the amount of work that a number is normalised to: one iteration, or as many"
    " iterations as fill a cache line.",
    "size parameter": "a symbol the source leaves open, such as n, or row[i+1]-row[i]."
    " Its value comes from the first of these that sets it: -D, a 'rooflint: n=...' comment, the"
    " configuration, the source. By default all open sizes are equal, such that the nest touches"
    " four times the last-level cache.",
    "assumption": "a value or condition behind a number that the source does not state, such as the"
    " value of a size parameter; every report lists its own.",
    "scenario": "the values and ranges of all sizes of a run with their origins, the weights of"
    " loops and branches, and the state of the caches on entry.",
    "steady state": "caches as repeated calls of the function leave them: data that fits is there"
    " on entry.",
    "cold": "caches that are empty on entry: every line is moved at least once.",
    "access": "one reference to an array element in the source.",
    "stream": "accesses that walk the same cache lines together, such as a[i-1] and a[i+1].",
    "footprint": "the bytes that a loop touches, each counted once.",
    "reuse distance": "the number of distinct cache lines touched between two touches of a line;"
    " the second is a hit where the cache holds that many.",
    "layer condition": "the inequality in sizes and cache capacity under which a row, plane or"
    " block stays cached until it is used again.",
    "regime": "a range of sizes in which the same layer conditions hold, so one form of the"
    " prediction holds.",
    "link": "a data path between two levels: REG-L1, L1-L2, L2-L3, L3-MEM.",
    "load": "traffic of lines that move towards the core to be read: one of three kinds of traffic"
    " on a link, beside write-allocate and evict.",
    "write-allocate": "traffic of lines that move towards the core to be stored to: a store to a"
    " line that is not cached first brings that line in.",
    "evict": "traffic of changed lines on their way back towards memory.",
    "compulsory": "traffic that no cache can save: every line is moved once from cold caches. A"
    " lower bound; data that leaves the cache before its reuse adds to it.",
    "operational intensity": "work per byte over a named link, flop/B unless another"
    " metric is chosen.",
    "flop": "a floating-point operation, counted as written: add, sub, mul, div and sqrt are one,"
    " a fused multiply-add is two.",
    "iop": "an integer operation, as flop; those that compute addresses are not counted.",
    "exchange": "two elements that change places, as in a transposition or a swap.",
    "roof": "the highest performance a machine allows at an intensity: the lower of its compute"
    " peak and bandwidth x intensity.",
    "ceiling": "a lower limit under the roof that holds while an optimisation is missing, such as"
    " SIMD or memory affinity.",
    "ridge point": "the intensity at which the bandwidth reaches the compute peak: below it a loop"
    " is memory-bound, above it compute-bound.",
    "memory-bound": "limited by the data rate of a link: fewer bytes per unit of work help, more"
    " arithmetic speed does not.",
    "compute-bound": "limited by arithmetic: the data rate of every link would allow more.",
    "prediction": "the result of one model for one kernel on one machine with a number of cores.",
    "advice": "a rule's finding in a loop: evidence, the change, and its predicted gain.",
    "cy/CL": "cycles per line of work: per as many iterations as fill a cache line of the array"
    " that is stored, eight of a loop over doubles.",
    "T_OL": "cycles of the core that overlap with transfers: the maximum of arithmetic, stores,"
    " issue and latency.",
    "T_nOL": "cycles of the core that do not overlap with transfers: loads, on Intel.",
    "T_ECM": "the ECM model's cycles per line of work with the data in a given level.",
    "n_S": "the number of cores that saturate the memory of their NUMA domain: T_ECM over the"
    " cycles on the link to memory, rounded up.",
    "issue": "the start of instructions; the bound that the core's width puts on a loop, in"
    " instructions per cycle.",
    "latency": "the cycles from an instruction's start to its result; the bound that a chain of"
    " dependent instructions puts on a loop.",
    "stall": "cycles in which a full buffer, such as the reorder buffer, keeps further instructions"
    " from entering the core.",
    "overlap bound": "the bound that holds where no single resource is busy in every cycle: the"
    " resources that limit the loop work one after another in part.",
    "procedure": "a program for host and coprocessors as the hybrid estimator sees it: a scheme of"
    " loads, kernels and stores of blocks.",
    "page": "in a procedure, the block of work that is loaded, computed and stored as one; in a"
    " note on the TLB, the unit in which memory is mapped.",
    "β": "balance of a procedure's stage: the time for computing over the time for transfers."
    " Above 1 the kernels limit, below 1 the channel does.",
    "verdict": "the one record of a loop on a machine: its limiter, the time now, the time that the"
    " best advice makes possible, its share of the run, and the confidence in all that. The time is"
    " the larger of the ECM model's and the roofline's.",
    "latency chain": "a limiter: each iteration waits for a result of the previous one, so the"
    " latencies of the instructions in between add up, and units stay idle. No roof of the plot"
    " shows it: the loop lies below all of them.",
    "multiply-add units": "a limiter: the ports that add, multiply and compare floating-point"
    " numbers are always busy. Its roof is the compute peak, the horizontal one.",
    "integer units": "a limiter: the ports for integer arithmetic and logic are always busy."
    " Its roof is the compute peak in integer operations.",
    "divider": "a limiter: divisions and square roots, which start only every few cycles. Its roof"
    " is their rate in the widest registers.",
    "shuffle units": "a limiter: the ports that move elements within vector registers are always"
    " busy, as in loops with strides or conversions. The compute peak is the roof above it.",
    "branch units": "a limiter: the ports of jumps are always busy. The compute peak is the"
    " roof above it.",
    "load units": "a limiter: the ports that load from L1 are always busy. Its roof is REG-L1.",
    "store units": "a limiter: the ports that store to L1 are always busy. Its roof is REG-L1.",
    "instruction issue": "a limiter: the core starts as many instructions per cycle as it can,"
    " whatever they do. The compute peak is the roof above it.",
    "L1": "a limiter: the link from L1 to the registers, REG-L1, which is the steepest roof.",
    "L2": "a limiter: the link L1-L2, whose roof has the data rate of L2.",
    "L3": "a limiter: the link L2-L3, whose roof has the data rate of L3.",
    "DRAM": "a limiter: the link to memory, the lowest of the slanted roofs.",
    "random reads": "a limiter: accesses whose addresses are known at run time only. The time is a"
    " range, from all of them hitting a cache to a line of memory for each: then its roof is that"
    " of DRAM.",
    "page walks": "a limiter: looking up addresses of pages that the TLB does not hold, which keeps"
    " loads waiting wherever the data is. Larger pages help; no roof of the plot shows it.",
    "wrong guesses": "a limiter at the far end of a range: data decide a branch that the compiled"
    " loop keeps, and the core starts again wherever its guess is wrong. Sorted data, or code"
    " without the branch, costs none of it; no roof of the plot shows it.",
    "call": "a limiter: a function that the loop calls takes most of the time. A call whose body is"
    " not known makes the time a lower bound, shown with ≥; the roof above is that of the rest.",
    "start-up": "a limiter: entering and leaving a loop of few iterations, such as filling the"
    " pipeline. No roof of the plot shows it.",
    "core": "a limiter: units of the core that none of the other names fits, such as those of"
    " address arithmetic. The compute peak is the roof above them.",
    "reorder buffer": "a limiter: the instructions in flight fill the buffer that puts results in"
    " order, so that waiting for one delays all later ones. No roof of the plot shows it.",
    "unknown": "a limiter that no model names; the loop has no place under the roofs.",
    "of its limit": "the part of a roof that a loop reaches: its time at the lowest roof over"
    " the predicted time. A loop at its limit gets faster only by moving or computing less.",
    "limit": "the resource that sets the time of a loop, and the part of that resource's roof that"
    " the loop reaches.",
    "time": "of a row in a table, the share of the run; of a loop, the seconds of all its"
    " executions in a run, with those of the functions that it calls.",
    "share": "the part of the run's time that a loop takes, without the loops of functions that it"
    " calls: from a profile, from counts, or, marked ≈, from the source alone.",
    "now": "the time of a loop as it is; ≥ where code is left out, a range where it depends on"
    " addresses that only a run knows.",
    "possible": "the time of a loop with the change that saves most.",
    "gain": "the time now over the time that a change makes possible; of several models the least.",
    "do": "the change that saves most, with its rule and its gain; or the function that the time is"
    " in, or the call that is not counted. – where nothing is known to do.",
    "best": "of several machines the one, other than the first, on which a loop takes least time.",
    "runs": "the executions of a loop in a run, and the iterations of one execution.",
    "confidence": "the trust that a verdict deserves: low, medium or high, the worst that guessed"
    " sizes, code left out, the machine file, the change and a measurement allow.",
    "doubts": "the reasons for less than high confidence, and the sizes at which a verdict holds.",
    "instances": "the copies of one loop: of a template for several types, or of a function that is"
    " inlined at several calls. A row has their time together.",
    "work": "the operations, loads and stores of an iteration, as written in the source.",
    "traffic": "the bytes of an iteration that move over each link: load, write-allocate and"
    " evict.",
    "layers": "rows, planes and arrays with the level that holds each until it is used again, and"
    " the layer condition for that.",
    "vectors": "the number of iterations that one instruction does, or why the compiler leaves the"
    " loop scalar.",
    "scalar": "code that does one iteration at a time, although the machine has vectors.",
    "with": "the sizes and the cores behind the numbers of a loop, each with its origin.",
    "models": "the times of all models, in cycles per iteration. The verdict takes the larger of"
    " ECM's and the roofline's.",
    "details": "everything that the numbers of one loop rest on; of loops of next to no time a"
    " large page leaves them out.",
    "no answer": "a model that does not apply to a loop, and the reason.",
    "machine": "the machine file that the numbers are of, and how its figures were found.",
    "measured": "a time from a run, beside the predicted one, with its conditions.",
    "assumed": "the assumptions behind the numbers of a loop.",
    "not counted": "code inside a loop that its time leaves out, which makes it a lower bound.",
    "recurrence": "a value that an iteration needs from the previous one; its latency bounds the"
    " loop, and vectors cannot hide it.",
    "reduction": "a sum or the like over all iterations; it is vectorised only if the compiler may"
    " reorder it (-fassociative-math).",
    "refused": "a loop that was found but not analysed; the report gives the reason.",
    "not covered": "code inside an analysed loop that its numbers leave out.",
}  # fmt: skip


LONG_WORDS: Final = {short: long for long, short in SHORT_WORDS.items()}
"""Names of limiters by the short ones of the tables."""


def explanation(word: str) -> str:
    """The text about a rule, a model or a word; raises UsageError for any other name."""
    code = is_code(word)
    found = [] if not code and word in WORDS else all_rules()
    for rule in found:
        if word in (rule.code, rule.slug, *rule.aliases):
            return rule_page(rule)
    if code:
        known = [name for each in found for name in (each.code, *each.aliases)]
        raise UsageError(f"explain: unknown rule '{word}'{near_miss(word, known)}")
    return _text(word if word in WORDS else LONG_WORDS.get(word, word), all_models())


def all_rules() -> list[Rule | Note]:
    """Rules and notes of the lint, by code."""
    return sorted((*NOTES, *with_rules(load_registry()).rules), key=lambda each: each.code)


def all_models() -> dict[str, Model]:
    """Models by name, those on request included."""
    return {model.name: model for model in with_requested(load_registry(), ON_REQUEST).models}


def _fields(model: Model) -> str:
    """The documented fields of a model's data; empty if the model documents none."""
    fields = model_text(model).fields
    names = [f"{field.name} ({field.unit})" if field.unit else field.name for field in fields]
    width = max(map(len, names), default=0)
    lines = [
        f"  {name:<{width}}  {field.sentence}\n" for name, field in zip(names, fields, strict=True)
    ]
    return f"\nIts data:\n{''.join(lines)}" if lines else ""


def _text(word: str, models: dict[str, Model]) -> str:
    if word in models:
        return _model_page(word, models[word])
    similar = [term for term in WORDS if f" {_key(word)}" in f" {_key(term)}"]
    exact = [term for term in similar if _key(term) == _key(word)]
    if similar:
        return "".join(f"{term}: {WORDS[term]}\n" for term in exact or similar)
    hint = near_miss(word, [*WORDS, *models]) or "; 'rooflint explain' lists them all"
    raise UsageError(f"explain: '{word}' is neither a model nor a term of the reports{hint}")


def _model_page(name: str, model: Model) -> str:
    module = inspect.getmodule(type(model))
    page = inspect.getdoc(module) if module else None
    return f"{name}: {page or inspect.getdoc(type(model)) or 'no documentation'}\n{_fields(model)}"


def _key(word: str) -> str:
    return word.lower().replace("-", " ").replace("_", " ")
