#!/usr/bin/env python3
"""The table of limits: docs/reference/limits.md says of each limit in src/base/limits.h what it is by default, how it is counted
and which test covers it. Without --bin the page is compared with the sources; with it, limits are played over the wire at the
limit and one past it, and the server's counters are compared.

    limits.py [--bin DIR] [NAME...]

The last line counts. Exit code 1 when something failed.
"""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, HERE)

import limits_played as played  # noqa: E402

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
ROW = re.compile(r"^\| `(k\w+)` \| (\d+) \|" + r"([^|]+)\|" * 2 + r"([^|]*)\|" * 2 + r"([^|]+)\|$")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def constants(text):
    """-> {name: value} of a header of constants."""
    found = {}
    for name, number, unit, factor in re.findall(
            r"^inline constexpr [\w:]+ (k\w+) = ([\d']+)(?:_(\w+))?(?: \* (\d+))?;", text, re.M):
        found[name] = int(number.replace("'", "")) * UNITS[unit] * int(factor or 1)
    return found


def rows(text):
    """-> {name: (default, unit, code, key, counter, test)} of the page."""
    found = {}
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            name, number, *rest = match.groups()
            if name in found:
                raise AssertionError(f"{name} stands on the page twice")
            found[name] = (int(number), *[part.strip() for part in rest])
    return found


def defaults(text):
    """-> {key: default} of the reference of the configuration."""
    return {key: int(number.replace(",", "")) for key, number in
            re.findall(r"^\| `(\w+)` \| \w+ \| \w+ \| ([\d,]+) \|", text, re.M)}


def counter_names(text):
    return set(re.findall(r'"([a-z_]+)"', text[text.index("kNames = {"):text.index("};", text.index("kNames = {"))]))


def test_exists(text):
    """`path` Suite.Name, or a case of this program."""
    path, name = re.match(r"`([^`]+)` (.+)$", text).groups()
    if path == "limits.py":
        return name in played.NAMES
    suite, test = name.split(".")
    return re.search(rf"^TEST(_F|_P)?\({suite}, {test}\)", read(path), re.M) is not None


def page_faults(header, page, configuration, counters):
    """What does not agree, one sentence each."""
    found = []
    stand, shown, keys, counted = constants(header), rows(page), defaults(configuration), counter_names(counters)
    declared = len(re.findall(r"^inline constexpr", header, re.M))
    if declared != len(stand):
        found.append(f"{declared - len(stand)} constants of limits.h could not be read")
    found += [f"{name} is missing on the page" for name in stand if name not in shown]
    told = set(re.findall(r"^\| `(\w+)` \|", page[page.index("## Counters"):], re.M))
    for name, (number, unit, code, key, counter, test) in shown.items():
        if name not in stand:
            found.append(f"{name} is no limit any more")
        elif stand[name] != number:
            found.append(f"{name} is {stand[name]}, the page says {number}")
        if not unit or not code:
            found.append(f"{name} has no unit or no code")
        if key and keys.get(key.strip("`")) != number:
            found.append(f"{name}: the configuration's default of {key} is {keys.get(key.strip('`'))}")
        if counter and counter.strip("`") not in counted:
            found.append(f"{name}: the server has no counter {counter}")
        if re.match(r"\d|wait", code) and not counter:
            found.append(f"{name} refuses somebody and has no counter")
        told.add(counter.strip("`"))
        if not test_exists(test):
            found.append(f"{name}: there is no test {test}")
    for names, place, counter in re.findall(r"^\| ((?:`k\w+`(?:, )?)+) \| `(src/[\w/.]+)` \|[^|]+\|[^|]+\|([^|]*)\|", page, re.M):
        found += [f"{name} is not in {place}" for name in re.findall(r"k\w+", names) if f" {name} = " not in read(place)]
        told.add(counter.strip(" `"))
        if counter.strip(" `") not in counted:
            found.append(f"{names} has no counter that the server has")
    found += [f"the counter {name} is missing on the page" for name in sorted(counted - told)]
    return found


def page_agrees():
    sources = [read("src/base/limits.h"), read("docs/reference/limits.md"), read("docs/reference/configuration.md"),
               read("src/base/limit_counters.cc")]
    faults = page_faults(*sources)
    if faults:
        raise AssertionError("; ".join(faults))
    # The comparison notices a default that moved, a limit that nobody described, a test that went, a counter.
    header, page, configuration, counters = sources
    for spoilt in ((header.replace("kControlsMax = 10;", "kControlsMax = 11;"), page, configuration, counters),
                   (header + "inline constexpr int kNewMax = 1;\n", page, configuration, counters),
                   (header, page.replace("MessageTest.ControlsUpToTheLimit", "MessageTest.Gone"), configuration, counters),
                   (header, page, configuration.replace("| 16,777,216 |", "| 16,777,217 |", 1), counters),
                   (header, page, configuration, counters.replace('"controls"', '"control"')),
                   (header, page.replace("| `controls` |", "| |"), configuration, counters),
                   (header, page.replace("| 2 | | `ber_depth` |", "| 2 | | |"), configuration, counters + '"ber_depth"'),
                   (header, page.replace("| 11 | `increments` |", "| 11 | |"), configuration, counters),
                   (header, page.replace("`kEntryOctetsMax`", "`kEntryMax`"), configuration, counters)):
        if spoilt == (header, page, configuration, counters) or not page_faults(*spoilt):
            raise AssertionError("a planted difference is not found")
    return f"{len(rows(page))} limits, {len(counter_names(counters))} counters"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", help="folder of kaurid and kauri")
    parser.add_argument("names", nargs="*", help="cases whose name begins so")
    options = parser.parse_args()
    passed = failed = 0

    def play(name, function):
        nonlocal passed, failed
        if options.names and not name.startswith(tuple(options.names)):
            return
        try:
            said = function()
            print(f"ok   {name}{': ' + said if said else ''}", flush=True)
            passed += 1
        except Exception as error:  # every failure is one line, whatever it is
            print(f"FAIL {name}: {type(error).__name__}: {error}", flush=True)
            failed += 1
    play("the page, and planted differences", page_agrees)
    if options.bin:
        for make, cases in ((played.default_world, played.DEFAULTS), (played.small_world, played.SMALLER)):
            world = make(options)
            try:
                for name, function in cases:
                    play(name, lambda function=function, world=world: function(world))
                play("the server lives", world.alive)
            finally:
                world.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
