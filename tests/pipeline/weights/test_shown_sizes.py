"""One source of a size: whoever sets it, trips, runs, times and shares are those of its value."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rooflint.pipeline import Analysis, Options, Source
from rooflint.pipeline.live.child import answerer
from rooflint.pipeline.live.messages import BufferRequest
from rooflint.pipeline.weights.basis import weighed_basis
from rooflint.plugin_api.report import FileReport, KernelReport, Report
from rooflint.registry import load_registry
from rooflint.verdict.steps import with_verdicts

ADD = """void add(double *a, const double *b, int n) {{
    {comment}
    for (int i = 0; i < n; i++) a[i] = a[i] + b[i];
}}
void unset(double *a, int m) {{ for (int i = 0; i < m; i++) a[i] *= 2; }}
"""
ROWS = """void rows(const int *row, const double *v, double *y, int count) {{
    {comment}
    for (int i = 0; i < count; i++) {{
        double s = 0;
        for (int j = row[i]; j < row[i + 1]; j++) s += v[j];
        y[i] = s;
    }}
}}
"""
CALLER = """void scale(double *a, int n) {{ for (int i = 0; i < n; i++) a[i] *= 2; }}
void run(double *a, int edge) {{
    {comment}
    scale(a, edge * edge);
}}
"""
VALUES = (1, 20_000_000)
"""Below each typical length, and beyond what a guess may be."""
MACHINE = "generic-2level"

Setting = Callable[[Path, str, int], dict[str, int]]


def by_comment(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(text.format(comment=f"// rooflint: n={value}"))
    return {}


def by_trip(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(text.format(comment=f"// rooflint: trip(i={value})"))
    return {}


def by_comment_of_the_file(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(f"// rooflint: n={value}\n\nint x;\n" + text.format(comment=""))
    return {}


def by_option(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(text.format(comment=""))
    return {"n": value}


def by_scoped_option(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(text.format(comment=""))
    return {"add:n": value}


def by_configuration(folder: Path, text: str, value: int) -> dict[str, int]:
    (folder / "a.c").write_text(text.format(comment=""))
    (folder / "rooflint.toml").write_text(f"[sizes]\nn = {value}\n")
    return {}


SETTINGS = (
    by_comment,
    by_trip,
    by_comment_of_the_file,
    by_option,
    by_scoped_option,
    by_configuration,
)


def options(sizes: dict[str, int]) -> Options:
    return Options(machines=(MACHINE,), sizes=sizes, cache_dir="", jobs=1)


def analysed(folder: Path, sizes: dict[str, int]) -> Report:
    """The folder's files as ``analyze`` has them: of several, one program."""
    analysis = Analysis(options(sizes), load_registry())
    for _ in analysis.files([Source(str(path)) for path in sorted(folder.glob("*.c"))]):
        pass
    return analysis.report()


def edited(folder: Path, sizes: dict[str, int]) -> FileReport:
    """The file as an editor's server has it."""
    path = folder / "a.c"
    request = BufferRequest(options=options(sizes), path=str(path), text=path.read_bytes())
    seen = answerer(None, low_priority=False)(request)
    assert seen is not None
    return seen.result.report


def kernels(file: FileReport) -> dict[str, KernelReport]:
    """The innermost loop of each function."""
    return {
        function.name: kernel
        for function in file.functions
        for kernel in function.kernels()
        if kernel.innermost
    }


def runs_of(kernel: KernelReport) -> tuple[float, float]:
    weight = kernel.weight
    assert weight is not None
    assert weight.executions is not None
    assert weight.iterations is not None
    return weight.executions, weight.iterations


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("value", VALUES)
def test_runs_are_those_of_the_size_that_is_set(
    setting: Setting, value: int, tmp_path: Path
) -> None:
    sizes = setting(tmp_path, ADD, value)
    report = analysed(tmp_path, sizes)
    for file in (report.files[0], edited(tmp_path, sizes)):
        add = kernels(file)["add"]
        assert add.results[0].sizes["n"].value == value
        assert add.results[0].trips == (value,)
        assert runs_of(add) == (1, value)


def test_time_and_share_are_those_of_the_size_in_a_comment(tmp_path: Path) -> None:
    by_comment(tmp_path, ADD, 20_000_000)
    report = with_verdicts(analysed(tmp_path, {}))
    (verdict,) = [each for each in report.verdicts if each.place.function == "add"]
    assert verdict.time.now_cy is not None
    assert verdict.time.iterations == 20_000_000
    # the other function is an entry of its own: each takes all of the time of its run
    add = kernels(report.files[0])["add"]
    assert add.weight is not None
    assert add.weight.share == pytest.approx(1, rel=0.01)
    assert add.weight.cycles == pytest.approx(20_000_000 * verdict.time.now_cy)


@pytest.mark.parametrize("setting", SETTINGS)
def test_files_of_a_program_know_it_too(setting: Setting, tmp_path: Path) -> None:
    sizes = setting(tmp_path, ADD, 5000)
    (tmp_path / "b.c").write_text("void other(double *a) { a[0] = 1; }\n")
    file = next(each for each in analysed(tmp_path, sizes).files if each.path.endswith("a.c"))
    assert runs_of(kernels(file)["add"]) == (1, 5000)


def test_rows_of_a_length_that_only_the_report_knows(tmp_path: Path) -> None:
    comment = "// rooflint: count=1000000, row[i+1]-row[i]=11"
    (tmp_path / "a.c").write_text(ROWS.format(comment=comment))
    (file,) = analysed(tmp_path, {}).files
    assert runs_of(kernels(file)["rows"]) == (1e6, 11e6)


def test_size_in_a_comment_flows_to_what_is_computed_from_it(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CALLER.format(comment="// rooflint: edge=70"))
    (file,) = analysed(tmp_path, {}).files
    scale = kernels(file)["scale"]
    assert scale.results[0].sizes["n"] == scale.results[0].sizes["n"]._replace(
        value=4900, origin="comment"
    )
    assert runs_of(scale) == (1, 4900)


def test_an_option_holds_before_a_comment_and_that_before_the_configuration(
    tmp_path: Path,
) -> None:
    by_configuration(tmp_path, ADD, 40)
    by_comment(tmp_path, ADD, 30)
    assert runs_of(kernels(analysed(tmp_path, {}).files[0])["add"]) == (1, 30)
    assert runs_of(kernels(analysed(tmp_path, {"n": 20}).files[0])["add"]) == (1, 20)


def test_a_comment_sets_no_size_of_another_function(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        ADD.format(comment="// rooflint: n=70") + "void g(double *c, int n) {"
        " for (int i = 0; i < n; i++) c[i] = 0; }\n"
    )
    found = kernels(analysed(tmp_path, {}).files[0])
    assert runs_of(found["g"]) == (1, found["g"].results[0].sizes["n"].value)
    assert found["g"].results[0].sizes["n"].origin == "role"


def test_moved_comment_changes_the_answer_of_a_server(tmp_path: Path) -> None:
    path = str(tmp_path / "a.c")
    answer = answerer(None, low_priority=False)
    for revision, (value, comment) in enumerate(((30, "n=30"), (60, "n=60"))):
        text = ADD.format(comment=f"// rooflint: {comment}").encode()
        request = BufferRequest(options=options({}), path=path, text=text, revision=revision)
        seen = answer(request)
        assert seen is not None
        assert runs_of(kernels(seen.result.report)["add"]) == (1, value)


COPIED = """struct matrix { int rows; };
void set(struct matrix *m, int nx, int ny) {
    int rows = nx * ny;
    m->rows = rows;
}
void read(struct matrix *m) { int rows = 0; while (more()) rows++; m->rows = rows; }
void walk(struct matrix *m, double *y) {
    const int rows = m->rows;
    for (int i = 0; i < rows; i++) y[i] = 0;
}
"""


def test_a_counter_that_a_bound_is_copied_from_has_the_value_of_the_program(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.c").write_text(COPIED)
    (file,) = analysed(tmp_path, {"nx": 100, "ny": 200}).files
    walk = kernels(file)["walk"]
    assert walk.results[0].sizes["m->rows"].value == 20_000
    assert runs_of(walk) == (1, 20_000)


UNFITTING = """void part(double *a, int first, int last) {
    for (int i = first; i < last; i++) a[i] = 0;
}
void block(double *a, int n) {
    while (n >= 5000) { n -= 5000; a[n] = 0; }
}
"""


def test_a_loop_that_does_not_run_at_guessed_sizes(tmp_path: Path) -> None:
    # of a block's length the program knows nothing, and 250 elements are no block of 5000
    (tmp_path / "a.c").write_text(UNFITTING)
    found = kernels(analysed(tmp_path, {}).files[0])
    assert found["block"].results[0].sizes["n"].value == 250
    assert found["block"].results[0].trips == (None,)
    assert runs_of(found["block"]) == (1, 0)
    (file,) = analysed(tmp_path, {"n": 20_000}).files
    assert runs_of(kernels(file)["block"]) == (1, 4)
    # an empty range of two guesses says that these do not fit each other
    (file,) = analysed(tmp_path, {"first": 70, "last": 70}).files
    assert runs_of(kernels(file)["part"])[1] == 0


RESUMING = """struct state { int done, base; double *table; };
void more(struct state *t, const int *p, int size) {
    int end = t->base + size, i = t->done;
    LOOP
    t->done = end;
}
void all(struct state *t, const int *p) {
    for (int i = 0; i < 7; i++) more(t, p, 65536);
}
"""
FORMS = ["for (; i < end; i += STEP) t->table[i] = 2;", "while (i < end) { t->table[i] = 2; i++; }"]


@pytest.mark.parametrize(("form", "step"), [(FORMS[0], 1), (FORMS[0], 3), (FORMS[1], 1)])
def test_a_loop_that_goes_on_runs_as_far_as_such_loops_do(
    form: str, step: int, tmp_path: Path
) -> None:
    text = RESUMING.replace("LOOP", form).replace("STEP", str(step))
    (tmp_path / "a.c").write_text(text)
    more = kernels(analysed(tmp_path, {}).files[0])["more"]
    assert runs_of(more) == (7, 7 * 4)
    sizes = more.results[0].sizes
    end = sizes["t->base"].value + sizes["size"].value
    assert (sizes["t->done"].origin, sizes["t->done"].value) == ("role", end - 4 * step)


def test_a_loop_that_goes_on_begins_where_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(RESUMING.replace("LOOP", FORMS[1]))
    sizes = {"t->done": 100, "t->base": 40}
    more = kernels(analysed(tmp_path, sizes).files[0])["more"]
    assert runs_of(more) == (7, 7 * (65536 + 40 - 100))


CAPPED = """
int done(void);
void step(double *a) { for (int i = 0; i < 1000; i++) for (int j = 0; j < 1000; j++) a[j] += i; }
int main(void) {
    static double a[1000];
    int iter = 0, most = 10000000;
    while (iter < most) {
        step(a);
        if (done()) break;
        ++iter;
    }
}
"""


def test_a_largest_number_of_steps_is_no_number_of_steps(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CAPPED)
    (tmp_path / "b.c").write_text("int done(void) { return 0; }\n")
    analysis = Analysis(Options(machines=(MACHINE,)), load_registry())
    files = tuple(analysis.files([Source(str(tmp_path / name)) for name in ("a.c", "b.c")]))
    assert analysis.program is not None
    weights = analysis.program.weights(map(weighed_basis, files))
    (steps,) = [each for each in weights.loops if each.span.line == 7]
    assert 1 < steps.iterations < 10_000
