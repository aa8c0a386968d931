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


class Damager:
    """Makes one damaged image of a file after another. `older` is the same file some commits before."""

    def __init__(self, current, older):
        self.current = current
        self.older = older
        self.trees = pages_of_trees(current)
        self.pages = len(current) // PAGE
        self.ways = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("way_")]

    def image(self, random):
        """-> (what was done, octets): the choice is `random`'s alone."""
        way = random.choice(self.ways)
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
        """Each page keeps its number, so that only keys and records tell."""
        flags, pages = random.choice([BRANCH, LEAF]), []
        pages = [number for number in self.trees if header_of(data, number)[1] == flags]
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


def crc32c_table():
    table = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0x82F63B78 if octet & 1 else 0)
        table.append(octet)
    return table


def crc32c(octets, table=crc32c_table()):
    value = 0xFFFFFFFF
    for octet in octets:
        value = value >> 8 ^ table[(value ^ octet) & 0xFF]
    return value ^ 0xFFFFFFFF


def forge(data, marker, text):
    """Writes `text` over `marker` inside each record of an entry that has it, the current one and older ones, and makes
    the record's checksum right again: what no check can find. A record is the data of one node of a leaf page."""
    forged = 0
    for number in pages_of_trees(data):
        if marker not in page_of(data, number) or header_of(data, number)[1] != LEAF:
            continue
        for node in nodes_of(data, number):
            low, high, _, key_size = struct.unpack_from("<HHHH", data, node)
            start, size = node + NODE + key_size, low | high << 16
            record = data[start:start + size]
            if marker not in record or size < 32 or crc32c(record[4:]) != struct.unpack_from("<I", record)[0]:
                continue
            record = record.replace(marker, text)
            struct.pack_into("<I", record, 0, crc32c(record[4:]))
            data[start:start + size] = record
            forged += 1
    if forged == 0:
        raise ValueError("no entry has the text that was to be forged")
