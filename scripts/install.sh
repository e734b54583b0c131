#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Assay builds and tests with, from Debian 12 packages. Sourced by run.sh and test.sh.
# As root it just installs; otherwise it says what it installs and uses sudo.
#
#   scripts/install.sh --with NAME...
#
# installs runtimes for the backends of that name: litert, mlir@19, onednn, onnxruntime,
# onnxruntime-web, opencv, pytorch, xnnpack. What is not installed by apt goes to ~/.local/share/assay/runtimes
# (XDG_DATA_HOME, or ASSAY_RUNTIMES).

assay_packages="g++ ccache cmake ninja-build flatbuffers-compiler libflatbuffers-dev librapidcheck-dev
  nlohmann-json3-dev libgtest-dev libcli11-dev libfmt-dev libpugixml-dev libmpfr-dev libgmp-dev
  libssl-dev libz3-dev zlib1g-dev libbenchmark-dev libjemalloc-dev graphviz pkg-config python3 python3-flatbuffers
  python3-numpy python3-pytest python3-jsonschema python3-yaml
  python3-dev pybind11-dev python3-hypothesis python3-setuptools python3-wheel python3-venv"
# What the built programs need.
assay_runtime_packages="libfmt9 libpugixml1v5 libssl3 libmpfr6 libgmp10 libz3-4 zlib1g libjemalloc2 libflatbuffers2
  graphviz python3 python3-flatbuffers python3-numpy"
assay_mlir_packages="libmlir-22-dev mlir-22-tools llvm-22-dev"
assay_onnx_packages="python3 python3-flatbuffers python3-numpy python3-onnx"
assay_sanitizer_packages="clang-14 libclang-rt-14-dev lld-14"

# missing PACKAGE...: those that are not installed.
missing() {
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    echo "with sudo: $*" >&2
    sudo "$@"
  else
    echo "cannot run '$*': not root, and there is no sudo" >&2
    return 1
  fi
}

# install_packages PACKAGE...: all or an error that names them.
install_packages() {
  local wanted
  wanted=$(missing "$@" | tr '\n' ' ')
  [ -z "$wanted" ] && return 0
  echo "installing: $wanted" >&2
  as_root apt-get update -qq >&2 || echo "apt-get update failed; trying with the lists at hand" >&2
  # shellcheck disable=SC2086
  if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >/dev/null; then
    echo "could not install: $wanted" >&2
    return 1
  fi
}

# install_mlir: LLVM/MLIR 22 is in Debian's security archive; without it the mlir backend reports
# itself as not installed.
install_mlir() {
  # shellcheck disable=SC2086
  [ -z "$(missing $assay_mlir_packages)" ] && return 0
  # shellcheck disable=SC2086
  if ! apt-cache show libmlir-22-dev >/dev/null 2>&1; then
    as_root apt-get update -qq >&2 || true
  fi
  if ! apt-cache show libmlir-22-dev >/dev/null 2>&1; then
    echo "libmlir-22-dev is in no listed archive (it is in Debian's security archive): no mlir backend" >&2
    return 0
  fi
  # shellcheck disable=SC2086
  install_packages $assay_mlir_packages
}

# install_mlir_19: LLVM/MLIR 19 conflicts with 22, so its packages are unpacked into a folder and not
# installed. The next build makes assay-mlir-helper-19.
install_mlir_19() {
  local folder="${ASSAY_RUNTIMES:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/runtimes}/llvm-19"
  local packages package
  [ -e "$folder/usr/lib/llvm-19/lib/libMLIR.so" ] && return 0
  packages=$(mktemp -d) || return
  echo "unpacking: LLVM 19 in $folder" >&2
  mkdir -p "$folder" &&
    (cd "$packages" && apt-get download -qq libllvm19 llvm-19-dev libmlir-19 libmlir-19-dev) &&
    for package in "$packages"/*.deb; do dpkg -x "$package" "$folder" || break; done
  rm -r "$packages"
  # The archives (.a) are most of it, and nothing needs them.
  find "$folder" -name '*.a' -delete
  if ! [ -e "$folder/usr/lib/llvm-19/lib/libMLIR.so" ]; then
    echo "could not unpack LLVM 19" >&2
    return 1
  fi
}

# build FOLDER TARGET CMAKE-OPTION...: configures and builds.
build() {
  local folder=$1 target=$2
  shift 2
  cmake -S . -B "$folder" -G Ninja "$@" >/dev/null
  cmake --build "$folder" --target "$target" --parallel "$(nproc)"
}

# install_npm PACKAGE VERSION: an npm package into a folder of its own. Scripts of packages do not
# run: that of onnxruntime-node downloads CUDA.
install_npm() {
  local folder="${ASSAY_RUNTIMES:-${XDG_DATA_HOME:-$HOME/.local/share}/assay/runtimes}/$1"
  command -v node >/dev/null || install_packages nodejs
  command -v npm >/dev/null || install_packages npm
  mkdir -p "$folder"
  echo "installing: $1 $2 in $folder" >&2
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent "$1@$2"
}

# install_runtime NAME: what the backend of that name needs.
install_runtime() {
  case "$1" in
    litert) install_packages python3 python3-flatbuffers python3-numpy && install_npm @litertjs/core 2.5.3 ;;
    mlir@19) install_mlir_19 ;;
    onnxruntime) install_packages $assay_onnx_packages && install_npm onnxruntime-node 1.30.0 ;;
    onnxruntime-web) install_packages $assay_onnx_packages && install_npm onnxruntime-web 1.30.0 ;;
    opencv) install_packages $assay_onnx_packages python3-opencv ;;
    onednn) install_packages libdnnl-dev ;;
    pytorch) install_packages python3-torch ;;
    xnnpack) install_packages libxnnpack-dev libpthreadpool-dev ;;  # the first needs the second
    *)
      echo "install.sh: no runtime is named '$1'; there are litert, mlir@19, onednn, onnxruntime, onnxruntime-web, opencv, pytorch, xnnpack" >&2
      return 2
      ;;
  esac
}

# The rest is for install.sh as a program.
case "$0" in
  */install.sh | install.sh)
    if [ "$1" != --with ] || [ $# -lt 2 ]; then
      echo "usage: scripts/install.sh --with NAME..." >&2
      exit 2
    fi
    shift
    for name in "$@"; do
      install_runtime "$name" || exit
    done
    ;;
esac
