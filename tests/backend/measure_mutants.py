#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which instruments find the mutants of operators on floats: those of `assay mutants
--list` that the operator suite kills by vectors of floats only. The instruments have such vectors
as well. Prints a table by class of operators, and the mutants that no instrument finds. All is a
function of the seed.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/backend/measure_mutants.py

A mutant counts for an instrument if its operator is in one of the vectors."""
import argparse
import collections
import json
import pathlib
import tempfile

from assay.test_vector import Outcome, TestVector
from compliant_numbers import FORMATS
from measured_suite import Assay

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("suite", "networks", "windows", "lattice", "taps", "any")


class Group:
    """Vectors, and the operators that they have on floats."""

    def __init__(self, vectors):
        self.paths = [path for path, _ in vectors]
        self.operators = {op for _, operators in vectors for op in operators}


def float_operators(vector):
    """The names of the operators of a vector, or none if one of them calculates with integers.
    Shapes, indices, conditions, zero points and shifts are no such operators."""
    blocks = [block for graph in vector.graphs for region in graph.regions
              for block in region.blocks]
    names = set()
    for block in blocks:
        for op in block.operators:
            types = {getattr(block.tensor(name), "dtype", None) for name in (*op.inputs, *op.outputs)}
            if types & set(FORMATS):
                names.add(op.op.name)
            elif op.op.name not in ("CONST", "CONST_SHAPE", "LOGICAL_NOT", "LOGICAL_AND"):
                return set()
    return names


def load(folder):
    """Pairs of a path and a test vector: the valid ones below a folder that have floats only."""
    found = []
    for path in sorted(pathlib.Path(folder).rglob("*.tvec")):
        vector = TestVector.load(path)
        operators = float_operators(vector)
        if operators and all(step.expected == Outcome.VALID for step in vector.steps):
            found.append((path, operators, "lattice" in vector.tags))
    return found


def killed(assay, group):
    """The mutants that the outputs of some vector of a group show, by the sets alone."""
    ran = assay.run("mutants", *group.paths, "--json")
    lines = map(json.loads, ran.stdout.splitlines())
    return {line["mutant"] for line in lines if line.get("state") == "killed"}


def found_in(assay, mutant, group, own, *words):
    """The instruments that find a mutant in the vectors of a group."""
    instruments = set()
    for case in assay.verify_on(f"mutant:{mutant}", group.paths, *words):
        for finding in case["findings"] if case["state"] == "disagrees" else ():
            instruments.add("taps" if "taps" in finding.get("rests_on", "") else own)
        if case["state"] == "suspect":
            instruments.add(own)
    return instruments


def make_groups(assay, options):
    seed = ("--seed", options.seed)
    operators = load(assay.suite("operators", "--kind", "operator", *seed))
    suite = load(assay.suite("suite", "--count", options.count, *seed))
    networks = load(assay.suite("networks", "--kind", "network", "--count", options.networks,
                                *seed))
    natural = [one for one in networks if not one[2]]
    windows = load(assay.suite("windows", "extract", *(path for path, *_ in natural),
                               "--windows", 4))
    parts = {"operators": operators, "suite": suite, "networks": natural, "windows": windows,
             "lattice": [one for one in networks if one[2]]}
    return {name: Group([one[:2] for one in vectors]) for name, vectors in parts.items()}


def measure(assay, groups, mutants):
    """The instruments that find each mutant, and those that could."""
    by_sets = {name: killed(assay, groups[name]) for name in ("suite", "windows")}
    found, possible = {}, {}
    for mutant in mutants:
        name, op = mutant["mutant"], mutant["operator"]
        possible[name] = {group for group in groups if op in groups[group].operators}
        found[name] = {group for group, kills in by_sets.items() if name in kills}
        if "networks" in possible[name]:
            possible[name] |= {"taps"}
            found[name] |= found_in(assay, name, groups["networks"], "networks")
        if "lattice" in possible[name]:
            found[name] |= found_in(assay, name, groups["lattice"], "lattice", "--declare",
                                    "plain-sums")
        for instruments in (found[name], possible[name]):
            instruments |= {"any"} if instruments else set()
    return found, possible


def print_table(mutants, found, possible):
    rows = collections.defaultdict(lambda: collections.Counter())
    for mutant in mutants:
        for row in (mutant["class"], "all"):
            for column in COLUMNS:
                rows[row][column, "found"] += column in found[mutant["mutant"]]
                rows[row][column, "of"] += column in possible[mutant["mutant"]]
    width = max(map(len, rows))
    print(" " * width, *(f"{column:>10}" for column in COLUMNS))
    for name in sorted(rows, key=lambda name: (name == "all", name)):
        cells = (f"{rows[name][column, 'found']}/{rows[name][column, 'of']}" for column in COLUMNS)
        print(f"{name:{width}}", *(f"{cell:>10}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default=str(HERE.parents[1] / "build/release/assay"))
    parser.add_argument("--count", type=int, default=1500, help="vectors of the default suite")
    parser.add_argument("--networks", type=int, default=63, help="small networks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="mutants whose name contains this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        assay = Assay(options.assay, pathlib.Path(folder))
        groups = make_groups(assay, options)
        for name, group in groups.items():
            print(f"{name}: {len(group.paths)} vectors of floats only")
        listed = map(json.loads, assay.run("mutants", "--list", "--json").stdout.splitlines())
        of_floats = killed(assay, groups.pop("operators"))
        mutants = [one for one in listed
                   if options.only in one["mutant"] and one["mutant"] in of_floats]
        found, possible = measure(assay, groups, mutants)
        print_table(mutants, found, possible)
        print("found by no instrument:", ", ".join(one["mutant"] for one in mutants
                                                   if not found[one["mutant"]]) or "none")
    return 0


if __name__ == "__main__":
    main()
