#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs all tests: Release with g++ in full, then the tests
# under address and undefined sanitizers with clang. Usage: scripts/test.sh [--release-only]
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install.sh
# shellcheck disable=SC2086
install_packages $assay_packages
install_mlir

options=(-DASSAY_TESTS=ON "-DASSAY_WERROR=${ASSAY_WERROR:-OFF}" ${ASSAY_UNITY:+"-DASSAY_UNITY=$ASSAY_UNITY"})
build build/release all -DCMAKE_BUILD_TYPE=Release "${options[@]}"
ctest --test-dir build/release --output-on-failure --parallel "$(nproc)"
[ "${1:-}" = --release-only ] && exit 0

# shellcheck disable=SC2086
install_packages $assay_sanitizer_packages
build build/sanitize all -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++-14 \
  -DASSAY_SANITIZE=address,undefined -DASSAY_MLIR_HELPERS="$PWD/build/release" "${options[@]}"
ctest --test-dir build/sanitize --output-on-failure --parallel "$(nproc)"
