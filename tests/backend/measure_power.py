#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures which instruments find the faults of fusing_worker.py, beside the tolerances that other
projects use. Prints one table of faults, one of the smallest errors that are found by depth, and
the false alarms on compliant variants. All is a function of the seed.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/backend/measure_power.py

A fault is tried only on vectors in which it changes a number, because no other can show it."""
import argparse
import collections
import itertools
import pathlib
import sys
import tempfile

from assay.test_vector import Outcome, TestVector
from compliant_variants import VARIANTS
from compliant_worker import STATE, CompliantBackend
from fusing_worker import FAULTS, FusingBackend, backend_of, places_of
from measured_suite import Assay, outputs_of
from tolerances import TOLERANCES, Bounds

HERE = pathlib.Path(__file__).resolve().parent
DEPTH_SIZES = ("1e-1", "1e-2", "1e-3", "1e-4", "1e-5", "1e-6", "1e-7")
FIRST = 24  # vectors of a group that always run
SMALLEST = 63  # networks of the smallest size, which come first
INSTRUMENTS = ("suite", "networks", "windows", "lattice", "taps")


class Vector:
    """A test vector with its file."""

    def __init__(self, path):
        self.path = path
        self.content = TestVector.load(path)
        self.bounds = Bounds(self.content)
        self._false_alarms = None
        self.blocks = [block for graph in self.content.graphs for region in graph.regions
                       for block in region.blocks]
        self.places = [place for block in self.blocks for place in places_of(block).values()
                       if place.is_fused]

    def may_show(self, fault):
        return any(fault.acts_in(place) for place in self.places)

    def run(self, backend):
        return outputs_of(backend, self.content)

    def alarms(self, outputs):
        """The names of the tolerances that the outputs exceed."""
        expected = [one for step in self.content.steps for one in step.outputs]
        checked = list(zip(self.bounds.outputs(), outputs, expected))
        return {name for name, tolerance in TOLERANCES.items()
                if not all(tolerance(*one) for one in checked)}

    def false_alarms(self):
        """The names of the tolerances that the outputs exceed without a fault."""
        if self._false_alarms is None:
            self._false_alarms = self.alarms(self.run(FusingBackend()))
        return self._false_alarms


def has_state(block):
    """True if a block has variables. Some of their forms are not for these workers."""
    return (any(one.variable for one in block.tensors) or
            any(op.op in STATE for op in block.operators))


def load(folder):
    """The valid vectors below a folder that have fused operators and no variables."""
    vectors = map(Vector, sorted(pathlib.Path(folder).rglob("*.tvec")))
    return [vector for vector in vectors if vector.places and
            not any(map(has_state, vector.blocks)) and
            all(step.expected == Outcome.VALID and step.outputs for step in vector.content.steps)]


def instruments_of(case, own):
    """The instruments that found something in a case. `own` is that of the suite. Suspects count for
    the lattice."""
    found = set()
    for finding in case["findings"] if case["state"] == "disagrees" else ():
        rests_on = finding.get("rests_on", "")
        found.add("taps" if "taps" in rests_on else own)
    if case["state"] == "suspect":
        found.add(own)
    return found


def that_show(fault, vectors):
    """Yields the vectors in which a fault changes a number, with its outputs."""
    for vector in vectors:
        if vector.may_show(FAULTS[fault.partition("@")[0]]):
            backend = backend_of(fault)
            outputs = vector.run(backend)
            if backend.acted:
                yield vector, outputs


def count_found(assay, fault, own, vectors, words=()):
    """The number of vectors in which each instrument finds a fault, and that of the vectors that
    ran. The first ones come first; the others run only if nothing is found in them."""
    found, tried, vectors = {}, 0, iter(vectors)
    for most in (FIRST, None):
        part = list(itertools.islice(vectors, most))
        if not part or found.get(own):
            break
        tried += len(part)
        worker = f"{HERE / 'fusing_worker.py'} {fault}"
        for case in assay.verify(worker, [one.path for one in part], *words):
            for instrument in instruments_of(case, own):
                found[instrument] = found.get(instrument, 0) + 1
    return found, tried


def measure_fault(assay, fault, groups):
    """A row of the table: "found/tried" by instrument, "found/shown" by tolerance. A tolerance
    finds nothing in a vector in which it has a false alarm."""
    row, graphs, alarms = dict.fromkeys(INSTRUMENTS, "-"), 0, collections.Counter()
    for own, (vectors, words) in groups.items():
        shown = that_show(fault, vectors)
        if own != "windows":
            shown = list(shown)
            graphs += len(shown)
            for vector, outputs in shown:
                alarms.update(vector.alarms(outputs) - vector.false_alarms())
        found, tried = count_found(assay, fault, own, (vector for vector, _ in shown), words)
        for instrument in {own, *found} if tried else ():
            row[instrument] = f"{found.get(instrument, 0)}/{tried}"
    return row | {name: f"{alarms[name]}/{graphs}" if graphs else "-" for name in TOLERANCES}


def is_found(cell):
    return cell not in ("-", "") and not cell.startswith("0/")


def print_table(rows, columns):
    width = max(map(len, rows), default=0)
    print(" " * width, *(f"{column:>12}" for column in columns))
    for name, row in rows.items():
        print(f"{name:{width}}", *(f"{row.get(column, '-'):>12}" for column in columns), flush=True)


def measure_faults(assay, faults, groups):
    columns = (*INSTRUMENTS, *TOLERANCES)
    rows = {}
    for fault in faults:
        rows[fault] = measure_fault(assay, fault, groups)
        print(fault, rows[fault], file=sys.stderr, flush=True)
    print("\nFaults: vectors in which an instrument finds a fault, of those tried; '-' where the "
          "fault changes nothing")
    print_table(rows, columns)
    sums = {column: f"{sum(is_found(row[column]) for row in rows.values())} of {len(rows)}"
            for column in columns}
    print_table({"faults found": sums}, columns)
    sound = [name for name, row in rows.items()
             if not any(is_found(row[column]) for column in INSTRUMENTS)]
    print("found by no instrument:", ", ".join(sound) or "none")


def measure_depths(assay, groups, parts, types):
    """The smallest error of one activation that is found in networks of floats, by its place among
    the activations."""
    print("\nDepth: the smallest relative error of one activation that is found, by its place "
          "among the activations of a network")
    rows, counts, fault = {}, {}, FAULTS["activation-off:1e-1"]
    for own in ("networks", "lattice"):
        by_site = collections.defaultdict(dict)
        for vector in groups[own][0]:
            name = vector.content.name
            places = places_of(vector.content.graphs[0].main).values()
            last = sum(place.is_fused and fault.acts_in(place) for place in places) - 1
            if (vector.content.provenance.index >= SMALLEST or last < 0 or
                    not set(name.split(",")) & types):
                continue
            for site in {part * last // max(parts - 1, 1) for part in range(parts)}:
                by_site[site][f"{name} {site + 1}/{last + 1}"] = vector
        for site, vectors in by_site.items():
            rows |= smallest(assay, own, vectors, groups[own][1], site)
    for name, row in rows.items():
        group = ", ".join(part for part in name.split()[0].split(",")[1:])
        counts.setdefault(group, collections.Counter())[row.get("Assay", "none")] += 1
    print_table({name: rows[name] for name in sorted(rows)},
                ("Assay", *TOLERANCES))
    print("\nPlaces by the smallest error that Assay finds there")
    print_table({name: {size: str(number) for size, number in one.items()}
                 for name, one in counts.items()}, (*DEPTH_SIZES, "none"))


def smallest(assay, own, vectors, words, site):
    """The smallest error that each finds, by name of the vector, from large to small until it is
    not found."""
    rows = {name: {} for name in vectors}
    left = {name: {"Assay", *TOLERANCES} for name in vectors}
    for size in DEPTH_SIZES:
        fault, found = f"activation-off:{size}@{site}", {}
        for name, vector in vectors.items():
            for _, outputs in that_show(fault, [vector] if left[name] else []):
                found[name] = vector.alarms(outputs) - vector.false_alarms()
        if not found:
            break
        names = {str(vectors[name].path): name for name in found}
        for case in assay.verify(f"{HERE / 'fusing_worker.py'} {fault}", names, *words):
            if own in instruments_of(case, own):
                found[names[case["case"]]].add("Assay")
        for name in vectors:
            left[name] &= found.get(name, set())
            rows[name] |= dict.fromkeys(left[name], size)
    return rows


def measure_alarms(assay, groups):
    """False alarms on the compliant variants and on the fusing worker without a fault."""
    print("\nFalse alarms: vectors of compliant variants in which there is one")
    backends = {name: lambda one=one: CompliantBackend(one()) for name, one in VARIANTS.items()}
    backends["fusing"] = FusingBackend
    rows = {}
    graphs = [vector for own in ("suite", "networks", "lattice") for vector in groups[own][0]]
    for name, backend in backends.items():
        alarms = collections.Counter()
        for vector in graphs:
            alarms.update(vector.alarms(vector.run(backend())))
        rows[name] = {tolerance: alarms[tolerance] for tolerance in TOLERANCES}
        worker = (f"{HERE / 'compliant_worker.py'} {name}" if name in VARIANTS
                  else f"{HERE / 'fusing_worker.py'}")
        cases = assay.verify(worker, [one.path for one in graphs])
        rows[name]["Assay"] = sum(case["state"] == "disagrees" for case in cases)
    columns = ("Assay", *TOLERANCES)
    print_table({name: {column: str(row[column]) for column in columns}
                 for name, row in rows.items()}, columns)
    print(f"of {len(graphs)} vectors for each variant")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default=str(HERE.parents[1] / "build/release/assay"))
    parser.add_argument("--count", type=int, default=1500, help="vectors of the default suite")
    parser.add_argument("--networks", type=int, default=98, help="small networks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="faults whose name contains this text")
    parser.add_argument("--depths", type=int, default=5, help="places for each network; 0: none")
    parser.add_argument("--types", default="fp32,fp16,bf16", help="of the networks for --depths")
    parser.add_argument("--no-alarms", action="store_true", help="measure no false alarms")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        assay = Assay(options.assay, pathlib.Path(folder))
        groups = make_groups(assay, options)
        for name, (vectors, _) in groups.items():
            print(f"{name}: {len(vectors)} vectors with fused operators")
        measure_faults(assay, [name for name in FAULTS if options.only in name], groups)
        if options.depths:
            measure_depths(assay, groups, options.depths, set(options.types.split(",")))
        if not options.no_alarms:
            measure_alarms(assay, groups)
    return 0


def make_groups(assay, options):
    """Vectors and options of `verify`, by instrument."""
    seed = ("--seed", options.seed)
    suite = load(assay.suite("suite", "--count", options.count, *seed))
    networks = load(assay.suite("networks", "--kind", "network", "--count", options.networks,
                                *seed))
    natural = [one for one in networks if "lattice" not in one.content.tags]
    windows = assay.suite("windows", "extract", *(one.path for one in natural), "--windows", 4)
    return {"suite": (suite, ()), "networks": (natural, ()), "windows": (load(windows), ()),
            "lattice": ([one for one in networks if "lattice" in one.content.tags],
                        ("--declare", "plain-sums"))}


if __name__ == "__main__":
    sys.exit(main())
