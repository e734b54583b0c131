# SPDX-License-Identifier: Apache-2.0
"""generate(), verify(), judge() and minimize()."""
import importlib
import itertools
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import assay
import own_backends
from assay import Op, worker
from conftest import ROOT, assay_program, run_python


def verdicts(result):
    return [(pathlib.Path(case.vector).name, case.verdict, case.note,
             [finding.headline for finding in case.findings]) for case in result.cases]


def test_the_same_vectors_as_those_of_the_program_are_generated(tmp_path):
    assay_program("gen", "--out", tmp_path / "s", "--seed", 5, "--count", 60, "--profile", "PRO-FP")
    made = {vector.name: vector for vector in
            assay.generate(seed=5, count=60, profiles=["PRO-FP"])}
    files = sorted((tmp_path / "s").rglob("*.tvec"))
    assert len(files) == len(made) > 40
    for path in files:
        written = assay.load(path)
        assert made[written.name].to_bytes() == written.to_bytes()
    for words, options in (("kind", {"kind": "operater"}), ("operator", {"operators": ["ADDD"]}),
                           ("none.json", {"target": str(tmp_path / "none.json")})):
        with pytest.raises(assay.BadInput, match=words):
            assay.generate(**options)


def test_power_names_the_faults_that_no_vector_shows():
    vectors = [vector.to_bytes() for vector in assay.generate("operator", operators=["ABS"], count=60)]
    vectors = [assay.TestVector.from_bytes(content, "v") for content in vectors]
    one, all_of_them = assay.power(vectors[0]), assay.power(*vectors)
    assert 0 < one.noticed <= one.faults <= all_of_them.faults
    assert all_of_them.noticed > one.noticed or one.faults == all_of_them.faults
    assert len(one.missed) == one.faults - one.noticed
    assert all(fault.startswith("abs/") and what for fault, what in one.missed)


def test_members_of_op_and_dtype_are_names_of_operators_and_types():
    names = [{"operators": [add, "SUB"], "types": [i32]} for add, i32 in
             ((Op.ADD, assay.DType.INT32), ("ADD", "i32"))]
    made = [[vector.to_bytes() for vector in assay.generate("operator", count=20, **one)]
            for one in names]
    assert made[0] == made[1] != []


@pytest.mark.parametrize("call, words", [
    (lambda: assay.generate(operators="ADD"), r"operators: must be a list, such as operators=\['ADD'\]"),
    (lambda: assay.generate(operators=Op.ADD), r"operators: must be a list, such as operators=\['ADD'\]"),
    (lambda: assay.generate(operators=[5]), "operators: 5 is no name"),
    (lambda: assay.generate(types="fp32"), r"types: must be a list, such as types=\['fp32'\]"),
    (lambda: assay.verify([], "reference", declare="plain-sums"), "declare: must be a list"),
    (lambda: assay.verify([], "reference", environment="A=B"), "environment: must be a list"),
    (lambda: assay.verify(own_backends.run, "suite"), "the suite comes first, and then the backend"),
    (lambda: assay.verify(own_backends.Counter, "suite"), "the suite comes first"),
    (lambda: assay.verify(own_backends.Counter(), "suite"), "the suite comes first"),
    (lambda: assay.verify(5, "reference"), "verify: int is no suite"),
    (lambda: assay.save("model.tosa", assay.Graph()), "save: graph is str, neither a Graph nor"),
    (lambda: assay.save(assay.Graph(), 5), "save: path is int, and must be a str")])
def test_arguments_of_a_wrong_type_are_named(call, words):
    with pytest.raises(TypeError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_folder_of_other_files_gets_no_report(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(assay.AssayError, match="is not empty, and holds no report: there is letter.txt"):
        assay.verify([], "reference", minimize=True, report=tmp_path)
    assert os.listdir(tmp_path) == ["letter.txt"]


def test_a_vector_or_a_graph_that_is_not_there_is_a_bad_file(tmp_path):
    for call in (lambda path: assay.judge(path, []), lambda path: assay.execute(path, [])):
        with pytest.raises(assay.BadFile, match="nowhere: No such file"):
            call(tmp_path / "nowhere")


def test_verdicts_in_process_in_a_worker_and_of_the_program_are_the_same(suite, tmp_path):
    here = assay.verify(suite, own_backends.wrong_add)
    isolated = assay.verify(suite, own_backends.wrong_add, isolated=True)
    assert verdicts(here) == verdicts(isolated)
    assert here.counts["agrees"] > 5 and here.counts["disagrees"] > 3
    assert here.counts["unsupported"] > 10 and not here
    path = f"{pathlib.Path(assay.__file__).parent.parent}:{pathlib.Path(__file__).parent}"
    printed = assay_program("verify", suite, "--json", "--backend", "worker:/usr/bin/python3 -m "
                            "assay.serve own_backends:wrong_add", "--backend-env",
                            f"PYTHONPATH={path}", statuses=(1,))
    cases = lambda text: [json.loads(line) for line in text.splitlines() if '"case"' in line[:10]]
    assert cases(printed) == cases(isolated.json) == cases(here.json) != []


def test_cases_begin_where_asked_and_end_where_all_is_covered(tmp_path):
    options = {"kind": "operator", "seed": 3, "operators": ["ABS"]}
    names = [vector.name for vector in assay.generate(**options)]
    assay_program("gen", "--out", tmp_path / "s", "--kind", "operator", "--seed", 3, "--op", "ABS")
    assert len(names) == len(list((tmp_path / "s").rglob("*.tvec"))) > 5
    start = [vector.name for vector in assay.generate("operator", seed=3, count=10)]
    assert [vector.name for vector in
            assay.generate("operator", seed=3, first=4, count=6)] == start[4:]


def test_attributes_of_a_function_say_more_about_it():
    def refuse(graph, inputs):
        raise worker.Refused("no")

    invalid = [vector for vector in assay.generate("invalid", seed=1, count=30)
               if vector.steps[0].expected == assay.Outcome.ERROR]
    assert set(assay.verify(invalid, refuse).counts) == {"unsupported"}
    refuse.refuses = True
    assert set(assay.verify(invalid, refuse).counts) == {"agrees"}

    def add(graph, inputs):
        assert graph.main.tensor(graph.main.outputs[0]).dtype == assay.DType.FP32
        return own_backends.run(graph, inputs)

    vectors = list(assay.generate("operator", seed=7, count=30, operators=["ADD"]))
    add.operators = {Op.ADD: [assay.DType.FP32]}
    result = assay.verify(vectors, add)
    assert "ADD of i32" in {case.note for case in result.cases} and result
    add.declarations = ["plain-sum"]
    for call in (lambda: assay.verify(vectors, add),
                 lambda: assay.verify(vectors, own_backends.run, declare=["plain-sum"]),
                 lambda: assay.judge(vectors[0], worker.Refused("no"), declare=["plain-sum"])):
        with pytest.raises(assay.BadInput, match="no declaration is named 'plain-sum'"):
            call()


def test_more_repeats_find_that_a_finding_does_not_come_again():
    vector = next(vector for vector in assay.generate("operator", seed=7, count=40, types=["i32"],
                                                      operators=["ADD"]) if vector.steps[0].outputs)
    for repeats, verdict in ((1, "disagrees"), (2, "undecided")):
        calls = itertools.count()
        result = assay.verify(vector, lambda graph, inputs: [
            one + (next(calls) < 2) for one in own_backends.run(graph, inputs)], repeats=repeats)
        assert result.counts == {verdict: 1}


def test_a_right_backend_and_a_named_one_are_true(suite):
    assert assay.verify(suite, "reference")
    assert assay.verify(suite, own_backends.run)
    with pytest.raises(assay.BadInput, match="no backend is named"):
        assay.verify(suite, "referense")
    with pytest.raises(TypeError, match="int is no backend"):
        assay.verify(suite, 5)


def test_a_run_without_an_answer_is_not_true():
    vectors = list(assay.generate("operator", count=5, operators=["EXP"]))
    result = assay.verify(vectors, own_backends.run)
    assert set(result.counts) == {"unsupported"} and not result


@pytest.mark.parametrize("name, words", [
    ("raises", "RuntimeError: no such thing"),
    ("returns_nothing", "the function returned None"),
    ("returns_too_many", "the function returned 2 outputs in place of 1"),
    ("returns_float64", "which is no"),
    ("returns_other_type", "i16"),
    ("returns_other_shape", "expected")])
def test_what_a_wrong_function_does_is_one_line_each_and_the_run_goes_on(suite, name, words):
    result = assay.verify(suite, getattr(own_backends, name))
    wrong = [case for case in result.cases if case.verdict == "disagrees"]
    assert len(wrong) > 5, result.text
    assert len(result.cases) == len(list(suite.rglob("*.tvec")))
    said = [finding.message + finding.text for case in wrong for finding in case.findings]
    assert any(words in text for text in said), said[0]
    for case in wrong:
        assert "\n" not in case.findings[0].message


def test_an_exception_is_the_same_finding_in_a_worker_and_its_traceback_is_in_the_log():
    vectors = [vector for vector in assay.generate("operator", seed=7, count=10, operators=["ADD"])
               if vector.steps[0].expected == assay.Outcome.VALID][:3]
    results = [assay.verify(vectors, own_backends.raises, isolated=one) for one in (False, True)]
    assert verdicts(results[0]) == verdicts(results[1])
    for result in results:
        assert result.counts == {"disagrees": 3}
        for case in result.cases:
            assert case.findings[0].violation == "crash" and "in raises" in case.log


def test_a_dict_and_memory_that_is_used_again_are_taken(suite):
    right = verdicts(assay.verify(suite, own_backends.run))
    assert verdicts(assay.verify(suite, own_backends.returns_a_dict)) == right
    assert verdicts(assay.verify(suite, own_backends.returns_views_of_one_buffer)) == right


@pytest.mark.parametrize("name, violation", [("never_returns", "time-out"), ("exits", "crash")])
def test_a_function_that_never_returns_or_ends_the_process_is_a_finding_in_a_worker(name, violation):
    vectors = [vector for vector in assay.generate("operator", seed=7, count=40,
                                                   operators=["ADD", "SUB"], types=["fp32"])
               if vector.steps[0].expected == assay.Outcome.VALID]
    subtractions = [vector for vector in vectors
                    if any(op.op == Op.SUB for op in vector.graphs[0].main.operators)][:1]
    additions = [vector for vector in vectors if vector not in subtractions
                 and all(op.op != Op.SUB for op in vector.graphs[0].main.operators)]
    chosen = additions[:3] + subtractions + additions[3:6]
    result = assay.verify(chosen, getattr(own_backends, name), isolated=True, wall_seconds=5)
    assert [case.verdict for case in result.cases] == ["agrees"] * 3 + ["disagrees"] + ["agrees"] * 3
    assert result.cases[3].findings[0].violation == violation


def test_an_interrupt_ends_the_run_and_reaches_the_caller(suite):
    with pytest.raises(KeyboardInterrupt):
        assay.verify(suite, own_backends.is_interrupted)


def test_a_lambda_can_not_be_isolated_and_that_is_said(suite):
    with pytest.raises(assay.BadInput, match="belongs to no module or file"):
        assay.verify(suite, lambda graph, inputs: [], isolated=True)


def test_a_backend_with_state_keeps_it_and_a_function_does_not():
    b = assay.Builder()
    state = b.variable("state", [2], "fp32", initial_value=[1, 2])
    before = b.identity(b.variable_read(state))
    b.variable_write(state, b.input("x", [2], "fp32"))
    graph = b.graph(before)
    first, second = np.float32([3, 4]), np.float32([5, 6])
    context, outputs, states = assay.Context(), [], []
    for x in (first, second):
        outputs.append(assay.execute(graph, [x], context=context))
        states.append(context.variables)
    value = lambda array: assay.Value(assay.DType.FP32, array)
    vector = assay.TestVector(
        name="state", level="8K", requirements=["PRO-FP", "EXT-VARIABLE"], graphs=[graph],
        steps=[assay.Step(inputs=[value(x)], outputs=[assay.Expectation(value(out[0]), rule="exact")],
                          state_after={"state": assay.Expectation(value(after["state"]),
                                                                  rule="exact")})
               for x, out, after in zip((first, second), outputs, states)])
    assert assay.verify(vector, own_backends.Counter).counts == {"agrees": 1}
    wrong, = assay.verify(vector, own_backends.ForgetfulCounter).cases
    assert wrong.verdict == "disagrees" and wrong.findings[0].tensor == "state"
    result = assay.verify(vector, own_backends.run)
    assert result.counts == {"unsupported": 1}
    assert "a function keeps no state" in result.cases[0].note
    assert assay.judge(vector, outputs)
    assert assay.judge(vector, outputs[::-1]).verdict == "disagrees"
    for given in (outputs[:1], outputs + outputs[:1]):
        with pytest.raises(assay.BadInput, match="has 2 steps, and is given outputs of"):
            assay.judge(vector, given)


def test_findings_are_minimized_and_reports_written(suite, tmp_path):
    report = tmp_path / "report"
    result = assay.verify(suite, own_backends.wrong_add, minimize=True, report=report)
    finding = result.findings[0]
    assert finding.seen >= 1 and finding.finding.op == "ADD"
    minimal = assay.load(finding.vector)
    step = minimal.steps[0]
    assert [value.array.size for value in step.inputs + step.outputs] in (
        [1, 1], [1, 1, 1])  # one operand may have become a constant, or both may be one tensor
    assert pathlib.Path(finding.vector).parent == report / "findings"
    elsewhere = assay.verify(suite, own_backends.wrong_add, minimize=True)
    assert assay.load(elsewhere.findings[0].vector).to_bytes() == minimal.to_bytes()
    for name in ("report.html", "report.xml", "report.jsonl", "report.txt", "summary.md"):
        assert (report / name).stat().st_size > 0


@pytest.mark.parametrize("isolated", [False, True])
def test_a_replay_line_works_in_another_folder(suite, tmp_path, monkeypatch, isolated):
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    shutil.copyfile(own_backends.__file__, tmp_path / "here/their_backends.py")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.syspath_prepend("")
    their_backends = importlib.import_module("their_backends")
    monkeypatch.delitem(sys.modules, "their_backends")
    monkeypatch.setitem(sys.modules, "their_backends", their_backends)
    result = assay.verify(suite, their_backends.wrong_add, minimize=True, isolated=isolated,
                          report=tmp_path / "report")
    program, *words = shlex.split(result.findings[0].replay)
    assert program == "assay"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run([os.environ["ASSAY"], *words], capture_output=True, text=True,
                         cwd=tmp_path / "there", env=environment)
    assert run.returncode == 1 and "ADD" in run.stdout, run.stdout + run.stderr


def test_known_failures_are_no_findings(suite, tmp_path):
    known = tmp_path / "known.json"
    known.write_text(json.dumps({"format": "assay known failures", "version": 1, "known": [
        {"operator": "ADD", "violation": "value", "reason": "subtracts"}]}))
    result = assay.verify(suite, own_backends.wrong_add, known=known)
    assert result.counts["known"] > 3 and "disagrees" not in result.counts and result
    known.write_text("{")
    with pytest.raises(assay.BadInput, match="known.json"):
        assay.verify(suite, own_backends.wrong_add, known=known)


def test_minimize_gives_the_smallest_vector_that_fails_alike():
    vector = next(vector for vector in assay.generate("graph", seed=2, count=400)
                  if assay.verify(vector, "canary:swapped-operands").counts.get("disagrees"))
    minimal = assay.minimize(vector, "canary:swapped-operands")
    count = lambda one: sum(len(graph.main.operators) for graph in one.graphs)
    assert count(minimal) < count(vector)
    assert assay.verify(minimal, "canary:swapped-operands").counts == {"disagrees": 1}
    with pytest.raises(assay.BadInput, match="does not disagree"):
        assay.minimize(vector, "reference")


def test_judging_takes_lists_dicts_exceptions_and_prepared_vectors():
    vector = next(vector for vector in
                  assay.generate("operator", seed=4, count=50, operators=["ADD"], types=["fp32"])
                  if vector.steps[0].outputs and vector.steps[0].outputs[0].array.size > 2
                  and np.isfinite(vector.steps[0].outputs[0].array).all()
                  and (np.abs(vector.steps[0].outputs[0].array) < 1e6).all())
    outputs = [one.array for one in vector.steps[0].outputs]
    name, = vector.graphs[0].main.outputs
    prepared = assay.prepare(vector)
    for one in (vector, prepared, vector.to_bytes()):
        assert assay.judge(one, outputs) and assay.judge(one, {name: outputs[0]})
        assert assay.judge(one, outputs[0])
    wrong = assay.judge(prepared, [outputs[0] + 1])
    assert wrong.verdict == "disagrees" and wrong.findings[0].violation == "value"
    assert assay.judge(prepared, [outputs[0].reshape(-1, 1)]).findings[0].violation == "type"
    for refusal in (worker.Unsupported("no ADD"), worker.Rejected("no ADD", unsupported=True)):
        refused = assay.judge(prepared, refusal)
        assert refused.verdict == "unsupported" and refused.note == "no ADD" and not refused
    assert assay.judge(prepared, worker.Refused("bad")).findings[0].violation == "outcome"
    assert assay.judge(prepared, ValueError("oops")).findings[0].violation == "crash"
    for given, words in (([], "has 1 outputs, and is given 0"), ({}, "is missing"),
                         (None, "is given NoneType, and no arrays"),
                         ([outputs[0].astype(np.float64)], "which are no fp32")):
        with pytest.raises(assay.BadInput, match=words):
            assay.judge(prepared, given)


def test_nothing_is_printed_and_damaged_files_are_cases(suite, tmp_path, capfd):
    bad = tmp_path / "bad.tvec"
    bad.write_bytes((sorted(suite.rglob("*.tvec"))[0]).read_bytes()[:200])
    result = assay.verify([bad, *sorted(suite.rglob("*.tvec"))[:5]], own_backends.raises)
    assert result.cases[0].verdict == "bad input" and len(result.cases) == 6
    assert not assay.verify([bad, *sorted(suite.rglob("*.tvec"))[:5]], "reference")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(assay.BadInput, match="nowhere"):
        assay.verify(tmp_path / "nowhere", own_backends.run)


@pytest.mark.parametrize("call", ["verify(vectors, run", "minimize(vectors[0], run"])
def test_a_script_that_verifies_while_a_worker_loads_it_is_refused_in_one_line(tmp_path, call):
    (tmp_path / "script.py").write_text(
        "import os, sys, assay\n"
        "depth = int(os.environ.get('DEPTH', 0))\n"
        "if depth > 2:\n    sys.exit('workers without end')\n"
        "def run(graph, inputs):\n    return inputs[0]\n"
        "vectors = list(assay.generate('operator', seed=7, count=3, operators=['ADD']))\n"
        f"print(assay.{call}, isolated=True, environment=[f'DEPTH={{depth + 1}}']).text)\n")
    run = run_python("script.py", cwd=tmp_path)
    said = "script.py: calls assay." + call.split("(")[0] + "() while it is loaded as a worker; put"
    assert run.returncode == 1 and said in run.stderr, run.stdout + run.stderr
    worker = run_python("-m", "assay.serve", "script.py:run", cwd=tmp_path)
    assert worker.returncode == 2 and worker.stderr.startswith("assay.serve: " + said)
    assert len(worker.stderr.splitlines()) == 1


def test_what_a_module_prints_does_not_disturb_the_worker(tmp_path):
    vector = next(assay.generate("operator", seed=7, count=10, operators=["ADD"], types=["fp32"]))
    vector.save(tmp_path / "one.tvec")
    (tmp_path / "chatty.py").write_text(
        "import os, own_backends\n"
        "print('imported'); os.system('echo child')\n"
        "def run(graph, inputs):\n"
        "    print('called', flush=True)\n    return own_backends.run(graph, inputs)\n"
        "if __name__ == '__main__':\n"
        "    import assay\n"
        "    result = assay.verify('one.tvec', run, isolated=True)\n"
        "    print(result.counts)\n")
    path = os.pathsep.join([os.environ["PYTHONPATH"], str(pathlib.Path(__file__).parent)])
    run = run_python("chatty.py", cwd=tmp_path, PYTHONPATH=path)
    assert "{'agrees': 1}" in run.stdout, run.stdout + run.stderr
    worker = run_python("-m", "assay.serve", "chatty.py:run", cwd=tmp_path, PYTHONPATH=path)
    assert worker.stdout == "" and {"imported", "child"} <= set(worker.stderr.splitlines())


def test_serve_names_what_can_not_be_imported():
    for argument, words in (("nothing:run", "nothing"), ("own_backends:missing", "has no missing"),
                            ("own_backends", "not of the form"), ("none.py:run", "no such file"),
                            ("own_backends:_buffer", "is no backend")):
        run = run_python("-m", "assay.serve", argument, cwd=ROOT / "tests" / "python")
        assert run.returncode == 2 and words in run.stderr, run.stderr
        assert len(run.stderr.splitlines()) == 1
