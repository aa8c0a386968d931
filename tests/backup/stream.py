"""The octets of a backup (docs/formats/backup.md), for tests that make bad ones whose checksums are right."""
import struct

MAGIC = b"kauribak"
HEADER, DATA, END = 1, 2, 3


def table():
    out = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        out.append(number)
    return out


TABLE = table()


def crc32c(octets, seed=0):
    crc = seed ^ 0xFFFFFFFF
    for octet in octets:
        crc = TABLE[(crc ^ octet) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def blocks(octets):
    """Yields (kind, payload); the checksums are looked at as well."""
    if octets[:8] != MAGIC:
        raise ValueError("no backup")
    at, crc = 8, crc32c(MAGIC)
    while at < len(octets):
        kind, size = struct.unpack_from("<BI", octets, at)
        crc = crc32c(octets[at:at + 5 + size], crc)
        if struct.unpack_from("<I", octets, at + 5 + size)[0] != crc:
            raise ValueError(f"checksum at octet {at}")
        yield kind, octets[at + 5:at + 5 + size]
        at += size + 9


def join(parts):
    """A stream of these (kind, payload)."""
    out, crc = [MAGIC], crc32c(MAGIC)
    for kind, payload in parts:
        block = struct.pack("<BI", kind, len(payload)) + payload
        crc = crc32c(block, crc)
        out += [block, struct.pack("<I", crc)]
    return b"".join(out)


def records(data):
    """The change records of the payloads of data blocks."""
    out, at = [], 0
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        out.append(data[at + 4:at + 4 + size])
        at += 4 + size
    return out


def without_record(octets, number):
    """A stream of changes that lacks one record, and says so nowhere."""
    parts = list(blocks(octets))
    kept = records(b"".join(payload for kind, payload in parts if kind == DATA))
    del kept[number]
    header = bytearray(parts[0][1])
    struct.pack_into("<Q", header, 26, len(kept))
    data = b"".join(struct.pack("<I", len(record)) + record for record in kept)
    out = [(HEADER, bytes(header))]
    out += [(DATA, data[at:at + (1 << 20)]) for at in range(0, len(data), 1 << 20)]
    return join([*out, (END, struct.pack("<Q", len(kept)))])


ENTRIES = 1  # the number of a table


def with_entry_misplaced(octets, chance):
    """A backup in which one bit of an entry's number is wrong, as a program wrote it that did not see that."""
    parts = list(blocks(octets))
    data = bytearray(b"".join(payload for kind, payload in parts if kind == DATA))
    places, at = [], 0
    while at < len(data):
        table_number, key_size, value_size = struct.unpack_from("<BHI", data, at)
        if table_number == ENTRIES:
            places.append(at + 7)
        at += 7 + key_size + value_size
    data[chance.choice(places) + chance.choice([5, 6, 7])] ^= 1 << chance.randrange(8)
    out = [parts[0]]
    out += [(DATA, bytes(data[at:at + (1 << 20)])) for at in range(0, len(data), 1 << 20)]
    return join([*out, parts[-1]])
