"""One-line bugs that the tests of a package should notice.

The first 34 are of the kinds that first measured the tests, put where that code is today; the rest
are boundaries, exchanged minima and maxima, and conditions left out, over all packages.
Each is one change of text that stands once in its file.
"""

from typing import Final, NamedTuple

CORE: Final = "analyzer/rooflint"
PLUGINS: Final = "plugins/rooflint_plugins"
LSP: Final = "lsp/rooflint_lsp"


class Mutant(NamedTuple):
    """A bug: ``old`` becomes ``new`` in ``file``, and one of ``tests`` should fail."""

    kind: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


KINDS: Final = (
    Mutant(
        kind="symbolic trip_count is rounded down",
        file=f"{CORE}/ir/nodes.py",
        old='function("floordiv", span + step - ONE, step)',
        new='function("floordiv", span, step)',
        tests=("tests/ir",),
    ),
    Mutant(
        kind="trip(i=...) forgets the step of the loop",
        file=f"{CORE}/scenario/sizes.py",
        old="(trips * abs(step) - constant)",
        new="(trips - constant)",
        tests=("tests/scenario",),
    ),
    Mutant(
        kind="a product with two uses is fused",
        file=f"{CORE}/core/graph/simplify.py",
        old="single = uses[argument] == 1 and",
        new="single = uses[argument] >= 1 and",
        tests=("tests/core",),
    ),
    Mutant(
        kind="every invariant store is a memset",
        file=f"{CORE}/core/graph/idioms.py",
        old='return "memset" if _one_byte(value, store.access.bytes) else None',
        new='return "memset"',
        tests=("tests/core",),
    ),
    Mutant(
        kind="char accesses no longer touch any object",
        file=f"{CORE}/dependence/alias.py",
        old="kinds & (CHARACTERS | UNTYPED)",
        new="kinds & UNTYPED",
        tests=("tests/dependence",),
    ),
    Mutant(
        kind="vector code is taken though 25 % slower",
        file=f"{CORE}/core/vectorize/vectorizer.py",
        old="other.t_core_cy * (1 - 1e-9)",
        new="other.t_core_cy * 1.25",
        tests=("tests/core",),
    ),
    Mutant(
        kind="a sign in Faulhaber's polynomial of degree 4",
        file=f"{CORE}/facts/points.py",
        old="(30, ((5, 6), (4, 15), (3, 10), (1, -1)))",
        new="(30, ((5, 6), (4, 15), (3, 10), (1, 1)))",
        tests=("tests/facts/test_points.py", "tests/facts/test_power_sums.py"),
    ),
    Mutant(
        kind="loops are projected out by their upper ends only",
        file=f"{CORE}/facts/space.py",
        old="ends = span.high if (coefficient > 0) == (direction > 0) else span.low",
        new="ends = span.high",
        tests=("tests/facts",),
    ),
    Mutant(
        kind="a walk back keeps a share of all ways",
        file=f"{CORE}/memory/retention.py",
        old="max(0.0, (ways - always) / (most - always))",
        new="max(0.0, ways / most)",
        tests=("tests/memory/test_reuse.py", "tests/memory/test_retention.py"),
    ),
    Mutant(
        kind="saturation at exactly n_S cores",
        file=f"{PLUGINS}/models/ecm/model.py",
        old="in_domain >= answer.n_s",
        new="in_domain > answer.n_s",
        tests=("tests/models/test_ecm.py", "tests/models/test_ecm_formulas.py"),
    ),
    Mutant(
        kind="load balance raises what independent chains are compared with",
        file=f"{PLUGINS}/models/ceilings/verdicts.py",
        old='if rung.name not in ("tlp", "load-balance"):',
        new='if rung.name not in ("tlp",):',
        tests=("tests/models/test_ceilings_stated.py", "tests/models/test_ceilings.py"),
    ),
    Mutant(
        kind="RL101 takes strides up to four lines for short",
        file=f"{CORE}/rule_kit/columns.py",
        old="abs(step) > line:",
        new="abs(step) > 4 * line:",
        tests=("tests/rules/test_thresholds.py", "tests/rules/test_pages.py"),
    ),
    Mutant(
        kind="a SARIF region ends on its first line",
        file=f"{CORE}/render/findings/sarif.py",
        old='"endLine": max(1, span.end_line)',
        new='"endLine": max(1, span.line)',
        tests=("tests/render/test_findings.py",),
    ),
    Mutant(
        kind="what-if of K adds one coprocessor in place of doubling them",
        file=f"{PLUGINS}/models/hybrid/evaluate/balance.py",
        old="system.coprocessors * FACTOR",
        new="system.coprocessors + 1",
        tests=("tests/models/hybrid/evaluate/test_balance.py",),
    ),
    Mutant(
        kind="a host cache holds four times its size",
        file=f"{PLUGINS}/models/hybrid/derive/host_only.py",
        old="if footprint_bytes > link.held_bytes:",
        new="if footprint_bytes > 4 * link.held_bytes:",
        tests=("tests/models/hybrid/derive/test_host_comparison.py",),
    ),
    Mutant(
        kind="a literal of 54 bits is printed as a float",
        file=f"{CORE}/source_edit/c_writer/words.py",
        old="return abs(top) < 1 << 24 and",
        new="return abs(top) < 1 << 54 and",
        tests=("tests/source_edit/test_text.py",),
    ),
    Mutant(
        kind="a constant remainder is not reduced",
        file=f"{CORE}/ir/poly.py",
        old="return Poly.constant(rest.value % by)",
        new="return Poly.constant(rest.value)",
        tests=("tests/ir",),
    ),
    Mutant(
        kind="a size from an extent forgets the offset of the access",
        file=f"{CORE}/scenario/sizes.py",
        old="value = extent - rest - shift",
        new="value = extent - rest",
        tests=("tests/scenario",),
    ),
    Mutant(
        kind="every function of libm has a vector form",
        file=f"{CORE}/core/vectorize/legality.py",
        old="(compiler.vector_calls and base in VECTOR_CYCLES)",
        new="base in VECTOR_CYCLES",
        tests=("tests/core",),
    ),
    Mutant(
        kind="the test by the greatest common divisor is dropped",
        file=f"{CORE}/facts/systems.py",
        old="if constant % gcd(*factors.values()) if factors else constant:",
        new="if not factors and constant:",
        tests=("tests/facts/test_systems.py", "tests/facts/test_dependences.py"),
    ),
    Mutant(
        kind="loops that count down have their directions the wrong way round",
        file=f"{CORE}/facts/directions.py",
        old="sign = 1 if (self.common[level].step.value or 1) > 0 else -1",
        new="sign = 1 if (self.common[level].step.value or 1) < 0 else -1",
        tests=("tests/facts/test_dependences.py",),
    ),
    Mutant(
        kind="the last value of a scalar that is read behind the loop",
        file=f"{CORE}/transform/nest/legality.py",
        old='raise RefusalError(f"{read} is used after the loop")',
        new="pass",
        tests=("tests/transform/test_legality.py",),
    ),
    Mutant(
        kind="integers whose changes the IR does not state",
        file=f"{CORE}/transform/nest/legality.py",
        old='raise RefusalError(f"{name} changes in a way that is not modelled")',
        new="pass",
        tests=("tests/transform/test_unstated.py", "tests/transform/test_legality.py"),
    ),
    Mutant(
        kind="page walks of streams with eight steps in a page",
        file=f"{CORE}/memory/pages.py",
        old="step * STEPS_A_PAGE >= page_bytes",
        new="step * STEPS_A_PAGE > page_bytes",
        tests=("tests/memory/test_pages.py",),
    ),
    Mutant(
        kind="RL401 offers threads for a tenth of the work",
        file=f"{PLUGINS}/rules/rl401_parallel_outer.py",
        old="if seconds >= WORTH * FORK_JOIN_S:",
        new="if seconds >= FORK_JOIN_S:",
        tests=("tests/rules/test_thresholds.py", "tests/rules/test_thread_rules.py"),
    ),
    Mutant(
        kind="a threads comment is no part of a function's key",
        file=f"{CORE}/incremental/function_outcomes.py",
        old="threads=scope.threads",
        new="threads=None",
        tests=("tests/incremental/test_function_outcomes.py",),
    ),
    Mutant(
        kind="a header that appears nearer is not looked for",
        file=f"{CORE}/pipeline/results.py",
        old="map(self._is_there, inputs.absent)",
        new="map(self._is_there, ())",
        tests=("tests/incremental/test_results.py",),
    ),
    Mutant(
        kind="a counter behind a loop that is left early holds its bound",
        file=f"{CORE}/frontend/lower/loops/loops.py",
        old='early = bool(exits) and exits != ("continue",)',
        new="early = False",
        tests=("tests/frontend/test_counters.py", "tests/frontend/test_shortcuts.py"),
    ),
    Mutant(
        kind="allow(RL1) accepts no finding of the family",
        file=f"{CORE}/lint/allowed.py",
        old="if selects(code, advice.code)",
        new="if code == advice.code",
        tests=("tests/lint/test_settings.py", "tests/lint/test_command.py"),
    ),
    Mutant(
        kind="characters beyond the first plane are one UTF-16 unit",
        file=f"{LSP}/documents/positions.py",
        old='character > "\\uffff"',
        new='character > "\\U0010ffff"',
        tests=("tests/lsp/test_documents.py",),
    ),
    Mutant(
        kind="a model is asked before the models that it needs",
        file=f"{CORE}/registry.py",
        old="        placed.append(ready[0])\n        waiting.remove(ready[0])",
        new="        placed.append(waiting.pop(0))",
        tests=("tests/test_registry.py",),
    ),
    Mutant(
        kind="a range of gains is shown from 1.3 times on",
        file=f"{CORE}/plugin_api/advice.py",
        old="if gain.high < 1.3 * gain.low:",
        new="if gain.high < 1.5 * gain.low:",
        tests=("tests/plugin_api/test_advice.py", "tests/render/test_findings.py"),
    ),
    Mutant(
        kind="the compiler is no part of the cache's key",
        file=f"{CORE}/pipeline/results.py",
        old="canonical(AskedFile(request, compiler, digest))",
        new='canonical(AskedFile(request, Compiler("clang"), digest))',
        tests=("tests/incremental/test_results.py",),
    ),
    Mutant(
        kind="a loop down to its bound, >=, stops before it",
        file=f"{CORE}/frontend/lower/loops/trips.py",
        old='">": bound, ">=": bound - 1}[name]',
        new='">": bound, ">=": bound}[name]',
        tests=("tests/frontend/test_counters.py", "tests/frontend/test_lowering.py"),
    ),
)

OTHERS: Final = (
    Mutant(
        kind="a stride of exactly one line surely leaves it",
        file=f"{CORE}/rule_kit/cache_fit.py",
        old="abs(stride.value) > line_bytes",
        new="abs(stride.value) >= line_bytes",
        tests=("tests/rules/test_thresholds.py", "tests/rules/test_pages.py"),
    ),
    Mutant(
        kind="RL402 speaks of one thread too many",
        file=f"{PLUGINS}/rules/rl402_past_saturation.py",
        old="threads > saturated + FEW",
        new="threads >= saturated + FEW",
        tests=("tests/rules/test_thresholds.py", "tests/rules/test_saturation.py"),
    ),
    Mutant(
        kind="n_S of more cores than a domain has counts as saturation",
        file=f"{CORE}/rule_kit/openmp.py",
        old="None if number is None or number > domain else",
        new="None if number is None else",
        tests=("tests/rules/test_saturation.py",),
    ),
    Mutant(
        kind="n_S is rounded down",
        file=f"{PLUGINS}/models/ecm/scaling.py",
        old="math.ceil(total_cy / memory_cy - ROUNDING)",
        new="math.floor(total_cy / memory_cy + ROUNDING)",
        tests=("tests/models/test_ecm_formulas.py",),
    ),
    Mutant(
        kind="cores that wait add a whole transfer of latency",
        file=f"{PLUGINS}/models/ecm/scaling.py",
        old="busy * (active - 1) * memory_cy / 2",
        new="busy * (active - 1) * memory_cy",
        tests=("tests/models/test_ecm_formulas.py",),
    ),
    Mutant(
        kind="a link that overlaps is added up",
        file=f"{PLUGINS}/models/ecm/composition.py",
        old="            slowest = max(slowest, cycles)",
        new="            serial += cycles",
        tests=("tests/models/test_ecm.py", "tests/models/test_ecm_formulas.py"),
    ),
    Mutant(
        kind="the roof is the higher of peak and bandwidth",
        file=f"{PLUGINS}/models/roofline/roof.py",
        old="return fed if peak is None or fed < peak else peak",
        new="return fed if peak is None or fed > peak else peak",
        tests=("tests/models/test_roofline.py",),
    ),
    Mutant(
        kind="a stride of exactly one line counts as unit stride",
        file=f"{PLUGINS}/models/ceilings/verdicts.py",
        old="if abs(stride) >= line:",
        new="if abs(stride) > line:",
        tests=("tests/models/test_ceilings_stated.py", "tests/models/test_ceilings.py"),
    ),
    Mutant(
        kind="a stride of exactly one page stays in it",
        file=f"{PLUGINS}/models/ceilings/verdicts.py",
        old="abs(stride) >= PAGE_BYTES",
        new="abs(stride) > PAGE_BYTES",
        tests=("tests/models/test_ceilings_stated.py", "tests/models/test_ceilings.py"),
    ),
    Mutant(
        kind="what needs a store waits for its latency",
        file=f"{PLUGINS}/models/bounds/prebounds.py",
        old='0.0 if form.role == "store" else float(form.latency)',
        new="float(form.latency)",
        tests=("tests/models/test_bounds_chains.py", "tests/models/test_bounds.py"),
    ),
    Mutant(
        kind="the common cycles are a share of the longer span",
        file=f"{PLUGINS}/models/bounds/metrics.py",
        old="shorter = min(self.span(first), self.span(second))",
        new="shorter = max(self.span(first), self.span(second))",
        tests=("tests/models/test_bounds.py", "tests/models/test_bounds_laws.py"),
    ),
    Mutant(
        kind="a cache that the bytes fill exactly holds no layer",
        file=f"{CORE}/memory/layers.py",
        old="return required < capacity_bytes if self.below else required <= capacity_bytes",
        new="return required < capacity_bytes",
        tests=("tests/memory/test_layers.py",),
    ),
    Mutant(
        kind="the largest size of a quadratic condition is one too small",
        file=f"{CORE}/memory/layers.py",
        old="(isqrt(inside) - b) // (2 * a)",
        new="(isqrt(inside) - b) // (2 * a) - 1",
        tests=("tests/memory/test_layers.py",),
    ),
    Mutant(
        kind="caches from the second level on are hashed",
        file=f"{CORE}/memory/hierarchy.py",
        old="HASHED_FROM = 2",
        new="HASHED_FROM = 1",
        tests=("tests/memory/test_hierarchy.py",),
    ),
    Mutant(
        kind="a cache is shared by all cores that could use it",
        file=f"{CORE}/memory/hierarchy.py",
        old="sharing = min(cores, level.shared_by_cores)",
        new="sharing = level.shared_by_cores",
        tests=("tests/memory/test_hierarchy.py",),
    ),
    Mutant(
        kind="two restrict pointers may overlap",
        file=f"{CORE}/dependence/alias.py",
        old=" or (a.restrict and b.restrict)",
        new="",
        tests=("tests/dependence",),
    ),
    Mutant(
        kind="members that touch end to end overlap",
        file=f"{CORE}/dependence/alias.py",
        old="first[0] + first[1] <= second[0]",
        new="first[0] + first[1] < second[0]",
        tests=("tests/dependence",),
    ),
    Mutant(
        kind="signed and unsigned integers of a size do not overlap",
        file=f"{CORE}/dependence/alias.py",
        old='return first == second or (signs == {"i", "u"} and first[1:] == second[1:])',
        new="return first == second",
        tests=("tests/dependence",),
    ),
    Mutant(
        kind="a value that is read before it is stored limits the vector",
        file=f"{CORE}/core/graph/dependences.py",
        old="            if store > load:  # else",
        new="            if True:  # else",
        tests=("tests/core",),
    ),
    Mutant(
        kind="a difference s = x - s counts as a sum",
        file=f"{CORE}/core/graph/chains.py",
        old='first = node.op != "sub" or place == 0',
        new="first = True",
        tests=("tests/core",),
    ),
    Mutant(
        kind="a tile's last block is not cut at the loop's end",
        file=f"{CORE}/transform/strips.py",
        old="if whole is None or not step or whole % (step * size):",
        new="if whole is None or not step:",
        tests=("tests/transform/test_strips.py", "tests/transform/test_legality.py"),
    ),
    Mutant(
        kind="the most of if (x > s) s = x is taken for the least",
        file=f"{CORE}/transform/nest/scalars.py",
        old='return "min" if _LARGER[compare.operator] == sides[1] else "max"',
        new='return "max" if _LARGER[compare.operator] == sides[1] else "min"',
        tests=("tests/transform/test_scalars.py",),
    ),
    Mutant(
        kind="a gain that has grown by exactly a tenth is said again",
        file=f"{CORE}/lint/baseline.py",
        old="advice.gain.low <= GROWN * entry.gain",
        new="advice.gain.low < GROWN * entry.gain",
        tests=("tests/lint/test_baseline.py", "tests/lint/test_selections.py"),
    ),
    Mutant(
        kind="what was used last is forgotten first",
        file=f"{CORE}/incremental/store.py",
        old="popitem(last=False)",
        new="popitem(last=True)",
        tests=("tests/incremental/test_store.py",),
    ),
    Mutant(
        kind="a second socket may bring a little less bandwidth",
        file=f"{CORE}/machine/order.py",
        old="limit = entry.gb_s if across else entry.gb_s * FALL",
        new="limit = entry.gb_s * FALL",
        tests=("tests/machine/test_load.py", "tests/machine/test_figures.py"),
    ),
    Mutant(
        kind="a message longer than agreed by a byte is read",
        file=f"{CORE}/workers/frames.py",
        old="if length > self._limit:",
        new="if length > self._limit + 1:",
        tests=("tests/workers/test_wire.py",),
    ),
)

MUTANTS: Final = (*KINDS, *OTHERS)
