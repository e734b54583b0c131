# SPDX-License-Identifier: Apache-2.0
"""Access to FlatBuffers that may be damaged or hostile."""
import flatbuffers
from flatbuffers import number_types

from .bad_file import Damaged

_OFFSET = number_types.UOffsetTFlags
_BYTES_PER_FILE_BYTE = 128
_BYTES_PER_FILE = 64 << 10


class CheckedBytes(bytes):
    """A FlatBuffer with limits on how much may still be read of it.

    A table takes eight bytes together with the offset to it, a string four. If more are read than
    the file has room for, the same ones are read again and again, which could go on without end.
    (Classes made by flatc read each table twice.)"""

    def __init__(self, _content):
        self.tables_left = 2 * (len(self) // 8 + 64)
        self.strings_left = len(self) // 4 + 64
        self.text_left = _BYTES_PER_FILE_BYTE * len(self) + _BYTES_PER_FILE

    def charge(self, what, amount):
        left = getattr(self, what) - amount
        if left < 0:
            raise Damaged("the FlatBuffer repeats one part without end")
        setattr(self, what, left)

    def number(self, flags, at):
        """Returns the number at any position; raises Damaged if it is outside."""
        self.expect(at, flags.bytewidth)
        return flags.packer_type.unpack_from(self, at)[0]

    def expect(self, at, size):
        if at < 0 or at + size > len(self):
            raise Damaged(f"the FlatBuffer is damaged: offset {at} is outside")


class CheckedTable(flatbuffers.table.Table):
    """A table of CheckedBytes. An access outside of the bytes raises Damaged. `fields` is the
    number of fields in the schema."""

    __slots__ = ("_offsets",)

    def __init__(self, buf, pos, name, fields):
        self.Bytes, self.Pos = buf, pos
        buf.charge("tables_left", 1)
        vtable = pos - buf.number(number_types.SOffsetTFlags, pos)
        size = buf.number(number_types.VOffsetTFlags, vtable)
        if size < 4 or size % 2:
            raise Damaged(f"the FlatBuffer is damaged: a vtable of {size} bytes at {vtable}")
        buf.expect(vtable, size)
        buf.expect(pos, buf.number(number_types.VOffsetTFlags, vtable + 2))
        self._offsets = memoryview(buf)[vtable:vtable + size].cast("H")
        if any(self._offsets[fields + 2:]):
            raise Damaged(f"{name} has a field that this version does not know")

    def Offset(self, vtableOffset):
        index = vtableOffset // 2
        return self._offsets[index] if index < len(self._offsets) else 0

    def Get(self, flags, off):
        return flags.py_type(self.Bytes.number(flags, off))

    def Indirect(self, off):
        return off + self.Bytes.number(_OFFSET, off)

    def String(self, off):
        at = self.Indirect(off)
        length = self.Bytes.number(_OFFSET, at)
        self.Bytes.expect(at + 4, length)
        self.Bytes.charge("strings_left", 1)
        self.Bytes.charge("text_left", length)
        return bytes(self.Bytes[at + 4:at + 4 + length])

    def Vector(self, off):
        return self.Indirect(self.Pos + off) + 4

    def VectorLen(self, off):
        return self.Bytes.number(_OFFSET, self.Vector(off) - 4)

    def GetVectorAsNumpy(self, flags, off):
        self.Bytes.expect(self.Vector(off), self.VectorLen(off) * flags.bytewidth)
        return super().GetVectorAsNumpy(flags, off)

    def Union(self, t2, off):
        t2.Pos = self.Indirect(self.Pos + off)
        t2.Bytes = self.Bytes
