#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job on real input: installs what is missing, builds, generates a suite, verifies the
# reference, a canary and LLVM's TOSA lowering with it, minimizes the findings and writes the report.
# Usage: scripts/run.sh [OUT]     (default: build/run)
# Exit status 0 when the job ran: the findings are its result.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install.sh
out=${1:-build/run}
# shellcheck disable=SC2086
install_packages $assay_packages
install_mlir
# Of a first build, nothing has changed yet: the more files a compiler takes at once, the better.
units=()
[ -e build/release/CMakeCache.txt ] || units=(-DASSAY_UNITY=16)
build build/release programs -DCMAKE_BUILD_TYPE=Release "${units[@]}"
assay=build/release/assay
jobs=$(nproc)

rm -rf "$out"
mkdir -p "$out"
seconds() { date +%s; }
started=$(seconds)

# Every operator, type row and attribute class once, in all profiles and extensions; then graphs,
# control flow with its siblings, and sequences of invocations.
generate() { # KIND OPTION...
  local kind=$1
  shift
  "$assay" gen --out "$out/suite/$kind" --kind "$kind" --seed 1 --jobs "$jobs" "$@" |
    tee -a "$out/gen.txt"
}
mkdir -p "$out/suite"
generate operator
generate graph --count "${ASSAY_GRAPHS:-1500}"
generate control-flow --count "${ASSAY_CONTROL_FLOW:-400}"
generate stateful --count "${ASSAY_SEQUENCES:-600}"
# Laws that hold, laws that nearly hold, and graphs that must fold back.
generate fold --count "${ASSAY_FOLDS:-700}"
# Dot products judged by the variance and the bias of their errors.
generate dot-product
# Whole networks in small sizes, and parts of graphs.
generate network
generate window --count "${ASSAY_WINDOWS:-400}"
# Every rule broken alone. Without EXT-DYNAMIC, under which constants may be computed.
extensions=()
for name in INT16 INT4 BF16 FP8E4M3 FP8E5M2 FFT VARIABLE CONTROLFLOW DOUBLEROUND INEXACTROUND; do
  extensions+=(--ext "EXT-$name")
done
generate invalid "${extensions[@]}"

# verify BACKEND NAME SUITE... OPTION...: 0, 1 (findings) and 3 (not installed) are results of the job.
verify() {
  local backend=$1 name=$2 status=0
  shift 2
  "$assay" verify "$@" --backend "$backend" --jobs "$jobs" --report "$out/$name" \
    >"$out/$name.txt" 2>&1 || status=$?
  case $status in
    0 | 1 | 3) ;;
    *)
      cat "$out/$name.txt"
      echo "assay verify --backend $backend ended with status $status"
      exit "$status"
      ;;
  esac
  echo "$status" >"$out/$name.status"
}
verify reference reference "$out/suite"
verify reference:template template "$out/suite"
verify canary:off-by-one-rounding canary "$out/suite" --minimize
# Invalid graphs are what MLIR's validation is for.
valid=("$out/suite"/{operator,graph,control-flow,stateful,fold,dot-product,network,window})
verify mlir mlir "${valid[@]}" --minimize
verify mlir:validate mlir-validate "$out/suite/invalid" --minimize
verify mlir-rewrite:canonicalize-fold mlir-rewrite "${valid[@]}" --minimize
# MLIR's other pipelines, on the kinds of vectors in which they change most.
verify mlir-rewrite:reduce-transposes mlir-transposes "${valid[@]}" --minimize --match TRANSPOSE
verify mlir-rewrite:decompose mlir-decompose "$out/suite"/{operator,graph} --minimize \
  --match 'CONV2D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D'
verify mlir-rewrite:broadcast mlir-broadcast "$out/suite/graph" --minimize
verify mlir-rewrite:infer-shapes mlir-shapes "$out/suite/control-flow" --minimize
verify mlir-rewrite:all mlir-all "$out/suite"/{fold,control-flow} --minimize
# What MLIR's folders make of graphs, compared for all inputs.
status=0
"$assay" fold verify "$out/suite/graph" "$out/suite/fold" --prove --folder mlir:canonicalize-fold \
  --out "$out/folds" --jobs "$jobs" >"$out/folds.txt" 2>&1 || status=$?
case $status in
  0 | 1 | 3) ;;
  *)
    cat "$out/folds.txt"
    exit "$status"
    ;;
esac

echo
echo "Assay: the main job ran in $(($(seconds) - started)) s after the build"
summary() { # NAME: the totals line of a report
  printf '%-14s exit %s  %s\n' "$1" "$(cat "$out/$1.status")" "$(grep -m1 '^total' "$out/$1.txt" || tail -n 1 "$out/$1.txt")"
}
echo "suite          $(find "$out/suite" -name '*.tvec' | wc -l) vectors in $out/suite"
rewrites=(mlir-rewrite mlir-transposes mlir-decompose mlir-broadcast mlir-shapes mlir-all)
for name in reference template canary mlir mlir-validate "${rewrites[@]}"; do summary "$name"; done
echo "folds          $(awk '/^ *[0-9]+  (equal|different|undecided|not folded)/ { all += $1; if ($2 == "equal") equal += $1; if ($2 == "different") different += $1 }
  END { print all + 0 " graphs: " equal + 0 " proved equal, " different + 0 " different" }' "$out/folds.txt"); $out/folds.txt"
coverage=$("$assay" coverage "$out/suite" | tee "$out/coverage.txt" | grep -v '^  ' |
  awk '{ printf "%s%s %s", separator, $1, $2; separator = ", " }')
echo "coverage       $coverage"
"$assay" mutants "$out/suite" --jobs "$jobs" >"$out/mutants.txt" || [ $? -eq 1 ] # 1: some survive
echo "mutants        $(awk '/^total/ { print $2 " killed, " $3 " alive, " $4 " equivalent" }' "$out/mutants.txt")"
found() { find "$out" -path '*/findings/*' -name '*.tvec' "$@" | wc -l; }
echo "findings       $(found -not -name 'not-*') minimized vectors, one replay line each in the reports; $(found -name 'not-repeatable-*') not repeatable, $(found -name 'not-minimized-*') not minimized"
echo "python         build/release/python holds the package assay: PYTHONPATH, or --backend-env PYTHONPATH=build/release/python; for /usr/bin/python3"
names=$(printf ',%s' mlir mlir-validate "${rewrites[@]}")
echo "reports        $out/{${names:1}}/report.html"
