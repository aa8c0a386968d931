#!/usr/bin/env python3
"""Compares two LDIF files entry by entry, order-free: compare_ldif.py [--ignore-operational] WANTED FOUND

Names are compared without case and without spaces around separators, attribute types without case, values octet by
octet. With --ignore-operational only attributes that WANTED's entry has are looked at, so that what a server adds
(entryUUID, timestamps, ...) does not count. Prints each difference (20 at the most) and the counts; exit 1 when they differ.
"""
import argparse
import base64
import hashlib
import re
import sys


def records(path):
    """Yields (dn, [(type, value)]) of content records."""
    with open(path, "rb") as file:
        lines, pending = [], None
        for raw in file:
            line = raw.rstrip(b"\r\n")
            if line.startswith(b" ") and pending is not None:
                pending += line[1:]
                continue
            if pending is not None and not pending.startswith(b"#"):
                lines.append(pending)
            pending = line
            if not line:
                pending = None
                if lines:
                    yield parse(lines)
                lines = []
        if pending and not pending.startswith(b"#"):
            lines.append(pending)
        if lines:
            yield parse(lines)


def parse(lines):
    pairs = []
    for line in lines:
        name, rest = line.split(b":", 1)
        value = base64.b64decode(rest[1:].strip()) if rest.startswith(b":") else rest.lstrip(b" ")
        if name != b"version":
            pairs.append((name.lower(), value))
    if not pairs or pairs[0][0] != b"dn":
        return None, pairs
    return re.sub(rb"\s*([,=+])\s*", rb"\1", pairs[0][1]).lower(), pairs[1:]


def digest(pairs):
    return hashlib.md5(b"\0".join(name + b"\1" + value for name, value in sorted(pairs))).digest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ignore-operational", action="store_true")
    parser.add_argument("wanted")
    parser.add_argument("found")
    options = parser.parse_args()
    wanted, types, values = {}, {}, 0
    for dn, pairs in records(options.wanted):
        if dn is None:
            continue
        wanted[dn] = digest(pairs)
        values += len(pairs)
        if options.ignore_operational:
            names = frozenset(name for name, _ in pairs)
            types[dn] = types.setdefault(names, names)
    different, found = [], 0
    for dn, pairs in records(options.found):
        if dn is None:
            continue
        found += 1
        if options.ignore_operational:
            names = types.get(dn, frozenset())
            pairs = [pair for pair in pairs if pair[0] in names]
        if dn not in wanted:
            different.append(f"only in {options.found}: {dn.decode()}")
        elif wanted.pop(dn) != digest(pairs):
            different.append(f"differs: {dn.decode()}")
    different += [f"only in {options.wanted}: {dn.decode()}" for dn in wanted]
    for line in different[:20]:
        print(line)
    print(f"{found} entries found, {values} values wanted, {len(different)} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
