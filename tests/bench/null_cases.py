"""`kauri bench` against a server that answers everything: what it does, shows and writes down."""
import csv
import io
import json
import os
import shlex
import signal
import subprocess
import tempfile

import world
from world import Null, NullCase, bench, result

KINDS = ["search", "bind", "modify", "add", "compare", "delete", "modrdn"]
MIX = ["mixed", "--mix", "search=40,modify=20,bind=10,add=10,delete=10,compare=5,modrdn=5", "--range", "0:9999",
       "--user-password", "secret", "--expect-entries", "1"]


def read_terminal(master):
    """-> all that was written to the terminal whose other side is closed already."""
    shown = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # how Linux says that there is no more
            block = b""
        if not block:
            os.close(master)
            return shown.decode()
        shown += block


class Workloads(NullCase):
    def test_each_kind_with_connections_that_stay_and_that_do_not(self):
        for kind in KINDS:
            for more in ([], ["--reconnect"], ["--rate", "500"]):
                with self.subTest(kind=kind, more=more):
                    arguments = [kind, "--uri", self.null.uri, "--range", "0:999", "--count", 60, "--connections", 3,
                                 "--threads", 2, *more]
                    if kind == "bind":
                        arguments += ["--password", "secret{n}"]
                    else:
                        arguments += ["--bind-dn", "cn=admin,dc=x", "--password", "secret"]
                    found = result(*arguments)
                    self.assertEqual(found["operations"], 60)
                    self.assertEqual(found["workload"], kind)
                    self.assertEqual(found["result_codes"], {"compareTrue" if kind == "compare" else "success": 60})

    def test_a_mix_of_all(self):
        for more in ([], ["--reconnect"], ["--rate", "2000"]):
            with self.subTest(more=more):
                found = result(*MIX, "--uri", self.null.uri, "--count", 2000, "--connections", 4, *more)
                self.assertEqual(found["operations"], 2000)
                shares = {kind["operation"]: kind["operations"] for kind in found["kinds"]}
                self.assertEqual(sum(shares.values()), 2000)
                self.assertEqual(set(shares), set(KINDS))
                self.assertTrue(all(shares.values()), shares)
                self.assertTrue(700 < shares["search"] < 900, shares)
                self.assertEqual(found["entries"], found["expected_entries"])

    def test_a_seed_repeats_a_run(self):
        def shares(seed):
            found = result(*MIX, "--uri", self.null.uri, "--count", 500, "--seed", seed)
            return [kind["operations"] for kind in found["kinds"]]
        self.assertEqual(shares(5), shares(5))
        self.assertNotEqual(shares(5), shares(6))

    def test_lines_of_a_file_and_what_each_must_find(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "values.txt")
            with open(path, "w", encoding="ascii") as file:
                file.write("(cn=a)\t1\n(cn=b)\t1\n(cn=c)\t2\n")
            arguments = ["search", "--uri", self.null.uri, "--values", path, "--filter", "{v1}", "--sequential"]
            found = result(*arguments, "--count", 30)
            self.assertEqual(found["entries"], 30)
            self.assertNotIn("expected_entries", found)
            found = result(*arguments, "--count", 30, "--expect-entries", "{v2}", status=1)
            self.assertEqual(found["expected_entries"], 40)
            self.assertEqual(found["errors"]["wrong_entries"], 10)
            self.assertEqual(found["errors"]["first"], "search of line 3 returned 1 entries; 2 were expected")

    def test_a_duration_and_a_rate(self):
        found = result("search", "--uri", self.null.uri, "--range", "0:9", "--duration", 0.5, "--warmup", 0.1, "--rate",
                       400, "--connections", 2)
        self.assertEqual(found["operations"] + found["not_started"], 200)
        self.assertEqual(found["options"]["rate"], 400)
        self.assertGreaterEqual(found["seconds"], 0.5)

    def test_the_codes_and_the_entries_of_another_null_responder(self):
        null = Null("--code", 32, "--entries", 3)
        try:
            found = result("delete", "--uri", null.uri, "--range", "0:9", status=1)
            self.assertEqual(found["result_codes"], {"noSuchObject": 10})
            self.assertEqual(found["errors"]["wrong_code"], 10)
            self.assertIn("used up", found["warnings"][0])
            found = result("delete", "--uri", null.uri, "--range", "0:9", "--accept", 32)
            self.assertEqual(found["errors"]["total"], 0)
            found = result("modify", "--uri", null.uri, "--range", "0:9", "--max-errors", 7, "--duration", 60, status=1)
            self.assertEqual(found["errors"]["total"], 7)
        finally:
            self.assertEqual(null.close(), 0)


class Records(NullCase):
    def test_json_says_what_was_measured(self):
        found = result("search", "--uri", self.null.uri, "--range", "0:99", "--count", 500, "--server-pid",
                       self.null.pid, "--durability", "none at all", "--dataset", "nothing", "--note", "disk=none",
                       "--seed", 42, "--bind-dn", "cn=x", "--password", "hidden word")
        for name in ("client_version", "time_unix_s", "server_software", "machine", "latency_us", "server",
                     "other_cpu_s", "client_cpu_us_per_op", "client_busiest_thread", "intervals", "warnings"):
            self.assertIn(name, found)
        self.assertEqual((found["durability"], found["dataset"], found["notes"]),
                         ("none at all", "nothing", {"disk": "none"}))
        self.assertEqual(found["options"]["seed"], 42)
        self.assertIn("--seed 42", found["command"])
        self.assertNotIn("hidden", found["command"])
        self.assertEqual(sorted(found["latency_us"]), ["max", "mean", "min", "p50", "p90", "p95", "p99", "p99.9"])
        self.assertGreater(found["server"]["rss_bytes"], 0)

    def test_no_password_is_written_down(self):
        found = result("mixed", "--mix", "bind=1,search=1", "--uri", self.null.uri, "--range", "0:9", "--count", 5,
                       "--bind-dn", "cn=x", "--password=hidden one", "--user-password", "hidden two", "--dataset", "it's")
        self.assertNotIn("hidden", json.dumps(found))
        self.assertEqual(shlex.split(found["command"])[-6:],
                         ["--password=***", "--user-password", "***", "--dataset", "it's", "--json"])

    def test_csv_can_be_read_back(self):
        code, out, err = bench(*MIX, "--uri", self.null.uri, "--count", 200, "--csv", "--dataset", 'a "b", c')
        self.assertEqual(code, 0, err)
        lines = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([line["operation"] for line in lines],
                         ["all", "search", "modify", "bind", "add", "delete", "compare", "modrdn"])
        self.assertEqual(lines[0]["operations"], "200")
        self.assertEqual(lines[0]["dataset"], 'a "b", c')
        self.assertEqual(sum(int(line["operations"]) for line in lines[1:]), 200)
        self.assertNotIn(None, lines[0])

    def test_a_table_for_people_and_lines_meanwhile(self):
        arguments = ["search", "--uri", self.null.uri, "--range", "0:99", "--duration", 0.5]
        code, out, err = bench(*arguments)
        self.assertEqual((code, err), (0, ""), "without a terminal nothing is shown unless it is asked for")
        for part in ("operations ", "p99.9 ", "results       search    success", "errors        0", "client CPU"):
            self.assertIn(part, out)
        code, out, err = bench(*arguments, "--interval", 0.1)
        self.assertEqual(code, 0)
        self.assertRegex(err, r"(?m)^ +0\.\d s +\d+ ops/s +mean .* p99 .* max ")
        self.assertNotIn("[", err, "the bar is for terminals")

    def test_the_warm_up_is_marked(self):
        arguments = ["search", "--uri", self.null.uri, "--range", "0:99", "--warmup", 0.3, "--duration", 0.3, "--interval",
                     0.1]
        found = result(*arguments)
        marks = [interval["warmup"] for interval in found["intervals"]]
        self.assertEqual(marks, sorted(marks, reverse=True), "first the warm-up, then the window")
        self.assertGreaterEqual(max(i["t_s"] for i in found["intervals"] if i["warmup"]), 0.3)
        self.assertGreaterEqual(max(i["t_s"] for i in found["intervals"]), 0.6)
        code, _, err = bench(*arguments)
        self.assertEqual(code, 0)
        lines = err.splitlines()
        marked = [line.endswith("  (warm-up)") for line in lines]
        self.assertTrue(marked[0] and not marked[-1], err)
        self.assertEqual(marked, sorted(marked, reverse=True), err)

    def test_a_bar_on_a_terminal(self):
        master, slave = os.openpty()
        command = [os.path.join(world.BIN, "kauri"), "bench", "search", "--uri", self.null.uri, "--range", "0:99",
                   "--duration", "0.5", "--interval", "0.1", "--json"]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=slave, text=True, timeout=60, check=False)
        finally:
            os.close(slave)
        shown = read_terminal(master)
        self.assertEqual(done.returncode, 0)
        json.loads(done.stdout)
        self.assertRegex(shown, r"\[#*\.*\] +\d+ %\r\x1b\[K")
        self.assertTrue(shown.endswith("\r\x1b[K"), "the bar is taken away at the end")

    def test_an_interruption_prints_what_there_is(self):
        command = [os.path.join(world.BIN, "kauri"), "bench", "modrdn", "--uri", self.null.uri, "--range", "0:99",
                   "--duration", "600", "--interval", "0.1", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stderr.readline()  # it runs
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        found = json.loads(out)
        self.assertGreater(found["operations"], 0)
        self.assertIn("the run was interrupted", found["warnings"])


class FindMax(NullCase):
    # An objective that nothing breaks but a lack of places: one connection does not do 10,000,000 a second.
    ARGUMENTS = ["--range", "0:99", "--find-max", "--slo", "max=60s", "--rate", 200, "--duration", 0.2]

    def test_the_best_point_is_one_that_held(self):
        found = result("search", "--uri", self.null.uri, *self.ARGUMENTS)
        held = [step for step in found["steps"] if step["held"]]
        self.assertTrue(held)
        self.assertEqual(found["best_rate"], max(step["rate"] for step in held))
        self.assertEqual(found["best"]["options"]["rate"], found["best_rate"])
        self.assertEqual(found["objectives"], ["max=60s"])
        broken = [step for step in found["steps"] if not step["held"]]
        self.assertTrue(broken)
        self.assertTrue(all(step["why"] for step in broken))

    def test_an_objective_that_cannot_be_kept(self):
        code, out, err = bench("search", "--uri", self.null.uri, "--range", "0:99", "--find-max", "--slo", "p50=0.001us",
                               "--rate", 4, "--duration", 0.5, "--csv")
        self.assertEqual(code, 1)
        self.assertIn("even the lowest rate broke the objective", err)
        lines = list(csv.DictReader(io.StringIO(out)))
        self.assertTrue(lines)
        self.assertTrue(all(line["held"] == "0" for line in lines))

    def test_wrong_answers_are_not_a_limit(self):
        code, out, err = bench("search", "--uri", self.null.uri, *self.ARGUMENTS, "--expect-entries", 2)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("returned 1 entries; 2 were expected", err)

    def test_adds_go_on_where_the_last_step_ended(self):
        code, _, err = bench("add", "--uri", self.null.uri, "--range", "0:119", "--find-max", "--slo", "max=60s",
                             "--rate", 200, "--duration", 0.2)
        self.assertEqual(code, 1)
        self.assertIn("the numbers of the operation add were used up", err)


class CommandLines(NullCase):
    def test_mistakes_are_named(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        holes = os.path.join(folder.name, "holes")
        with open(holes, "w", encoding="ascii") as file:
            file.write("a\nb\n\nc\n")
        entry = os.path.join(folder.name, "entry.ldif")
        with open(entry, "w", encoding="ascii") as file:
            file.write("dn: cn={n},dc=x\nobjectClass: device\nuserPassword: {SSHA}abc\n")
        table = [
            (["search"], "--range LOW:HIGH must say"),
            (["search", "--range", "9:1"], "--range '9:1' is not understood"),
            (["search", "--filter", "(cn={v})"], "the file must be given"),
            (["search", "--filter", "(cn=x)", "--values", "/dev/null"], "/dev/null has no line"),
            (["search", "--filter", "(cn=x", "--count", "1"], "the filter '(cn=x'"),
            (["search", "--filter", "(cn=x)", "--values", holes], f"line 3 of {holes} is empty"),
            (["modrdn", "--range", "0:3", "--connections", "4"], "need at least 9 entries"),
            (["bind", "--range", "0:3", "--depth", "2"], "one bind at a time"),
            (["search", "--range", "0:3", "--reconnect", "--depth", "2"], "one request"),
            (["search", "--range", "0:3", "--find-max", "--slo", "p98=1ms"], "'p98=1ms' is not understood"),
            (["search", "--range", "0:3", "--note", "x"], "--note 'x' is not KEY=VALUE"),
            (["mixed", "--mix", "search=1,find=2", "--range", "0:3"], "'find=2' of a mix names no operation"),
            (["mixed", "--mix", "add=1", "--add-range", "x", "--range", "0:3"], "--add-range 'x'"),
            (["search", "--uri", "ldaps://localhost", "--range", "0:3"], "asks for TLS"),
            (["search", "--uri", "localhost", "--range", "0:3"], "localhost"),
            (["search", "--range", "0:3", "--scope", "tree"], "--scope 'tree' is not one of"),
            (["modify", "--range", "0:3", "--change", "swap"], "--change 'swap' is not one of replace, add, delete"),
            (["modify", "--range", "0:3", "--change", "delete"], "the value must be given"),
            (["search", "--range", "0:3", "--threads", "2"], "2 threads for 1 connections"),
            (["search", "--range", "0:3", "--depth", "5000"], "the depth 5000 is not in the range of 1 to 4096"),
            (["search", "--range", "0:3", "--interval", "0.01"], "shorter than 0.1"),
            (["search", "--range", "0:3", "--rate", "1e9"], "a rate of 1000000000"),
            (["search", "--range", "0:3", "--duration", "0"], "measures nothing"),
            (["search", "--range", "0:3", "--password", "x"], "no --bind-dn"),
            (["search", "--range", "0:3", "--expect-entries", "few"], "the expected number of entries 'few'"),
            (["search", "--range", "0:3", "--filter", "(uid={q})"], "the field '{q}' of a pattern is not understood"),
            (["search", "--range", "0:3", "--filter", "(uid={n)"], "the field '{n)' of a pattern"),
            (["modify", "--range", "0:3", "--value", "{SSHA}x"], "the field '{SSHA}' of a pattern"),
            (["bind", "--range", "0:3", "--target", "uid={N},dc=x"], "{n}, {n:0WIDTH} with a width of 1 to 18, {s}, {v}"),
            (["add", "--range", "0:3", "--entry", entry], "{{ stands for one brace"),
        ]
        for arguments, expected in table:
            with self.subTest(arguments=arguments):
                more = [] if "--uri" in arguments else ["--uri", self.null.uri]
                code, out, err = bench(*arguments, *more)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(expected, err)
                self.assertIn(f"kauri bench {arguments[0]}: ", err)
                self.assertEqual(len(err.splitlines()), 1, err)

    def test_the_null_responders_mistakes(self):
        for arguments, expected in ((["--listen", "nowhere"], "'nowhere' is no address"), (["--entry-size", "3"], "3"),
                                    (["--entries", "100000"], "100000")):
            with self.subTest(arguments=arguments):
                code, out, err = bench("null", *arguments)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn(expected, err)

    def test_what_the_machine_lacks_is_no_mistake_of_the_command_line(self):
        table = [(["search", "--filter", "{v}", "--values", "/nowhere/file"], "/nowhere/file"),
                 (["add", "--range", "0:3", "--entry", "/nowhere/entry"], "/nowhere/entry"),
                 (["search", "--range", "0:3", "--server-pid", "4194304"], "no process 4194304"),
                 (["search", "--range", "0:3", "--uri", "ldap://nowhere.invalid:389"], "nowhere.invalid")]
        for arguments, expected in table:
            with self.subTest(arguments=arguments):
                more = [] if "--uri" in arguments else ["--uri", self.null.uri]
                code, out, err = bench(*arguments, *more)
                self.assertEqual((code, out), (1, ""), err)
                self.assertIn(expected, err)

    def test_a_brace_that_is_meant(self):
        found = result("modify", "--uri", self.null.uri, "--range", "0:9", "--count", 5, "--value", "{{SSHA}abc{n}")
        self.assertEqual(found["operations"], 5)

    def test_options_that_exclude_or_need_each_other(self):
        for arguments in (["--count", "1", "--duration", "1"], ["--json", "--csv"], ["--find-max"], ["--slo", "p99=1ms"],
                          ["--rate", "0"], ["--rate", "-3"], ["--rate", "x"], ["--values", "x", "--range", "0:1"],
                          ["--count", "1", "--find-max", "--slo", "p99=1ms"], ["--max-errors", "0"]):
            with self.subTest(arguments=arguments):
                code, out, err = bench("search", "--uri", self.null.uri, *arguments)
                self.assertEqual((code, out), (2, ""), err)
                self.assertIn("kauri bench search", err)
