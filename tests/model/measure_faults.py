#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which faults of public trackers (tracker_faults.py) are named on twenty models.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/model/measure_faults.py

`assay model` runs with its defaults. Ten models are in tests/model/models, the others are networks
of `assay gen`. A fault is tried on each model where it can act: by its operators, their types,
attributes, shapes and neighbours.
- right: the wrong layer that is named has the fault, or takes part in it.
- wrong: another layer is named, or none, although the verdict disagrees.
- missed, said: the verdict agrees or is undecided, and has said for a layer with the fault that it
  would not have noticed each fault, that it was not measured, or that it is undecided.
- missed: it has not said so.
The backend without a fault comes first; it may have no finding. Exit status 1 if it has one."""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from assay.graph import Graph
from tracker_worker import FAULTS, places_of

HERE = pathlib.Path(__file__).resolve().parent
NETWORKS = ("mobilenet_v2@16,i8", "mobilenet_v2@16,fp32", "resnet@8,i8", "resnet@8,fp16",
            "unet@16,fp32", "unet@16,i8", "transformer@4,fp32", "transformer@4,bf16",
            "transformer@4,i8", "keyword_spotter@12,fp32")
# A fault of each class on a model where it is named. `--few` tries these.
FEW = {"rescale-difference-wraps": "quantized_residual", "dilation-ignored": "depthwise_relu6",
       "maximum-forgets-nan": "attention", "table-without-last-entry": "keyword_int16",
       "gather-address-of-16-bits": "embedding_dense", "sum-into-next-row": "layer_norm_gelu",
       "matmul-without-last-terms": "bf16_dense", "transpose-by-inverse": "attention",
       "bias-not-scaled": "depthwise_relu6", "concat-over-operand": "unet"}
FEW_RIGHT = ("gru_unrolled",)  # the models of a backend without a fault
OUTCOMES = ("right", "wrong", "missed, said", "missed")


class Model:
    """A model as a `.tosa` file, with the places where faults can act."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        self.places = list(places_of(Graph.from_bytes(path.read_bytes(), name).main).values())

    def places_with(self, fault):
        return [place for place in self.places if fault.acts_in(place)]


class Program:
    """Runs `assay`, with files in a folder."""

    def __init__(self, program, folder):
        self._program, self._folder = program, folder

    def run(self, *words):
        ran = subprocess.run([self._program, *map(str, words)], capture_output=True, text=True,
                             check=False)
        if ran.returncode not in (0, 1, 3):
            sys.exit(f"{words[0]}: {ran.stderr}")
        return ran

    def written(self, names):
        """The models of tests/model/models with these names."""
        for path in sorted((HERE / "models").glob("*.graph")):
            if path.stem not in names:
                continue
            tosa = self._folder / f"{path.stem}.tosa"
            self.run("convert", path, tosa)
            yield Model(path.stem, tosa)

    def generated(self, networks):
        for name in networks:
            suite, tosa = self._folder / "suite", self._folder / f"{name}.tosa"
            self.run("gen", "--out", suite, "--network", name, "--count", 1, "--seed", 1)
            [vector] = suite.rglob("*.tvec")
            self.run("convert", vector, tosa, "--graph", 0)
            shutil.rmtree(suite)
            yield Model(name, tosa)

    def judge(self, model, *fault):
        """The report of `assay model` on a model and the backend with a fault, or without."""
        worker = " ".join([sys.executable, str(HERE / "tracker_worker.py"), *fault])
        ran = self.run("model", model.path, "--backend", f"worker:{worker}", "--json")
        return json.loads(ran.stdout)


def layers_of(report, places):
    """The numbers of the layers of places."""
    outputs = {place.op.outputs[0] for place in places}
    return {layer["layer"] for layer in report["layers"] if layer["result"] in outputs}


def has_said(report, layers):
    """Whether a verdict has said of one of these layers that it may be wrong."""
    power = report.get("power", {})
    incomplete = {one["layer"] for one in power.get("layers", ())
                  if one["shown"] + one["shown_made"] < one["faults"]}
    unsure = {one["layer"] for one in report["layers"] if one["state"] != "agrees"}
    known = {one["layer"] for one in power.get("layers", ())}
    return bool(layers & (incomplete | unsure | set(power.get("not_measured", ())))
                or not layers & known)


def outcome_of(report, fault, places):
    """One of OUTCOMES, and what was named."""
    involved = layers_of(report, [one for place in places for one in fault.involved(place)])
    wrong = report.get("wrong")
    if wrong:
        layer = report["layers"][wrong["layer"] - 1]
        named = f"layer {wrong['layer']}, {layer['operator']}"
        return ("right" if wrong["layer"] in involved else "wrong"), named
    if report["state"] == "disagrees":
        return "wrong", report["verdict"]
    said = has_said(report, layers_of(report, places))
    return ("missed, said" if said else "missed"), report["verdict"]


def print_table(title, rows):
    """Rows of (class, outcome)."""
    counts = collections.Counter(rows)
    kinds = dict.fromkeys([kind for kind, _ in rows])
    print(f"\n{title}")
    print(" " * 14, *(f"{outcome:>13}" for outcome in OUTCOMES))
    for kind in (*kinds, "all"):
        cells = [sum(count for (one, outcome), count in counts.items()
                     if outcome == column and kind in (one, "all")) for column in OUTCOMES]
        print(f"{kind:14}", *(f"{cell:13}" for cell in cells))


def tried(program, model, name):
    """The outcome of a fault on a model. Prints what was named."""
    places = model.places_with(FAULTS[name])
    outcome, named = outcome_of(program.judge(model, name), FAULTS[name], places)
    print(f"{name} on {model.name}: {outcome}: {named}", flush=True)
    return outcome


def is_right(program, model):
    """Whether the backend without a fault has no finding on a model. Prints the verdict."""
    report = program.judge(model)
    print(f"{model.name}, no fault: {report['verdict']}", flush=True)
    return "wrong" not in report and report["state"] in ("agrees", "undecided")


def measure(program, models, names, jobs):
    """Prints the outcomes and the tables. Returns the exit status."""
    pairs = [(name, model) for name in names for model in models
             if model.places_with(FAULTS[name])]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        right = list(pool.map(lambda model: is_right(program, model), models))
        outcomes = list(pool.map(lambda pair: tried(program, pair[1], pair[0]), pairs))
    by_fault = {}
    for (name, _), outcome in zip(pairs, outcomes):
        by_fault.setdefault(name, []).append(outcome)
    kinds = [FAULTS[name].kind for name, _ in pairs]
    print_table("by fault and model", list(zip(kinds, outcomes)))
    for title, choose in (("best", min), ("worst", max)):
        print_table(f"by fault, the {title} of all models",
                    [(FAULTS[name].kind, choose(found, key=OUTCOMES.index))
                     for name, found in by_fault.items()])
    print("\non no model:", ", ".join(sorted(set(names) - set(by_fault))) or "none")
    return 0 if all(right) else 1


def measure_few(program, models):
    """Tries FEW, and the backend without a fault on its models. Returns the exit status."""
    wrong = [name for name in FEW_RIGHT if not is_right(program, models[name])]
    wrong += [name for name, model in FEW.items() if tried(program, models[model], name) != "right"]
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay", default=str(HERE.parents[1] / "build/release/assay"))
    parser.add_argument("--fault", default="", help="faults whose name contains this text")
    parser.add_argument("--model", default="", help="models whose name contains this text")
    parser.add_argument("--written", action="store_true", help="leave the networks out")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once")
    parser.add_argument("--few", action="store_true",
                        help="one fault of each class; exit with status 1 if one is not named")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.assay, pathlib.Path(folder))
        if options.few:
            models = program.written({*FEW.values(), *FEW_RIGHT})
            sys.exit(measure_few(program, {model.name: model for model in models}))
        written = [path.stem for path in (HERE / "models").glob("*.graph")]
        written, networks = ([name for name in names if options.model in name]
                             for names in (written, () if options.written else NETWORKS))
        models = [*program.written(written), *program.generated(networks)]
        names = [name for name in FAULTS if options.fault in name]
        sys.exit(measure(program, models, names, options.jobs))


if __name__ == "__main__":
    main()
