#!/usr/bin/env python3
"""Damaged files: refused with a named cause, or right data; never wrong data, a crash or a hang.

    damage.py --bin DIR [--images 24] [--seed N] [--only IMAGE] [--way NAME] [--keep DIR]

A database of 2,000 people and groups of up to 1,500 members gets a history through a server. Each image is its data file,
damaged in one way (damage/images.py): cut, bits flipped, pages zeroed, swapped, copied, put back from an earlier moment.
Of each image: `kauri verify`, `kauri export`, `kauri backup`, a kaurid that starts with it, and a kaurid that runs with the
sound file while the damage is written into it, and gives a backup. What they may do:

- verify: status 0 or 1; status 1 names pages or tables;
- export: status 1 with a cause, or the entries as they were;
- backup: status 1 with a cause and no file; or a file that is restored, verified whole, to the entries as they were;
- kaurid: no start and a cause; or answers that are right, or 80 (other); or an end with status 1 and a word about the file.
  Entries may be missing from an answer only where verify tells of the damage (docs/formats/file.md says why);
- where bits of one record changed and no page lost anything ("record", "key"), nothing may be missing from an answer
  either, no name unknown and no right password wrong. Entries whose key changed are asked for by name, by index, by compare
  and by bind, and so are those beside them;
- an image of an earlier moment may show an entry as it was then, and of an attribute with more values than an entry holds
  some as they were (docs/formats/file.md, "What is not found").

Negative controls, before the images. A value is changed inside an entry and its checksums are made right: comparing answers
with what was stored has to find it in the export, in the backup and in the server's answers. And records of names, indexes
and large values change by one bit, and an entry gets the number of another one, while kaurid-planted runs that does not ask
for checksums: its answers have to be found wrong for each table. Or the run fails.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter

import ldap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "lib"), os.path.join(HERE, "damage")]
from images import PAGE, UNCHECKED, Damager, damage_records, forge, misplace  # noqa: E402
from reference import GROUPS, QUESTIONS, Reference, connect, dn_of, parse_ldif, questions_of  # noqa: E402
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX  # noqa: E402

TOOL_SECONDS_MAX = 60
# Made from the table of names, which verify compares with the entries.
FROM_NAMES = {"hasSubordinates", "numSubordinates"}
INLINE_VALUES_MAX = 200  # src/base/limits.h
CAUSES = ("is damaged", "(table ", "table ", "(header)", "the free list", "the names of tables",
          "the file has", "format version", "its event log has")
# How the log names what is damaged.
NAMED = re.compile(r"record in table \w+, key [0-9a-f]|table (entries, id|changes, sequence) \d|table \w+: it is not found")


def is_mixed(values, old, now):
    """Whether a large attribute is partly as it was: its values lie on pages of their own, and one of those is older."""
    found, old, now = set(values), set(old), set(now)
    return len(now) > INLINE_VALUES_MAX and old & now <= found <= old | now


class Examination:
    """One image: what was done with it, and what was wrong with that."""

    def __init__(self, reference, data, what="", touched=()):
        """`touched`: DNs of the entries to ask for one by one."""
        self.reference = reference
        self.data = data
        stored = reference.answers[EVERYTHING]
        self.questions = [(name, question, reference.answers[name]) for name, question in QUESTIONS]
        self.questions += [asked for dn in touched for asked in questions_of(dn, stored[dn])]
        self.older_may_show = what.startswith("older")
        # Snapshots of a running server begin at the file's header: of any commit, then.
        self.any_commit_may_show = "file_header" in what
        self.nothing_is_lost = what.startswith(("record", "key"))
        self.counts = Counter()
        self.faults = []
        self.clean = False  # verify found nothing

    def run(self):
        self.reference.put(self.data)
        self.verify()
        self.reference.put(self.data)
        self.export()
        self.reference.put(self.data)
        self.backup("backup")
        self.reference.put(self.data)
        self.start_with_it()
        self.reference.put(self.reference.current)
        self.damage_a_running_server()

    def count(self, what):
        self.counts[what] += 1

    def fault(self, text):
        self.faults.append(text)

    # --- The tools ---
    def tool(self, name, *arguments):
        """-> the process, or None when it did what no tool may do."""
        try:
            process = self.reference.server.tool(name, "--data", self.reference.server.data, *arguments,
                                                 timeout=TOOL_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.fault(f"kauri {name} ran for more than {TOOL_SECONDS_MAX} s")
            return None
        except UnicodeDecodeError:
            self.fault(f"kauri {name} wrote what is no UTF-8")
            return None
        text = process.stdout + process.stderr if name == "verify" else process.stderr
        if process.returncode not in (0, 1):
            self.fault(f"kauri {name} ended with {process.returncode}: {text[-300:]}")
            return None
        if process.returncode == 1 and not any(cause in text for cause in CAUSES):
            self.fault(f"kauri {name} names no cause: {text[-300:]}")
        return process

    def verify(self):
        process = self.tool("verify")
        self.clean = process is not None and process.returncode == 0
        self.count("verify: clean" if self.clean else "verify: faults")

    def export(self):
        process = self.tool("export")
        if process is None:
            return
        if process.returncode == 1:
            self.count("export: refused")
            if self.clean:
                self.fault(f"verify found nothing, and export failed: {process.stderr[-300:]}")
            return
        self.judge_export("export", process.stdout)

    def judge_export(self, where, text):
        try:
            found = parse_ldif(text)
        except ValueError as error:
            self.fault(f"{where}: {error}")
            return
        before = len(self.faults)
        older = self.compare_entries(where, found, self.reference.entries["current"])
        for dn in self.reference.entries["current"].keys() - found.keys():
            self.fault(f"{where}: {dn} is missing")
        if len(self.faults) == before:
            self.count(f"{where}: older entries" if older else f"{where}: right")

    def backup(self, where):
        """Of the file, or through the server that has it."""
        server = self.reference.server
        directory = os.path.join(server.root, "backup")
        shutil.rmtree(directory, ignore_errors=True)
        os.mkdir(directory)
        file = os.path.join(directory, "made")
        process = self.tool("backup", "--to", file)
        if process is None:
            return
        left = os.listdir(directory)
        if process.returncode == 1:
            self.count(f"{where}: refused")
            if left:
                self.fault(f"{where}: it failed and left {left}")
            if self.clean and where == "backup":
                self.fault(f"verify found nothing, and the backup failed: {process.stderr[-300:]}")
            return
        if left != ["made"]:
            self.fault(f"{where}: it left {left}")
        if self.any_commit_may_show and where != "backup":
            self.count(f"{where}: of any commit")
            return
        place = os.path.join(directory, "restored")
        # An older page fits its records, but not those of other tables.
        verify = () if self.older_may_show else ("--verify",)
        restored = server.tool("restore", "--data", place, "--from", file, *verify, timeout=TOOL_SECONDS_MAX)
        if restored.returncode != 0:
            self.fault(f"{where}: made without a word, and it is not restored: {restored.stderr[-300:]}")
            return
        exported = server.tool("export", "--data", place, timeout=TOOL_SECONDS_MAX)
        if exported.returncode != 0:
            self.fault(f"{where}: restored, and not exported: {exported.stderr[-300:]}")
            return
        self.judge_export(where, exported.stdout)

    def compare_entries(self, where, found, expected):
        """Each entry found has to be as it is, or as it was where that may be. -> how many are as they were"""
        older = 0
        for dn, entry in found.items():
            if entry == expected.get(dn):
                continue
            if self.older_may_show and self.as_it_was(dn, entry):
                older += 1
                continue
            self.fault(f"{where}: {dn} is {summary(entry, expected.get(dn))}")
        return older

    def as_it_was(self, dn, entry):
        stored = {name: values for name, values in entry.items() if name not in FROM_NAMES | {"entryDN", "subschemaSubentry",
                                                                                            "structuralObjectClass"}}
        old = self.reference.entries["older"].get(dn)
        now = self.reference.entries["current"].get(dn, {})
        return old is not None and all(
            old.get(name, values) == values or is_mixed(values, old.get(name, []), now.get(name, []))
            for name, values in stored.items())

    # --- The server ---
    def start_with_it(self):
        server = self.reference.server
        try:
            server.start(wait_seconds=TOOL_SECONDS_MAX)
        except RuntimeError as error:
            self.count("start: refused")
            code = server.process.poll()
            if code != 1 or not ("is damaged" in str(error) or "has format version" in str(error)):
                self.fault(f"kaurid did not start: {error}")
            elif self.clean:
                self.fault(f"verify found nothing, and kaurid did not start: {error}")
            end(server)
            return
        self.count("start: ready")
        self.ask("started")

    def damage_a_running_server(self):
        server = self.reference.server
        server.start()
        # Once, so that the server has pages and names in its caches.
        connection = connect(server.uri)
        connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
        QUESTIONS[1][1](connection)
        connection.unbind_s()
        write_damage(self.reference.data_file, self.reference.current, self.data)
        self.backup("backup from the server")
        self.ask("running", writes=True)

    def ask(self, where, writes=False):
        server = self.reference.server
        seen = Counter()
        connection = None
        for name, question, expected in self.questions + (writing() if writes else []):
            try:
                if connection is None:
                    connection = connect(server.uri)
                    connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
                seen[self.judge(where, name, question(connection), expected)] += 1
            except ldap.OTHER:
                seen["80"] += 1
            except (ldap.NO_SUCH_OBJECT, ldap.ALREADY_EXISTS, ldap.TYPE_OR_VALUE_EXISTS):
                seen[self.incomplete(where, name, "the name is not found")] += 1
            except (ldap.SERVER_DOWN, ldap.CONNECT_ERROR, ldap.UNAVAILABLE):
                if server.process.wait(timeout=TOOL_SECONDS_MAX) is not None:
                    break
            except ldap.LDAPError as error:
                self.fault(f"{where}: {name}: {error!r}")
                connection = None
        if self.nothing_is_lost and seen["80"] and not NAMED.search(server.errors()):
            self.fault(f"{where}: an operation failed, and the log does not name table and key: {server.errors()[-300:]}")
        if connection is not None:
            connection.unbind_s()  # a server that stops waits for its clients
        self.end_of_server(where, seen)

    def end_of_server(self, where, seen):
        server = self.reference.server
        ended = server.process.poll()
        if ended is None:
            code = end(server)
            if code not in (0, 1):
                self.fault(f"{where}: kaurid ended with {code} when it was told to stop: {server.errors()[-300:]}")
        else:
            text = server.errors()
            end(server)
            if ended != 1 or "is damaged" not in text:
                self.fault(f"{where}: kaurid ended with {ended}: {text[-300:]}")
            seen["ended with a word"] += 1
        for outcome in ("ended with a word", "80", "incomplete", "of another commit", "older entries",
                        "right"):
            if seen[outcome]:
                self.count(f"{where}: {outcome}")
                break
        if self.clean and where == "started" and (seen["80"] or seen["ended with a word"]):
            self.fault(f"verify found nothing, and kaurid failed: {dict(seen)}")

    def judge(self, where, name, answer, expected):
        if answer == expected or expected is None:
            return "right"
        if where == "running" and self.any_commit_may_show and answer != "bound":
            return "of another commit"
        if not isinstance(answer, dict):
            if answer == "bound":
                self.fault(f"{where}: {name}: a wrong password was taken")
            return self.incomplete(where, name, f"{answer} instead of {expected}")
        if name.startswith("search  "):  # the root entry
            self.fault(f"{where}: {name}: {answer}")
        counts_differ = False
        plain = {}
        for dn, entry in answer.items():
            whole = expected.get(dn, self.reference.answers[EVERYTHING].get(dn, {}))
            kept = {key: values for key, values in entry.items() if key not in FROM_NAMES}
            if kept == {key: values for key, values in whole.items() if key not in FROM_NAMES}:
                counts_differ = counts_differ or entry != whole
            else:
                plain[dn] = entry
        older = self.compare_entries(f"{where}: {name}", plain, self.reference.answers[EVERYTHING])
        if answer.keys() != expected.keys() or counts_differ:
            return self.incomplete(where, name, f"{len(answer)} entries instead of {len(expected)}")
        return "older entries" if older else "right"

    def incomplete(self, where, name, why):
        """Pages that lead to entries were damaged: verify has to know."""
        if self.clean:
            self.fault(f"{where}: {name}: {why}, and verify found nothing")
        elif self.nothing_is_lost:
            self.fault(f"{where}: {name}: {why}, and only one record has a damage that its checksum tells")
        return "incomplete"


EVERYTHING = next(name for name, _ in reversed(QUESTIONS) if name.endswith("2 (objectClass=*)"))


def summary(entry, expected):
    if expected is None:
        return f"not among those stored, with {sorted(entry)}"
    names = [name for name in sorted(entry.keys() | expected.keys()) if entry.get(name) != expected.get(name)]
    name = names[0]
    return f"wrong in {names}: {str(entry.get(name))[:120]} instead of {str(expected.get(name))[:120]}"


def writing():
    """Writes into a damaged file, which may be refused, but must not end the server without a word."""
    def people(connection):
        for number in range(3, 2000, 20):
            replace(connection, dn_of(number), [(ldap.MOD_REPLACE, "description", [b"written" * (1 + number % 40)])])

    def members(connection):
        for number in range(0, 240, 12):
            for name in GROUPS:
                replace(connection, f"cn={name},{SUFFIX}", [(ldap.MOD_DELETE, "member", [dn_of(number).encode()])])

    def replace(connection, dn, changes):
        try:
            connection.modify_s(dn, changes)
        except (ldap.OTHER, ldap.NO_SUCH_OBJECT, ldap.NO_SUCH_ATTRIBUTE):
            pass
    return [("modify people", people, None), ("modify groups", members, None)]


def write_damage(path, sound, damaged):
    """Only what differs, into the file that a server has mapped."""
    with open(path, "r+b") as file:
        for place in range(0, min(len(sound), len(damaged)), PAGE):
            part = damaged[place:place + PAGE]
            if part != sound[place:place + len(part)]:
                file.seek(place)
                file.write(part)
        file.truncate(len(damaged))


def end(server):
    """Ends the server's process in whatever state it is. -> its status"""
    if server.process.poll() is None:
        return server.stop()
    return server.kill()


def checksum_control(reference):
    """A server that does not check records must be found to answer wrongly."""
    missed, caught = [], []
    server = reference.server
    sound = server.program, server.environment
    server.program, server.environment = "kaurid-planted", {**os.environ, "KAURI_PLANTED_FAULT": "records-unchecked"}
    try:
        for table, text, at in UNCHECKED:
            data = bytearray(reference.current)
            damage_records(data, table, text, at)
            examination = Examination(reference, data, "record")
            reference.put(data)
            examination.start_with_it()
            if not any(fault.startswith("started") for fault in examination.faults):
                missed.append(table)
        # Of keys out of order no server starts.
        data = bytearray(reference.current)
        examination = Examination(reference, data, "key", misplace(data))
        reference.put(reference.current)
        examination.damage_a_running_server()
        caught = [fault for fault in examination.faults if fault.startswith("running")]
    finally:
        server.program, server.environment = sound
    print(f"negative control, checksums of records: {'caught' if not missed else 'MISSED in ' + ', '.join(missed)}")
    print(f"negative control, keys of entries: {'caught' if caught else 'MISSED'}: {caught[:1]}")
    return not missed and bool(caught)


def negative_control(reference):
    data = bytearray(reference.current)
    forge(data, b"later 1003 3", b"forged1003 3")
    examination = Examination(reference, data)
    examination.run()
    faults = examination.faults
    caught = [any(fault.startswith(where) and "forged" in fault for fault in faults)
              for where in ("export", "backup: ", "backup from the server: ", "started")]
    print(f"negative control: {'caught' if all(caught) else 'MISSED'}: {faults[:1]}")
    return all(caught)


def examine(reference, damager, options, number):
    """-> (counts, faults) of one image."""
    chance = random.Random(f"{options.seed}/{number}")
    what, data = damager.image(chance)
    examination = Examination(reference, data, what, damager.touched)
    examination.run()
    if examination.faults:
        print(f"image {number}, {what}:")
        for fault in examination.faults[:5]:
            print(f"  {fault}")
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
            directory = os.path.join(options.keep, f"image-{number}", "db")
            os.makedirs(directory, exist_ok=True)
            with open(os.path.join(directory, "data.mdb"), "wb") as file:
                file.write(data)
    elif options.only is not None:
        print(f"image {number}, {what}: {dict(examination.counts)}")
    return examination.counts, len(examination.faults)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--images", type=int, default=24)
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--only", type=int, help="this image alone")
    parser.add_argument("--way", help="one kind of damage alone, as record or pages_swapped")
    parser.add_argument("--keep", help="directory for images with faults")
    options = parser.parse_args()
    print(f"damage: {options.images} images, seed {options.seed}")
    reference = Reference(options.bin)
    counts, failed = Counter(), 0
    try:
        caught = negative_control(reference) and checksum_control(reference)
        damager = Damager(reference.current, reference.older, options.way)
        numbers = [options.only] if options.only is not None else range(options.images)
        for number in numbers:
            seen, faults = examine(reference, damager, options, number)
            counts += seen
            failed += faults != 0
    finally:
        reference.close()
    print("damage: " + ", ".join(f"{what} {count}" for what, count in sorted(counts.items())))
    print(f"{len(numbers) - failed} passed, {failed} failed")
    return 0 if caught and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
