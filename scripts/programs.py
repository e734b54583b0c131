# SPDX-License-Identifier: Apache-2.0
"""The programs that scripts run, as types of their arguments."""

import argparse
import os
import pathlib

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build" / "release"  # by run.sh and test.sh


def program(path):
    """A program that is there."""
    if not (os.path.isfile(path) and os.access(path, os.X_OK)):
        raise argparse.ArgumentTypeError(f"{path}: no such program")
    return str(path)


def build_with(*names):
    """A build folder that holds programs of these names."""
    def folder(path):
        for name in names:
            program(os.path.join(path, name))
        return pathlib.Path(path)
    return folder
