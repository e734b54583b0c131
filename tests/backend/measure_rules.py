#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares findings with the accuracy rules, as compliant_worker.py calculates them.

    PYTHONPATH=build/release/python /usr/bin/python3 tests/backend/measure_rules.py

First, results that are off by 1.1 times the rule: in single-operator vectors, each operator with a
rule must be caught. Second, Winograd convolutions and bf16x3 products: on one operator, a vector is
a finding if and only if an error is larger than the rule allows; in graphs and networks, no vector
in which every operator keeps its rule is a finding. The exit status is 1 if anything differs."""
import argparse
import collections
import pathlib
import sys
import tempfile

import numpy as np

from assay.test_vector import Outcome, TestVector, Value
from compliant_numbers import FORMATS, numbers_of
from compliant_variants import BeyondByTenth
from compliant_worker import CompliantBackend
from measured_suite import Assay, outputs_of
from other_products import PRODUCTS
from product_graphs import product_graphs

HERE = pathlib.Path(__file__).resolve().parent
NEAR = 1e-3  # of the rule: so near to it, the exact result of float64 may be off


def vectors_below(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.tvec")):
        content = TestVector.load(path)
        if content.steps and all(one.expected == Outcome.VALID for one in content.steps):
            yield path, content


def has_subnormals(content):
    """True if a backend may flush an operand, which adds to what the rule allows."""
    values = [value for step in content.steps for value in step.inputs]
    values += [Value(one.dtype, one.numpy()) for graph in content.graphs
               for one in graph.main.tensors if one.data is not None]
    for value in values:
        if value.dtype in FORMATS and FORMATS[value.dtype].may_flush:
            magnitude = np.abs(numbers_of(value.dtype, value.array))
            if np.any((magnitude > 0) & (magnitude < FORMATS[value.dtype].normal_min)):
                return True
    return False


def type_of(content):
    block = content.graphs[0].main
    return block.tensor(block.inputs[0] if block.inputs else block.outputs[0]).dtype.name


class Beyond(BeyondByTenth):
    """Counts the results that are beyond the rule."""

    def __init__(self):
        self.beyond = 0

    def element(self, dtype, reference, error):
        return self._counted(super().element(dtype, reference, error), reference, error)

    def dot_result(self, out, total, rule):
        form = FORMATS[out]
        unit = np.maximum(rule.bound * 2.0 ** (-1 - form.fraction_bits), form.normal_min)
        error = np.where(rule.bound > 0, 2 * rule.roundings(form) * unit, np.inf)
        return self._counted(super().dot_result(out, total, rule), total, error)

    def _counted(self, result, reference, error):
        usable = np.isfinite(result) & np.isfinite(reference)
        beyond = np.abs(result - reference) > np.maximum(error, 0) * (1 + NEAR)
        self.beyond += int(np.sum(usable & beyond))
        return result


def measure_controls(assay, folders):
    """Returns the operators that are beyond their rule in a vector, and caught in none. Prints the
    vectors that are beyond it and no findings, unless elements are undecided or may be flushed.
    FFT2D and RFFT2D are among them, because a backend may compute the coefficients in another
    way."""
    cases = {case["case"]: case for case in assay.verify(
        f"{HERE / 'compliant_worker.py'} beyond-by-tenth", folders)}
    rows, missed = collections.defaultdict(lambda: [0, 0, 0]), []
    for folder in folders:
        for path, content in vectors_below(folder):
            arithmetic = Beyond()
            outputs_of(CompliantBackend(arithmetic), content)
            case = cases.get(str(path))
            if (case is None or not case["operators"] or
                    case["state"] not in ("agrees", "disagrees")):
                continue
            row = rows[case["operators"][0][0], type_of(content)]
            row[0] += 1
            row[1] += arithmetic.beyond > 0
            row[2] += case["state"] == "disagrees"
            if (arithmetic.beyond and case["state"] == "agrees" and
                    not case["undecided_elements"] and not has_subnormals(content)):
                missed.append(f"{path.name} {case['operators'][0][0]} {type_of(content)}")
    print("Results at 1.1 times the rule: vectors, those with such a result, findings")
    for (operator, dtype), row in sorted(rows.items()):
        if row[1] or row[2]:
            print(f"  {operator:16} {dtype:8} {row[0]:5} {row[1]:5} {row[2]:5}"
                  + ("" if row[2] else "  NOT CAUGHT"))
    print(f"beyond the rule and no finding: {len(missed)}", *missed[:40], sep="\n  ")
    caught = {operator for (operator, _), row in rows.items() if row[2]}
    return sorted({operator for (operator, _), row in rows.items() if row[1]} - caught)


def breaks_rule(arithmetic, content):
    """1 if an operator breaks a rule, -1 if all keep the rules, 0 if one is near to its rule, or if
    flushing may explain the error."""
    ratios = [arithmetic.sure]
    sets = {one.statistics.set for step in content.steps for one in step.outputs if one.statistics}
    if sets:
        ratios.append(arithmetic.variance)
    if sets & {3, 4, 5}:
        ratios.append(arithmetic.bias)
    if max(ratios) > 1 + NEAR:
        return 1
    return -1 if max(ratios + [arithmetic.worst]) < 1 - NEAR else 0


def measure_products(assay, name, single, graphs):
    """Returns what differs from the rules, and numbers of vectors by (single or graph; 1 if the
    rule is broken, -1 if not, 0 if nearly; a finding; has such products)."""
    cases = {case["case"]: case for case in assay.verify(
        f"{HERE / 'compliant_worker.py'} {name}", single + graphs)}
    counts, wrong, listed = collections.Counter(), [], []
    for folder in single + graphs:
        for path, content in vectors_below(folder):
            arithmetic, case = PRODUCTS[name](), cases[str(path)]
            outputs_of(CompliantBackend(arithmetic), content)
            breaks, is_finding = breaks_rule(arithmetic, content), case["state"] == "disagrees"
            used = arithmetic.worst > 0
            kind = "single" if folder in single else "graph"
            counts[kind, breaks, is_finding, used] += 1
            if is_finding:
                ratios = (arithmetic.worst, arithmetic.variance, arithmetic.bias)
                listed.append((content.name or path.name, *(round(one, 2) for one in ratios)))
            if (breaks < 0 and is_finding) or (
                    breaks > 0 and not is_finding and kind == "single" and
                    case["state"] == "agrees"):
                wrong.append(f"{name}: {content.name} {path.name}: {case['state']}, error "
                             f"{arithmetic.worst:.3f}, variance {arithmetic.variance:.3f}, "
                             f"bias {arithmetic.bias:.3f} times the rule")
    for kind in ("single", "graph"):
        kept, kept_found, broken, broken_found = (
            counts[kind, breaks, found, True] for breaks in (-1, 1) for found in (False, True))
        near = counts[kind, 0, False, True] + counts[kind, 0, True, True]
        print(f"{name}, {kind}: rule kept {kept} without a finding, {kept_found} with; broken "
              f"{broken} without, {broken_found} with; near {near}; not used in "
              f"{counts[kind, -1, False, False]}")
    for row in listed[:40]:
        print("  finding: {} error {} times the rule, variance {}, bias {}".format(*row))
    return wrong, counts


def own_products(assay, folder, seed, most=None):
    """A suite of convolutions and matrix products on drawn values, `most` of each."""
    graphs = []
    for name, graph in product_graphs(seed, most):
        graphs.append(folder / f"{name}.tosa")
        graph.save(graphs[-1])
    return assay.suite("products", "extract", *graphs, "--windows", 1, "--seed", seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default=str(HERE.parents[1] / "build/release/assay"))
    parser.add_argument("--count", type=int, default=1500, help="vectors of kind operator")
    parser.add_argument("--dots", type=int, default=120, help="vectors of kind dot-product")
    parser.add_argument("--graphs", type=int, default=400, help="vectors of kind graph")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        assay = Assay(options.assay, pathlib.Path(folder))
        seed = ("--seed", options.seed)
        operators = assay.suite("operator", "--kind", "operator", "--count", options.count,
                                "--profile", "PRO-FP", *seed)
        dots = assay.suite("dot-product", "--kind", "dot-product", "--count", options.dots, *seed)
        graphs = [assay.suite("graph", "--kind", "graph", "--count", options.graphs, *seed),
                  assay.suite("network", "--kind", "network", "--count", 49, *seed)]
        missed = measure_controls(assay, [operators, dots])
        wrong = [f"{operator}: beyond its rule in no finding" for operator in missed]
        matched = "CONV2D fp32, MATMUL fp32, DEPTHWISE_CONV2D fp32, CONV3D fp32"
        single = [own_products(assay, pathlib.Path(folder), options.seed),
                  assay.suite("operator-products", "--kind", "operator", "--match", matched, *seed),
                  assay.suite("dot-products", "--kind", "dot-product", "--match", matched,
                              "--count", options.dots * 4, *seed)]
        for name in PRODUCTS:
            wrong += measure_products(assay, name, single, graphs)[0]
    print("\n".join(wrong) or "all as the rules say")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
