"""bench/compare.py at a kaurid alone, with little data and no time: that every row works, and that what is wrong is found."""
import os
import subprocess
import sys
import tempfile
import unittest

import world

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(ROOT, "bench", "lib"))
import store  # noqa: E402
from page import Result, page  # noqa: E402
from rows import Row, first_number  # noqa: E402


def compare(folder, *arguments):
    command = [sys.executable, os.path.join(ROOT, "bench", "compare.py"), "--bin", world.BIN, "--peers", "none", "--entries",
               "1000", "--duration", "0.1", "--warmup", "0", "--runs", "1", "--results", folder, "--name", "x", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def saved(**rates):
    """A result with one row of searches; rates: operations/s by server, with 10 us of processor time in all but Kauri."""
    records = [{"server": server, "row": "r", "run": 0, "command": "kauri bench", "exit_status": 0,
                "result": {"operations": 10, "ops_per_s": rate, "warnings": [], "latency_us": {"p99": 5, "mean": 5},
                           "server": {"cpu_us_per_op": 3 if server == "kauri" else 10, "rss_anon_bytes": 0}}}
               for server, rate in rates.items()]
    row = {"key": "r", "title": "(cn=*)", "kind": "read", "rate_bar": 3.5, "cpu_bar": {"slapd": 0.2}, "null_bar": False,
           "cpu_us_bar": 4}
    return {"servers": {server: server for server in rates}, "records": records, "rows": [row], "loads": {}, "extras": {},
            "size_mb_after": {}, "missing": {"Absent": "no package"}, "kauri_controls": ["1.2.840.113556.1.4.319"],
            "options": {"entries": 1000, "durability": "durable", "runs": 1, "duration_s": 1, "warmup_s": 0},
            "machine": {"processor": "p", "processors": 2, "memory_bytes": 1 << 30, "kernel": "k", "file_system": "ext4"},
            "time_utc": "2026-01-01T00:00:00", "commit": "0" * 40, "command": "./x bench", "versions": {"kauri": "1"},
            "durability": {"kauri": "durable"}}


class Tables(unittest.TestCase):
    def test_bars_are_met_or_missed(self):
        bars = Result(saved(kauri=700, slapd=100, **{"389ds": 190})).bars()
        self.assertEqual(bars[4:], ["| (cn=\\*) | rate >= 3.50 x | 389ds | 3.68 | yes |",
                                    "| (cn=\\*) | CPU <= 0.20 x | slapd | 0.30 | **no** |",
                                    "| (cn=\\*) | CPU <= 4 us | - | 3.00 | yes |"])
        self.assertIn("3.33 | **no** |", Result(saved(kauri=700, slapd=210)).bars()[4])

    def test_wrong_answers_are_told(self):
        wrong = saved(kauri=700, slapd=100)
        wrong["records"][1].update(exit_status=1)
        wrong["records"][1]["result"]["errors"] = {"first": "search returned 2 entries"}
        self.assertEqual(len(Result(wrong).wrong()), 1)
        self.assertIn("**1 runs had wrong answers", Result(wrong).markdown(1))

    def test_the_page_keeps_classes_apart(self):
        relaxed = saved(kauri=9000, slapd=900)
        relaxed["options"] = {**relaxed["options"], "durability": "relaxed"}
        text = page([Result(saved(kauri=700, slapd=100)), Result(relaxed)])
        durable, loose = text.split("## 1,000 users, relaxed")
        self.assertIn("| (cn=\\*) | durable | 700 | 100 | 7.00 |", durable)
        self.assertIn("| (cn=\\*) | relaxed | 9,000 | 900 | 10.00 |", loose)
        self.assertNotIn("9,000", durable)
        self.assertIn("Absent: not measured, no package", text)
        self.assertIn("kaurid offers the control of paging. kaurid does not offer the control of tree deletes.", text)

    def test_no_two_runs_add_the_same_entries(self):
        chosen = [Row("a", "", "write", [], adds=True), Row("b", "", "write", []), Row("c", "", "write", [], adds=True)]
        firsts = [first_number(chosen, row, run) for row in (chosen[0], chosen[2]) for run in range(3)]
        self.assertEqual(len(set(firsts)), 6)


class Comparison(unittest.TestCase):
    def test_every_row_works(self):
        with tempfile.TemporaryDirectory() as folder:
            # The open loop takes its time whatever the duration of a row.
            done = compare(folder, "--rows", "^(?!open-loop)")
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            found = store.read(os.path.join(folder, "x"))
            listed = compare(folder, "--list").stdout.splitlines()
            keys = {line.split()[0] for line in listed}
            self.assertGreater(len(keys), 35)
            measured = {record["row"] for record in found["records"]}
            self.assertEqual(keys - measured, set())
            self.assertEqual({"null-search", "move", "move-back", "added", "taken-away"} - measured, set())
            self.assertEqual(sorted(found["loads"]["kauri"]), ["21", "3", "8"])
            self.assertGreater(found["extras"]["kauri"]["idle"]["connections"], 50)
            with open(os.path.join(folder, "x", "table.md"), encoding="utf-8") as file:
                self.assertNotIn(world.BIN, file.read())

    def test_a_peer_that_cannot_be_had_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts = os.path.join(folder, "scripts")
            os.mkdir(scripts)
            generator = os.path.join(ROOT, "bench", "peers", "gen-users")
            for name, text in (("gen-users", f'exec {sys.executable} {generator} "$@"'),
                               ("slapd.sh", "echo no such package >&2; exit 1")):
                path = os.path.join(scripts, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write("#!/bin/sh\n" + text + "\n")
                os.chmod(path, 0o755)
            done = compare(folder, "--scripts", scripts, "--peers", "slapd", "--rows", "^search-whole-16$")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("slapd: not measured", done.stdout)
            self.assertIn("no such package", done.stdout)
            # The control: a data set that is not what was asked for.
            with open(os.path.join(scripts, "gen-users"), "w", encoding="ascii") as file:
                file.write(f'#!/bin/sh\nexec {sys.executable} {generator} 999 "$2"\n')
            done = compare(folder, "--scripts", scripts, "--rows", "^search-whole-16$")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("wrote 999 users instead of 1000", done.stderr)
