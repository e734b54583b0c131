# SPDX-License-Identifier: Apache-2.0
"""Exceptions for files that cannot be read."""
import json
import pathlib


class BadFile(ValueError):
    """Raised if a file cannot be read. `file` is its name, `reason` one line of text."""

    def __init__(self, file, reason):
        super().__init__(f"{file}: {reason}")
        self.file = str(file)
        self.reason = reason


def read_file(path):
    """Returns the bytes of a file. Raises BadFile if the system does not give them."""
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise BadFile(path, error.strerror or str(error)) from error


class Damaged(Exception):
    """Raised with the reason alone where the name of the file is not known."""


def quoted(name):
    """Returns a name from a file as text for a message: on one line, whatever characters it has."""
    return json.dumps(name)
