#!/usr/bin/env python3
"""The same random operations at Kauri and at slapd; every answer is compared, and every difference needs a reason.

    run.py --bin DIR [--operations N] [--seed S]...     kaurid from DIR; without --seed: 1 and one at random
    run.py --bin DIR --plant N ...                      one answer of Kauri's in N is spoilt; those must be found

What may differ stands in allowed.py. Exit code 1 when anything else differs, or when the negative control at the end of
each run misses too much of what was planted.
"""
import argparse
import collections
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "lib"), os.path.join(HERE, "..", "hostile")]

import allowed  # noqa: E402
import duel  # noqa: E402
import operations  # noqa: E402
import oracle  # noqa: E402
import schema_files  # noqa: E402
import world  # noqa: E402
from names import plain  # noqa: E402
from plant import Planter  # noqa: E402
from server import Server  # noqa: E402

_CONFIG = """
[schema]
files = [{schemas}]

[access]
rules = [{rules}]

[password]
scheme = "ssha"

[limits]
first_request_seconds_max = 3600

[[database]]
suffix = "{suffix}"
durability = "relaxed"
{indexes}
"""
_INDEX = '[[database.index]]\nattribute = "{}"\nkinds = [{}]\n'
_FAILURES_SHOWN = 25
_CONTROL_OPERATIONS, _CONTROL_ONE_IN = 600, 15
_LONG_RUN = 50000


def _quoted(found):
    return ", ".join('"' + one.replace("\\", "\\\\").replace('"', '\\"') + '"' for one in found)


def start_kauri(bin_dir):
    config = _CONFIG.format(schemas=_quoted(schema_files.for_kauri()), rules=_quoted(world.RULES),
                            suffix=world.SUFFIX_TEXT,
                            indexes="".join(_INDEX.format(name, _quoted(kinds)) for name, kinds in world.INDEXES))
    return Server(bin_dir, config=config).start()


def start_slapd():
    return oracle.Slapd(world.SUFFIX_TEXT, world.ADMIN_TEXT, "admin-secret", world.RULES, world.INDEXES).start()


def load(fight):
    fight.kauri.sessions["admin"] = fight.kauri.connect("admin")
    fight.slapd.sessions["admin"] = fight.slapd.connect("admin")
    for dn, attributes in world.first_entries():
        fight.step(operations.add("admin", dn, plain(dn), list(attributes.items())))


def play(kauri, slapd, seed, count, plant=0, every=500, stop_after=200):
    """-> the Duel, played"""
    rng = random.Random(f"differential {seed}")
    planter = Planter(random.Random(f"plant {seed}"), plant) if plant else None
    host, port = kauri.uri.split("//")[1].split(":")
    fight = duel.Duel((host, int(port)), slapd.address, slapd.gone, slapd.start)
    fight.kauri.passwords = fight.slapd.passwords = duel.passwords()
    load(fight)
    fight.kauri.open()
    fight.slapd.open()
    fight.compare_trees()
    fight.planter = planter
    generator = operations.Generator(rng, fight.world)
    began = time.monotonic()
    fight.gone = None
    try:
        for number in range(count):
            fight.step(generator.next())
            if number % every == every - 1:
                fight.compare_trees()
            if len(fight.failures) > stop_after:
                break
        fight.compare_trees()
    except duel.Gone as error:
        fight.gone = str(error)
    fight.seconds = time.monotonic() - began
    fight.close()
    return fight


def _cut(text, most=900):
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def show_failures(seed, fight):
    groups = {}
    for failure in fight.failures:
        groups.setdefault(failure.difference.signature(), []).append(failure)
    for signature, found in sorted(groups.items(), key=lambda pair: -len(pair[1]))[:_FAILURES_SHOWN]:
        first = found[0]
        print(f"FAIL {signature} ({len(found)} times), first at seed {seed} operation {first.number}:")
        print("  " + _cut(str(first.difference.operation)))
        if first.difference.what != "code":
            print("  " + _cut(first.difference.text))
        print(f"  kauri: {first.difference.kauri}\n  slapd: {first.difference.slapd}")
        if first.context:
            print("  " + _cut(first.context))
    if len(groups) > _FAILURES_SHOWN:
        print(f"... and {len(groups) - _FAILURES_SHOWN} more kinds")


def show_figures(seed, fight):
    figures = fight.figures
    print(f"seed {seed}: {figures['operations']} operations in {fight.seconds:.1f} s "
          f"({figures['operations'] / max(fight.seconds, 0.001):.0f}/s), {figures['searches']} searches, "
          f"{figures['entries']} entries compared, {figures['trees']} whole trees, {figures['allowed']} allowed "
          f"differences, {figures['healed']} repairs, {figures['restarts']} restarts of slapd, "
          f"{len(fight.failures)} failures", flush=True)


def judge_control(seed, fight):
    """-> whether what was planted was found. One in twenty may be missed: where a request has several faults, a rule can
    rightly let the spoilt answer be."""
    planter = fight.planter
    print(f"seed {seed}: negative control: {planter.planted} answers spoilt ({planter.ways}), {planter.caught} found",
          flush=True)
    for missed in planter.missed[:5]:
        print(f"  not found: {missed}")
    good = planter.planted > 0 and len(planter.missed) <= max(1, planter.planted // 20)
    if not good:
        print(f"FAIL seed {seed}: the negative control misses {len(planter.missed)} of {planter.planted}")
    return good


def campaign(options, seed):
    """-> the Duel, whether it passed"""
    slapd, kauri = start_slapd(), None
    try:
        kauri = start_kauri(options.bin)
        fight = play(kauri, slapd, seed, options.operations, options.plant)
        fights = [fight]
        if not options.plant and not fight.gone and not fight.failures:
            fights.append(play(kauri, slapd, f"{seed} control", _CONTROL_OPERATIONS, _CONTROL_ONE_IN))
        lost = fights[-1].gone
        stopped = kauri.stop() if kauri.process.poll() is None else kauri.process.returncode
        if lost or stopped != 0:
            print(f"FAIL seed {seed}: {lost}\n  kaurid ended with {stopped}: {kauri.errors()[-1500:]}\n"
                  f"  slapd, {slapd.process.poll()}: {slapd.errors()}")
    finally:
        slapd.close()
        if kauri is not None:
            kauri.close()
    show_figures(seed, fight)
    if options.verbose:
        for (kind, code), count in sorted(fight.codes.items()):
            print(f"    {kind} {code}: {count}")
    good = lost is None and stopped == 0
    for one in fights:
        show_failures(seed, one)
        good = good and not one.failures and (one.planter is None or judge_control(seed, one))
    if not good:
        print(f"to repeat: run.py --bin {options.bin} --operations {options.operations} --seed '{seed}'")
    return fight, good


def show_rules(operations_in_all):
    print("\ndifferences, rule (who is right)")
    for one in allowed.RULES:
        print(f"  {one.hits:7} {one.name} ({one.right})")
    unused = [one.name for one in allowed.RULES if not one.hits]
    if unused and operations_in_all >= _LONG_RUN:
        print(f"rules that fitted nothing in {operations_in_all} operations: {', '.join(unused)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of kaurid")
    parser.add_argument("--operations", type=int, default=5000, help="for each seed")
    parser.add_argument("--seed", action="append", help="may be given several times")
    parser.add_argument("--plant", type=int, default=0, metavar="N", help="spoil one answer in N")
    parser.add_argument("--verbose", action="store_true", help="count the result codes")
    options = parser.parse_args()
    if not oracle.installed():
        sys.exit("slapd is not installed, and only root can install it: apt-get install slapd")
    seeds = options.seed or ["1", str(random.SystemRandom().randrange(1 << 32))]
    total, good = collections.Counter(), True
    for seed in seeds:
        fight, passed = campaign(options, seed)
        total.update(fight.figures)
        good = good and passed
    show_rules(total["operations"])
    print(f"{len(seeds)} seeds, {total['operations']} operations, {total['searches']} searches, {total['entries']} entries "
          f"compared, {total['allowed']} allowed differences: {'passed' if good else 'FAILED'}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
