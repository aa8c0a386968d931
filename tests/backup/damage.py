"""Files that are not what was written: refused, with their name, and nothing made of them."""
import os
import shutil

import stream
from places import Tally

SECTOR = 512


def flip(octets, chance):
    out = bytearray(octets)
    for _ in range(chance.choice([1, 1, 1, 7])):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    return bytes(out)


def cut(octets, chance):
    return octets[:chance.randrange(len(octets))]


def blank(octets, chance):
    at = chance.randrange(len(octets)) // SECTOR * SECTOR
    return octets[:at] + bytes(min(SECTOR, len(octets) - at)) + octets[at + SECTOR:]


def lose(octets, chance):
    at = chance.randrange(len(octets))
    return octets[:at] + octets[at + chance.randrange(1, 3 * SECTOR):]


def repeat(octets, chance):
    at = chance.randrange(len(octets) - 1)
    return octets[:at] + octets[at:at + chance.randrange(1, 3 * SECTOR)] + octets[at:]


def extend(octets, chance):
    return octets + bytes(chance.randrange(1, SECTOR))


def swap(octets, chance):
    a, b = sorted(chance.sample(range(0, len(octets) - SECTOR, SECTOR), 2))
    return octets[:a] + octets[b:b + SECTOR] + octets[a + SECTOR:b] + octets[a:a + SECTOR] + octets[b + SECTOR:]


WAYS = [flip, cut, blank, lose, repeat, extend, swap]


def check(tool, load, sizes, chance):
    tally = Tally()
    sources = {}
    for name, path in (("backup", load.whole.path), ("changes", load.changes)):
        with open(path, "rb") as file:
            sources[name] = file.read()
    for number in range(sizes.damages):
        way = WAYS[number % len(WAYS)]
        name = "changes" if chance.random() < 0.3 else "backup"
        octets = sources[name]
        while octets == sources[name]:  # a sector may have been blank already
            octets = way(sources[name], chance)
        path = tool.path(f"damaged.{name}")
        with open(path, "wb") as file:
            file.write(octets)
        tally.add(f"{name}, {way.__name__}, number {number}", refused(tool, load, name, path))
    # Every checksum is right, and an entry has the number of none or of another.
    path = tool.path("misplaced.backup")
    for number in range(sizes.misplaced):
        with open(path, "wb") as file:
            file.write(stream.with_entry_misplaced(sources["backup"], chance))
        found = refused(tool, load, "backup", path)
        if tool.call("backup", "--check", path).returncode != 1:
            found.append("backup --check found nothing")
        tally.add(f"an entry misplaced, number {number}", found)
    return tally


def refused(tool, load, name, path):
    root = tool.place()
    data = os.path.join(root, "data")
    files = (["--from", path] if name == "backup" else ["--from", load.backups[0].path, "--changes", path])
    done = tool.call("restore", "--data", data, *files)
    found = []
    if done.returncode != 1 or f"{path}: " not in done.stderr:
        found.append(f"restore ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    database = os.path.join(data, "db")
    left = [name for name in (os.listdir(database) if os.path.isdir(database) else []) if name != "kauri.lock"]
    found += [f"{name} is there" for name in left]
    shutil.rmtree(root)
    return found
