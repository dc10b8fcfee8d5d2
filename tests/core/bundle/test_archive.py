"""The archive of a bundle: every byte follows from the parts, also where ZIP needs its long form."""

import zlib

import pytest

from weighbridge.core.bundle.archive import (
    ArchivePart,
    UnreadableError,
    read_parts,
    write_directory,
    write_headers,
)


def archive(**parts: bytes) -> bytes:
    made = [ArchivePart(name, len(content), zlib.crc32(content)) for name, content in sorted(parts.items())]
    written = b"".join(
        header + parts[part.name] for header, part in zip(write_headers(made), made, strict=True)
    )
    return written + write_directory(made)


def test_parts_are_read_as_they_were_written():
    content = archive(b=b"two", a=b"", c=b"three\n")

    assert {name: bytes(part) for name, part in read_parts(memoryview(content)).items()} == {
        "a": b"",
        "b": b"two",
        "c": b"three\n",
    }


def test_a_part_of_more_than_four_gigabytes_has_its_size_in_the_long_form():
    size = 5 * 2**30
    part = ArchivePart("events", size, 7)
    [header] = write_headers([part])

    assert header.endswith(b"events" + b"\x01\x00\x10\x00" + size.to_bytes(8, "little") * 2)
    behind = write_directory([part])
    assert b"PK\x06\x06" in behind
    assert b"PK\x06\x07" in behind


def test_a_size_that_is_not_there_is_no_size():
    [header] = write_headers([ArchivePart("events", 5 * 2**30, 7)])

    with pytest.raises(UnreadableError, match="the file ends before"):
        read_parts(memoryview(header))


@pytest.mark.parametrize("place", range(60))
def test_every_byte_of_a_frame_counts(place):
    content = bytearray(archive(part=b"content"))
    content[place] ^= 1

    with pytest.raises(UnreadableError):
        read_parts(memoryview(bytes(content)))
