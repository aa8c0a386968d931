"""Ways to damage a data file of LMDB 0.9, and the little that is needed to aim at its pages."""
import struct

PAGE = 4096
BRANCH, LEAF, OVERFLOW = 1, 2, 4
HEADER = 16
NODE = 8
KIB = 1024


def page_of(data, number):
    return data[number * PAGE:(number + 1) * PAGE]


def header_of(data, number):
    """-> number, flags, lower, upper"""
    own, _, flags, lower, upper = struct.unpack_from("<QHHHH", data, number * PAGE)
    return own, flags, lower, upper


def pages_of_trees(data):
    """Numbers of all pages that look like one of a tree: current ones, and free ones that were."""
    out = []
    for number in range(2, len(data) // PAGE):
        own, flags, lower, upper = header_of(data, number)
        if own == number and flags in (BRANCH, LEAF) and HEADER < lower <= upper <= PAGE:
            out.append(number)
    return out


def nodes_of(data, number):
    """Places in the file of the nodes of a page."""
    count = (header_of(data, number)[2] - HEADER) // 2
    offsets = struct.unpack_from(f"<{count}H", data, number * PAGE + HEADER)
    return [number * PAGE + offset for offset in offsets]


def newest_header(data):
    commits = [struct.unpack_from("<Q", data, number * PAGE + HEADER + 24 + 2 * 48 + 8)[0] for number in (0, 1)]
    return 0 if commits[0] > commits[1] else 1


def flip(data, place, bit):
    data[place] ^= 1 << bit


TABLES = ("changes", "dn", "entries", "index", "meta", "values")
BIG = 1  # the value of a node is the number of an overflow page
TREE = 48
ENTRIES, CHANGES = 1, 5  # numbers of tables
EMPTY = (1 << 64) - 1  # the root of a tree without records


class Record:
    """Where the key and the stored value of one record of a table lie in the file."""

    def __init__(self, data, page, node):
        low, high, flags, key_size = struct.unpack_from("<HHHH", data, node)
        self.key_place = node + NODE
        self.place = self.key_place + key_size
        self.size = low | high << 16
        if flags & BIG:
            self.place = struct.unpack_from("<Q", data, self.place)[0] * PAGE + HEADER
        self.page = page
        self.key = bytes(data[self.key_place:self.key_place + key_size])
        self.value = bytes(data[self.place:self.place + self.size])


def leaves_of(data, number):
    if header_of(data, number)[1] == LEAF:
        return [number]
    out = []
    for node in nodes_of(data, number):
        low, middle, high = struct.unpack_from("<HHH", data, node)
        out += leaves_of(data, low | middle << 16 | high << 32)
    return out


def pages_below(data, number):
    """The page and all branch and leaf pages that it leads to."""
    out = [number]
    if header_of(data, number)[1] != LEAF:
        for node in nodes_of(data, number):
            low, middle, high = struct.unpack_from("<HHH", data, node)
            out += pages_below(data, low | middle << 16 | high << 32)
    return out


def pages_in_use(data):
    """Those of the tables as the newest commit has them."""
    names = struct.unpack_from("<Q", data, newest_header(data) * PAGE + HEADER + 24 + TREE + 40)[0]
    out = pages_below(data, names)
    for leaf in leaves_of(data, names):
        for node in nodes_of(data, leaf):
            root = struct.unpack_from("<Q", Record(data, leaf, node).value, 40)[0]
            if root != EMPTY:
                out += pages_below(data, root)
    return out


def names_of(data):
    """The records that say where the tree of each table begins; their keys are the names of the tables."""
    names = struct.unpack_from("<Q", data, newest_header(data) * PAGE + HEADER + 24 + TREE + 40)[0]
    return [Record(data, page, node) for page in leaves_of(data, names) for node in nodes_of(data, page)]


def records_of(data, table):
    """All records of a table as the newest commit has them."""
    for tree in names_of(data):
        if tree.key == table.encode():
            root = struct.unpack_from("<Q", tree.value, 40)[0]
            return [Record(data, leaf, place) for leaf in leaves_of(data, root) for place in nodes_of(data, leaf)]
    raise ValueError(f"no table {table}")


def id_of(record):
    return int.from_bytes(record.key, "big")


def dns_of(entries):
    """-> {id: DN} of records of the table of entries (docs/formats/entry.md)."""
    rdns = {}
    for record in entries:
        size, parent = struct.unpack_from("<HQ", record.value, 6)
        begin = 32 + 12 * sum(struct.unpack_from("<4H", record.value, 24))
        rdns[id_of(record)] = record.value[begin:begin + size].decode(), parent

    def dn(number):
        rdn, parent = rdns[number]
        return f"{rdn},{dn(parent)}" if parent else rdn
    return {number: dn(number) for number in rdns}


class Damager:
    """Makes one damaged image of a file after another. `older` is the same file some commits before."""

    def __init__(self, current, older, only=None):
        """`only`: the name of one way, as "record"."""
        self.current = current
        self.older = older
        self.trees = pages_of_trees(current)
        self.in_use = pages_in_use(current)
        self.pages = len(current) // PAGE
        names = [name for name in sorted(dir(self)) if name.startswith("way_")]
        if only is not None and f"way_{only}" not in names:
            raise SystemExit(f"damage: there is no way {only!r}; there are " + ", ".join(name[4:] for name in names))
        self.ways = [getattr(self, name) for name in names if only in (None, name[4:])]
        self.any_way = only is None
        self.records = {table: records_of(current, table) for table in TABLES}
        self.names = names_of(current)
        self.dns = dns_of(self.records["entries"])
        self.touched = []

    def image(self, random):
        """-> (what was done, octets): the choice is `random`'s alone. `touched` has the DNs of the entries to ask for."""
        self.touched = []
        chance = random.random() if self.any_way else 1
        way = self.way_record if chance < 0.2 else self.way_key if chance < 0.35 else random.choice(self.ways)
        data = bytearray(self.current)
        what = way(data, random)
        return f"{way.__name__[4:]}: {what}", data

    def some_page(self, random):
        return random.choice(self.trees) if random.random() < 0.7 else random.randrange(self.pages)

    # --- The size of the file ---
    def way_cut_at_a_page(self, data, random):
        size = random.randrange(self.pages) * PAGE
        del data[size:]
        return f"to {size} octets"

    def way_cut_anywhere(self, data, random):
        size = random.randrange(len(data))
        del data[size:]
        return f"to {size} octets"

    def way_cut_near_the_end(self, data, random):
        size = len(data) - random.randrange(1, 8 * PAGE)
        del data[size:]
        return f"to {size} octets"

    def way_grown(self, data, random):
        data += random.randbytes(random.randrange(1, 4 * PAGE))
        return f"to {len(data)} octets"

    # --- Bits ---
    def way_bit_anywhere(self, data, random):
        place, bit = random.randrange(len(data)), random.randrange(8)
        flip(data, place, bit)
        return f"bit {bit} of octet {place}"

    def way_bit_of_a_file_header(self, data, random):
        place, bit = random.randrange(2) * PAGE + random.randrange(160), random.randrange(8)
        flip(data, place, bit)
        return f"bit {bit} of octet {place}"

    def way_bit_of_a_page_header(self, data, random):
        number = self.some_page(random)
        lower = header_of(data, number)[2] if number in self.trees else HEADER
        place, bit = number * PAGE + random.randrange(max(lower, HEADER)), random.randrange(8)
        flip(data, place, bit)
        return f"bit {bit} of octet {place}, page {number}"

    def way_bit_of_a_node(self, data, random):
        number = random.choice(self.trees)
        place, bit = random.choice(nodes_of(data, number)) + random.randrange(NODE + 16), random.randrange(8)
        place = min(place, (number + 1) * PAGE - 1)
        flip(data, place, bit)
        return f"bit {bit} of octet {place}, page {number}"

    def way_many_bits(self, data, random):
        number = self.some_page(random)
        count = random.randrange(2, 64)
        for _ in range(count):
            flip(data, number * PAGE + random.randrange(PAGE), random.randrange(8))
        return f"{count} bits of page {number}"

    # --- Records that keep their form ---
    def way_record(self, data, random):
        """Bits of one octet in the key or the value of one record: no page has a fault, but for keys out of order."""
        table = random.choice(TABLES)
        record = random.choice(self.records[table])
        if random.random() < 0.3:
            place = record.key_place + random.randrange(len(record.key))
        else:
            place = record.place + random.randrange(record.size)
        mask = random.choice([1 << random.randrange(8), random.randrange(1, 256), 0x20])
        data[place] ^= mask
        if table == "entries":
            self.touch(id_of(record))
        return f"of table {table}, bits {mask:#x} of octet {place}, page {record.page}"

    def way_key(self, data, random):
        """Bits of one octet of a key whose value says nothing of it: the number of an entry, which may become that of
        another one, the number of a change, the name of a table."""
        table = random.choice(["entries"] * 6 + ["changes"] * 2 + ["names"] * 2)
        record = random.choice(self.names if table == "names" else self.records[table])
        last = len(record.key) - 1
        at = random.choice([last, last - 1, random.randrange(last + 1)])
        mask = 1 << random.randrange(8) if random.random() < 0.7 else random.randrange(1, 256)
        data[record.key_place + at] ^= mask
        key = bytes(data[record.key_place:record.key_place + last + 1])
        if table == "entries":
            self.touch(id_of(record), int.from_bytes(key, "big"))
        return f"of table {table}, {record.key.hex()} to {key.hex()}, octet {record.key_place + at}, page {record.page}"

    def touch(self, *numbers):
        """These entries are asked for, and their neighbours, which stand beside them on the page."""
        near = sorted({number + step for number in numbers for step in (-1, 0, 1)} & self.dns.keys())
        self.touched = [self.dns[number] for number in near]

    # --- Pages ---
    def way_page_zeroed(self, data, random):
        number = self.some_page(random)
        data[number * PAGE:(number + 1) * PAGE] = bytes(PAGE)
        return f"page {number}"

    def way_page_of_ones(self, data, random):
        number = self.some_page(random)
        data[number * PAGE:(number + 1) * PAGE] = b"\xff" * PAGE
        return f"page {number}"

    def way_page_of_noise(self, data, random):
        number = self.some_page(random)
        data[number * PAGE:(number + 1) * PAGE] = random.randbytes(PAGE)
        return f"page {number}"

    def way_noise_behind_a_page_header(self, data, random):
        number = random.choice(self.trees)
        data[number * PAGE + HEADER:(number + 1) * PAGE] = random.randbytes(PAGE - HEADER)
        return f"page {number}"

    def way_sector_lost(self, data, random):
        place = self.some_page(random) * PAGE + random.randrange(8) * 512
        data[place:place + 512] = random.choice([bytes(512), random.randbytes(512)])
        return f"512 octets at {place}"

    def way_run_of_pages_lost(self, data, random):
        first = random.randrange(2, self.pages)
        count = min(random.randrange(2, 16), self.pages - first)
        data[first * PAGE:(first + count) * PAGE] = bytes(count * PAGE)
        return f"pages {first} to {first + count - 1}"

    def way_pages_swapped(self, data, random):
        a, b = random.sample(self.trees, 2)
        data[a * PAGE:(a + 1) * PAGE], data[b * PAGE:(b + 1) * PAGE] = page_of(self.current, b), page_of(self.current, a)
        return f"pages {a} and {b}"

    def way_contents_swapped(self, data, random):
        """Each page keeps its number, so that only keys and records tell. Of pages in use: others hold what was once true,
        which is the business of way_older_page."""
        flags = random.choice([BRANCH, LEAF])
        pages = [number for number in self.in_use if header_of(data, number)[1] == flags]
        a, b = random.sample(pages, 2)
        data[a * PAGE + 8:(a + 1) * PAGE] = page_of(self.current, b)[8:]
        data[b * PAGE + 8:(b + 1) * PAGE] = page_of(self.current, a)[8:]
        return f"pages {a} and {b}"

    def way_page_copied_over_another(self, data, random):
        a, b = random.sample(self.trees, 2)
        data[b * PAGE:(b + 1) * PAGE] = page_of(self.current, a)
        return f"page {a} over page {b}"

    # --- The past ---
    def way_older_page(self, data, random):
        candidates = [number for number in range(2, len(self.older) // PAGE)
                      if page_of(self.older, number) != page_of(self.current, number)]
        number = random.choice(candidates)
        data[number * PAGE:(number + 1) * PAGE] = page_of(self.older, number)
        return f"page {number}"

    def way_older_file_header(self, data, random):
        number = random.randrange(2)
        data[number * PAGE:(number + 1) * PAGE] = page_of(self.older, number)
        return f"page {number}"

    def way_older_file_headers(self, data, _random):
        data[:2 * PAGE] = self.older[:2 * PAGE]
        return "pages 0 and 1"

    def way_one_file_header_twice(self, data, random):
        number = random.randrange(2)
        other = 1 - number
        data[other * PAGE:(other + 1) * PAGE] = page_of(self.current, number)
        if random.random() < 0.5:
            struct.pack_into("<Q", data, other * PAGE, other)
        return f"page {number} over page {other}"

    def way_newest_file_header_lost(self, data, _random):
        number = newest_header(data)
        data[number * PAGE:(number + 1) * PAGE] = bytes(PAGE)
        return f"page {number}"


# What the control damages: of a table the records in whose key or value the text is, and in them a letter of the name, or
# (12 octets from the end, 4 of them the checksum) the low octet of an entry's number.
UNCHECKED = (("values", b"uid=p11,", 4), ("dn", b"p41", -12), ("index", b"p500", -12))


def damage_records(data, table, text, at):
    """One bit of the value of each record of the table that has the text. None of them loses its form."""
    changed = 0
    for record in records_of(data, table):
        if text in record.key or text in record.value:
            data[record.place + (at if at >= 0 else record.size + at)] ^= 1
            changed += 1
    if changed == 0:
        raise ValueError(f"no record of table {table} has {text!r}")


def misplace(data):
    """An entry gets the number of another one on its page, and stands where whoever looks for that one looks first.
    -> the DNs of both"""
    entries = records_of(data, "entries")
    dns = dns_of(entries)
    for page in sorted({record.page for record in entries}):
        here = {id_of(record): record for record in entries if record.page == page}
        number = sorted(here)[(len(here) - 1) // 2]
        for bit in range(6):
            other = number ^ 1 << bit
            if other in here and dns[number].startswith("uid=p") and dns[other].startswith("uid=p"):
                flip(data, here[number].key_place + 7, bit)
                return [dns[number], dns[other]]
    raise ValueError("no entry can get the number of another one on its page")


def crc32c_table():
    table = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
        table.append(octet)
    return table


def crc32c(octets, begin=0, table=crc32c_table()):
    value = begin ^ 0xFFFFFFFF
    for octet in octets:
        value = value >> 8 ^ table[(value ^ octet) & 0xFF]
    return value ^ 0xFFFFFFFF


def forge(data, marker, text):
    """Writes `text` over `marker` inside each record of an entry or a change that has it, the current ones and older ones, and
    makes both of the record's checksums right again: what no check can find. A record is the data of one node of a leaf page."""
    forged = 0
    for number in pages_of_trees(data):
        if marker not in page_of(data, number) or header_of(data, number)[1] != LEAF:
            continue
        for node in nodes_of(data, number):
            low, high, _, key_size = struct.unpack_from("<HHHH", data, node)
            start, size = node + NODE + key_size, (low | high << 16) - 4
            record, key = data[start:start + size], data[node + NODE:start]
            if marker not in record or size < 32 or crc32c(record[4:]) != struct.unpack_from("<I", record)[0]:
                continue
            # Behind it is the sum of its table's number, its key and its own checksum (docs/formats/file.md). Changes have
            # the form of entries.
            stored = struct.unpack_from("<I", data, start + size)[0]
            begin = next(table | key_size << 8 for table in (ENTRIES, CHANGES)
                         if crc32c(key + record[:4], table | key_size << 8) == stored)
            record = record.replace(marker, text)
            struct.pack_into("<I", record, 0, crc32c(record[4:]))
            data[start:start + size] = record
            struct.pack_into("<I", data, start + size, crc32c(key + record[:4], begin))
            forged += 1
    if forged == 0:
        raise ValueError("no entry has the text that was to be forged")
