# SPDX-License-Identifier: Apache-2.0
"""Bytes of strangers: a result or BadFile, soon."""
import random
import struct
import time

import flatbuffers
import pytest

import assay
from conftest import ROOT

SAMPLE = next((ROOT / "corpus/examples/arm").rglob("*lstm*.tosa"))


def read(content):
    """Whether the bytes are taken; anything but BadFile fails the test."""
    kind = assay.TestVector if content[4:8] == b"TVEC" else assay.Graph
    try:
        kind.from_bytes(bytes(content), "damaged")
    except assay.BadFile as error:
        assert error.file.startswith("damaged") and error.reason and "\n" not in str(error)
        return False
    return True


@pytest.mark.parametrize("content", [b"", b"TOSA", b"\0" * 4 + b"TOSA", b"\0" * 64,
                                     b"\xff" * 4 + b"TOSA" + b"\xff" * 64, b"\x08\0\0\0TVEC"])
def test_files_that_are_none_are_refused(content):
    assert not read(content)


def test_no_file_and_a_folder_are_bad_files(tmp_path):
    for load in (assay.load, assay.Graph.load, assay.TestVector.load):
        for path, words in ((tmp_path / "none.tosa", "No such file"), (tmp_path, "Is a directory")):
            with pytest.raises(assay.BadFile, match=words) as raised:
                load(path)
            assert raised.value.file == str(path)


def test_every_end_of_a_file_is_noticed_that_takes_content_away():
    content = SAMPLE.read_bytes()
    taken = [length for length in range(0, len(content), 37) if read(content[:length])]
    assert not taken


@pytest.mark.parametrize("suffix", ["tosa", "tvec"])
def test_damaged_files_are_read_or_refused(suffix):
    rng = random.Random(1)
    files = sorted((ROOT / "corpus").rglob("*." + suffix))
    counts = {True: 0, False: 0}
    for _ in range(1200):
        content = bytearray(rng.choice(files).read_bytes())
        for _ in range(rng.choice((1, 1, 4, 16))):
            at = rng.randrange(len(content) // 4) * 4
            content[at:at + 4] = rng.choice((
                bytes(4), b"\xff" * 4, struct.pack("<i", rng.randrange(-64, 64)), rng.randbytes(4),
                struct.pack("<I", content[at] ^ 1 << rng.randrange(8))))
        content[4:8] = b"TOSA" if suffix == "tosa" else b"TVEC"
        start = time.monotonic()
        counts[read(content)] += 1
        assert time.monotonic() - start < 2
    assert counts[True] > 100 and counts[False] > 100, counts


def test_one_list_that_every_operator_shares_ends_soon():
    """A block whose operators all point to one operator with a long list of names."""
    graph = assay.Graph(regions=[assay.Region(blocks=[assay.Block()])])
    block = graph.main
    block.tensors.append(assay.Tensor("t", (1,), assay.DType.INT8))
    block.operators = [assay.Operator(assay.Op.CONCAT, ["t"] * 2000, ["t"], {"axis": 0})]
    block.operators += [assay.Operator(assay.Op.ABS, ["t"], ["t"]) for _ in range(2000)]
    content = bytearray(graph.to_bytes())
    # the list of 2001 operators; its entries are offsets from where they stand
    at = content.find(struct.pack("<I", 2001)) + 4
    first = at + struct.unpack_from("<I", content, at)[0]
    for entry in range(at, at + 4 * 2001, 4):
        struct.pack_into("<I", content, entry, first - entry)
    start = time.monotonic()
    with pytest.raises(assay.BadFile, match="repeats one part without end"):
        assay.Graph.from_bytes(bytes(content))
    assert time.monotonic() - start < 5


def hello(change):
    """The bytes of a small graph after `change`, a function of its block's operator and tensor."""
    operator = assay.Operator(assay.Op.CONST, [], ["t"])
    tensor = assay.Tensor("t", (2,), assay.DType.INT16, b"\1\0\2\0")
    graph = assay.Graph(regions=[assay.Region(blocks=[assay.Block("main", [operator], [tensor])])])
    change(graph, graph.main, operator, tensor)
    return graph.to_bytes()


@pytest.mark.parametrize("reason,change", [
    ('tensor "t": data has 3 bytes, too few for 4', lambda g, b, o, t: setattr(t, "data", b"123")),
    ('tensor "t": a constant without data', lambda g, b, o, t: setattr(t, "data", None)),
    ('tensor "t" has rank 33', lambda g, b, o, t: setattr(t, "shape", (1,) * 33)),
    ('tensor "t" has type 18', lambda g, b, o, t: setattr(t, "dtype", 18)),
    ('tensor "t" has type 0', lambda g, b, o, t: setattr(t, "dtype", 0)),
    ('"u" is not declared', lambda g, b, o, t: o.inputs.append("u")),
    ('"t" is there twice', lambda g, b, o, t: b.tensors.append(t)),
    ("is of TOSA 0.80.1", lambda g, b, o, t: setattr(g, "version", assay.Version(0, 80, 1))),
    ("is of TOSA 2.0.0", lambda g, b, o, t: setattr(g, "version", assay.Version(2))),
])
def test_the_reason_is_said(reason, change):
    with pytest.raises(assay.BadFile, match=reason) as caught:
        assay.Graph.from_bytes(hello(change), "x.tosa")
    assert str(caught.value).startswith("x.tosa: ")


def test_fuzzed_files_are_read_or_refused():
    files = [path for suffix in ("tosa", "tvec")
             for path in sorted((ROOT / "corpus/fuzz" / suffix).iterdir())]
    taken = [read(path.read_bytes()) for path in files]
    assert True in taken and False in taken


def test_what_a_newer_version_appends_is_refused():
    builder = flatbuffers.Builder()
    builder.StartObject(3)  # a region with a field more
    builder.PrependInt32Slot(2, 5, 0)
    region = builder.EndObject()
    builder.StartVector(4, 1, 4)
    builder.PrependUOffsetTRelative(region)
    regions = builder.EndVector()
    builder.StartObject(4)
    for field, number in enumerate((1, 0, 0)):
        builder.PrependInt32Slot(field, number, -1)
    version = builder.EndObject()
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(0, version, 0)
    builder.PrependUOffsetTRelativeSlot(1, regions, 0)
    builder.Finish(builder.EndObject(), file_identifier=b"TOSA")
    with pytest.raises(assay.BadFile, match="TosaRegion has a field"):
        assay.Graph.from_bytes(bytes(builder.Output()))
