"""Control-flow graphs of bodies, and what the front end makes of them."""

from rooflint.compile_flags.flags import Flags
from rooflint.compile_flags.options import Language
from rooflint.frontend.extract import extract
from rooflint.frontend.request import Request
from rooflint.ir import Branch, Call, ControlFlowGraph, Function, Loop, walk
from rooflint.workers.wire import Codec


def lowered(text: str, language: Language = "c") -> Function:
    (source,) = extract(Request("/nowhere/a", Flags(language), text.encode())).functions
    return source.function


def loop_graph(body: str, before: str = "", language: Language = "c") -> ControlFlowGraph:
    text = f"""{before}
    void log_it(int); int f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {body} }}
    out: return 0; }}"""
    graphs = [graph for graph in lowered(text, language).graphs if graph.loop == "i"]
    return graphs[0]


def leaving(body: str, before: str = "", language: Language = "c") -> list[tuple[bool, bool]]:
    text = f"""{before}
    void log_it(int); int f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {body} }}
    out: return 0; }}"""
    function = lowered(text, language)
    return [node.exit_paths for node in walk(function.body) if isinstance(node, Branch)]


def test_an_arm_that_returns_is_an_exit_path() -> None:
    assert leaving("if (a[i] < 0) { log_it(i); return -1; } a[i] *= 2;") == [(True, False)]
    assert leaving("if (a[i] < 0) { log_it(i); } a[i] *= 2;") == [(False, False)]
    assert leaving("if (a[i] >= 0) a[i] *= 2; else { log_it(i); break; }") == [(False, True)]


def test_a_goto_out_of_the_loop_is_an_exit_path_and_one_inside_is_none() -> None:
    assert leaving("if (a[i] < 0) goto out; a[i] *= 2;") == [(True, False)]
    assert leaving("if (a[i] < 0) goto next; a[i] *= 2; next: a[i] += 1;") == [(False, False)]
    assert leaving("if (a[i] < 0) continue; a[i] *= 2;") == [(False, False)]


def test_statements_behind_a_label_that_only_jumps_lead_to() -> None:
    body = "if (a[i] < 0) goto bad; a[i] *= 2; continue; bad: log_it(i); return -1;"
    assert leaving(body) == [(True, False), (True, False)]


def test_a_loop_that_always_leaves_has_no_exit_path() -> None:
    assert leaving("if (a[i] < 0) { a[i] = 0; } return 1;") == [(False, False)]


def test_arms_of_a_switch() -> None:
    arms = leaving(
        "switch (n) { case 0: a[i] = 1; break; case 1: log_it(i); return 1; default: a[i] = 2; }"
    )
    assert [then for then, _ in arms] == [False, True, False]


def test_calls_that_never_return_are_exit_paths() -> None:
    for before, call in (
        ("#include <stdlib.h>", "exit(1);"),
        ("_Noreturn void die(int);", "die(i);"),
        ("__attribute__((noreturn)) void die(int);", "die(i);"),
        (
            "#include <stdlib.h>\n static void die(int k) { if (k) abort(); else exit(k); }",
            "die(i);",
        ),
    ):
        assert leaving(f"if (a[i] < 0) {{ {call} }} a[i] *= 2;", before)[0] == (True, False)
    may_return = "#include <stdlib.h>\n static void die(int k) { if (k) abort(); }"
    assert leaving("if (a[i] < 0) { die(i); } a[i] *= 2;", may_return)[0] == (False, False)


def test_a_thrown_exception_is_an_exit_path() -> None:
    assert leaving("if (a[i] < 0) { log_it(i); throw 1; } a[i] *= 2;", "", "c++") == [(True, False)]
    before = "[[noreturn]] void die(int);"
    assert leaving("if (a[i] < 0) die(i); a[i] *= 2;", before, "c++") == [(True, False)]


def test_a_function_of_that_name_that_the_file_defines_is_its_own() -> None:
    before = "static int count; void abort(void) { count++; }"
    text = "if (a[i] < 0) { abort(); } a[i] *= 2;"
    assert all(not any(paths) for paths in leaving(text, before))


def test_exits_edges_and_roles_of_a_loop_body() -> None:
    graph = loop_graph("if (a[i] < 0) { log_it(i); return -1; } if (a[i] > 9) a[i] = 9; a[i] *= 2;")
    exits = sorted(block.exit for block in graph.blocks if block.exit)
    assert exits == ["end", "return"]
    roles = dict(zip(range(len(graph.blocks)), graph.roles(), strict=True))
    assert roles[0] == "always"
    left = next(n for n, block in enumerate(graph.blocks) if block.exit == "return")
    assert roles[left] == "exit-path"
    assert sorted(roles.values()).count("sometimes") == 1
    kinds_ = {edge.kind for edge in graph.edges}
    assert kinds_ == {"true", "false", "next"}
    assert all(edge.condition >= 0 for edge in graph.edges if edge.kind != "next")


def test_a_conditional_statement_does_not_post_dominate() -> None:
    graph = loop_graph("if (a[i] < 0) goto next; a[i] *= 2; next: a[i] += 1;")
    skipped = next(e.target for e in graph.edges if e.kind == "false")
    end = next(n for n, block in enumerate(graph.blocks) if block.exit == "end")
    assert graph.post_dominates(end, 0)
    assert not graph.post_dominates(skipped, 0)
    assert graph.roles()[skipped] == "sometimes"


def test_plain_bodies_have_no_graph() -> None:
    text = "void f(double *a, int n) { for (int i = 0; i < n; i++) if (a[i] < 0) a[i] = 0; }"
    assert lowered(text).graphs == ()


def test_graphs_survive_json_and_know_no_lines() -> None:
    text = "int f(double *a, int n) { for (int i = 0; i < n; i++) if (*a < 0) return i; return 0; }"
    function = lowered(text)
    assert [(graph.form, graph.loop) for graph in function.graphs] == [
        ("function", ""),
        ("loop", "i"),
    ]
    codec = Codec[Function](Function)
    assert codec.from_json(codec.to_json(function)) == function
    assert lowered("\n\n /* moved */ " + text) == function


def test_a_break_in_an_inner_loop_stays_in_the_outer_body() -> None:
    body = "for (int k = 0; k < n; k++) { if (a[k] < 0) break; } a[i] *= 2;"
    function = lowered(f"void f(double *a, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    exits = {g.loop: sorted(b.exit for b in g.blocks if b.exit) for g in function.graphs}
    assert exits["i"] == ["end"]
    assert exits["k"] == ["break", "end"]


def test_a_call_that_never_returns_is_an_exit_of_the_loop() -> None:
    text = """#include <stdlib.h>
    void f(int *a, int n) { for (int i = 0; i < n; i++) { if (a[i] < 0) abort(); a[i] *= 2; } }"""
    function = lowered(text)
    (loop,) = [node for node in walk(function.body) if isinstance(node, Loop)]
    assert loop.exits == ("a call that never returns",)
    assert [n.effects for n in walk(function.body) if isinstance(n, Call)] == ["no-return"]
