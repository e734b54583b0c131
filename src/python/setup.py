# SPDX-License-Identifier: Apache-2.0
"""Builds the package for pip: CMake builds it, as for the toolkit itself, and the result is packed.

    python3 -m venv --system-site-packages V
    V/bin/pip install --no-build-isolation ./src/python

ASSAY_BUILD names a build folder of the toolkit that is used; CMake brings its target assay_python up
to date first, unless ASSAY_BUILD_IS_COMPLETE is set. Without it, all of the library is compiled, in
the folder build/python of the source tree, which takes minutes."""
import os
import pathlib
import re
import shutil
import subprocess

import setuptools
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
# A source distribution has the toolkit in a folder of its own.
TOOLKIT = HERE / "toolkit" if (HERE / "toolkit").is_dir() else HERE.parent.parent
# What CMake reads.
SOURCES = ("CMakeLists.txt", "LICENSE", "src", "generators", "oracles", "tests", "scripts",
           "corpus/spec")


def not_source(folder, names):
    """Returns what of a folder no source distribution has: what Python and this file make."""
    made = {"build", "dist"} if pathlib.Path(folder) == HERE else set()
    return [name for name in names if name in made or name == "__pycache__"
            or name.startswith("assay-") or name.endswith(".egg-info")]


def version():
    text = (TOOLKIT / "src" / "base" / "version.h").read_text()
    return re.search(r'kToolkitVersion = "([^"]+)"', text)[1]


def build_folder(name):
    """Returns the build folder that ASSAY_BUILD names. pip runs this file in another folder than
    its own. So a relative path begins where pip was called, or else in the toolkit."""
    for start in (os.environ.get("PWD", "."), TOOLKIT):
        folder = pathlib.Path(start) / name
        if (folder / "CMakeCache.txt").is_file():
            return folder
    raise SystemExit(f"ASSAY_BUILD={name}: is no build folder of the toolkit")


def built_package():
    """Builds the package with CMake, and returns the folder that has it."""
    named = os.environ.get("ASSAY_BUILD")
    if named is not None:
        folder = build_folder(named)
    else:
        folder = TOOLKIT / "build" / "python"
        subprocess.run(["cmake", "-S", TOOLKIT, "-B", folder, "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release"], check=True)
    if "ASSAY_BUILD_IS_COMPLETE" not in os.environ:
        subprocess.run(["cmake", "--build", folder, "--target", "assay_python"], check=True)
    package = pathlib.Path(folder) / "python"
    if not list((package / "assay").glob("native.*.so")):
        raise SystemExit(f"{package}: has no native library; install pybind11-dev and python3-dev")
    return package


class BuildWithCMake(build_py):
    def run(self):
        package = built_package()
        to = pathlib.Path(self.build_lib)
        shutil.rmtree(to / "assay", ignore_errors=True)
        shutil.copytree(package / "assay", to / "assay",
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(package / "pytest_assay.py", to)
        for library in (to / "assay").glob("native.*.so"):
            subprocess.run(["strip", "--strip-unneeded", library], check=True)


class SourceWithToolkit(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            to = pathlib.Path(base_dir) / "toolkit" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            if (TOOLKIT / name).is_dir():
                shutil.copytree(TOOLKIT / name, to, ignore=not_source)
            else:
                shutil.copy(TOOLKIT / name, to)


class WithNativeLibrary(Distribution):
    def has_ext_modules(self):
        return True  # so the wheel is for this platform


setuptools.setup(version=version(), packages=["assay"], py_modules=["pytest_assay"],
                 distclass=WithNativeLibrary,
                 cmdclass={"build_py": BuildWithCMake, "sdist": SourceWithToolkit})
