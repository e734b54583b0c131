# SPDX-License-Identifier: Apache-2.0
"""Reads and writes FlatBuffers with the classes that flatc made."""
import contextlib
import pathlib

import flatbuffers
import numpy as np

from .bad_file import BadFile, Damaged, read_file
from .checked_table import CheckedBytes


class _Builder(flatbuffers.Builder):
    """Aligns vectors of bytes, which the schemas demand by force_align."""

    def __init__(self, alignment):
        super().__init__(1024)
        self._alignment = alignment

    def StartVector(self, elemSize, numElems, alignment):
        if elemSize == 1:
            alignment = self._alignment
        return super().StartVector(elemSize, numElems, alignment)


@contextlib.contextmanager
def reasons(name):
    """Turns every exception that damaged content leads to into BadFile."""
    try:
        yield
    except BadFile:
        raise
    except (Damaged, ValueError) as error:
        raise BadFile(name, str(error)) from error


class File:
    """The base class of graphs and vectors: loads and saves files by from_bytes() and
    to_bytes()."""

    @classmethod
    def load(cls, path):
        """Returns the content of a file. Raises BadFile if it has another format or cannot be
        opened."""
        return cls.from_bytes(read_file(path), path)

    def save(self, path):
        pathlib.Path(path).write_bytes(self.to_bytes())


def read_root(content, identifier, root, unpacked):
    """Returns the object (class `unpacked`) of the root table (class `root`) in a file's bytes."""
    if len(content) < 8 or content[4:8] != identifier:
        raise Damaged(f"no identifier {identifier.decode()} at offset 4")
    return unpacked.InitFromObj(root.GetRootAs(CheckedBytes(content)))


def write_root(unpacked, identifier, alignment):
    builder = _Builder(alignment)
    builder.Finish(unpacked.Pack(builder), file_identifier=identifier)
    return bytes(builder.Output())


def text(from_file):
    """Returns a string of a file, which may be absent, or not UTF-8."""
    return (from_file or b"").decode("utf-8", "surrogateescape")


def texts(from_file):
    return [text(one) for one in from_file or ()]


def to_text(string):
    return string.encode("utf-8", "surrogateescape")


def to_texts(strings):
    return [to_text(one) for one in strings]


def to_bytes(data):
    return np.frombuffer(data, np.uint8)
