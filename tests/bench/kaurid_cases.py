"""`kauri bench` against a kaurid: that what is said to have happened has happened."""
import os
import tempfile

from world import SUFFIX, USERS, ServerCase


class Kaurid(ServerCase):
    def test_searches_find_what_is_there(self):
        found = self.run_bench("search", *self.users, "--count", 200, "--expect-entries", 1, "--connections", 3, "--depth",
                               4, "--attributes", "cn")
        self.assertEqual((found["operations"], found["entries"], found["expected_entries"]), (200, 200, 200))
        self.assertEqual(found["server_software"]["vendor"], "Kauri")
        # One user in five is not there.
        found = self.run_bench("search", "--range", f"0:{USERS * 5 // 4 - 1}", "--sequential", "--count",
                               USERS * 5 // 4, "--expect-entries", 1, status=1)
        self.assertEqual(found["entries"], USERS)
        self.assertEqual(found["errors"]["wrong_entries"], USERS * 5 // 4 - USERS)

    def test_searches_with_scopes_and_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filters")
            with open(path, "w", encoding="ascii") as file:
                file.write("".join(f"(sn=Name {i})\t{USERS // 5}\n" for i in range(5)) + "(sn=nobody)\t0\n")
            found = self.run_bench("search", "--values", path, "--filter", "{v1}", "--expect-entries", "{v2}", "--count",
                                   60, "--scope", "one", "--base", f"ou=People,{SUFFIX}", "--sequential")
        self.assertEqual(found["entries"], 50 * USERS // 5)

    def test_binds_with_the_right_password_and_with_a_wrong_one(self):
        for more in ([], ["--reconnect"]):
            found = self.run_bench("bind", *self.users, "--password", "secret{n}", "--count", 40, "--connections", 2, *more)
            self.assertEqual(found["result_codes"], {"success": 40})
        found = self.run_bench("bind", *self.users, "--password", "wrong", "--count", 5, status=1)
        self.assertEqual(found["result_codes"], {"invalidCredentials": 5})

    def test_compares(self):
        found = self.run_bench("compare", *self.users, "--count", 30)
        self.assertEqual(found["result_codes"], {"compareTrue": 30})
        found = self.run_bench("compare", *self.users, "--attribute", "sn", "--value", "nobody", "--count", 3, status=1)
        self.assertEqual(found["result_codes"], {"compareFalse": 3})

    def test_modifies_are_there(self):
        found = self.run_bench("modify", *self.users, *self.admin, "--sequential", "--count", USERS, "--value",
                               "number {n}")
        self.assertEqual(found["errors"]["total"], 0)
        self.assertEqual(self.count("(description=number *)"), USERS)

    def test_values_come_and_go(self):
        change = ["modify", *self.admin, "--range", "0:29", "--target", f"ou=Other,{SUFFIX}", "--attribute", "description",
                  "--value", "value {n}", "--connections", 3, "--duration", 60, "--change"]
        self.assertEqual(self.run_bench(*change, "add")["result_codes"], {"success": 30})
        self.assertEqual(self.count("(&(description=value 0)(description=value 29))"), 1)
        self.assertEqual(self.run_bench(*change, "add", status=1)["result_codes"], {"attributeOrValueExists": 30})
        self.assertEqual(self.run_bench(*change, "delete")["result_codes"], {"success": 30})
        self.assertEqual(self.count("(description=value *)"), 0)

    def test_a_brace_arrives(self):
        self.run_bench("modify", *self.users, *self.admin, "--sequential", "--count", 3, "--value", "{{n} is {n}}")
        self.assertEqual(self.count("(description={{n} is 2})"), 1)

    def test_adds_and_deletes(self):
        numbers = ["--range", "0:39", "--connections", 4, "--threads", 2]
        found = self.run_bench("add", *self.admin, *numbers, "--duration", 60)
        self.assertEqual(found["operations"], 40)
        self.assertEqual(self.count("(uid=bench.*)"), 40)
        again = self.run_bench("add", *self.admin, *numbers, "--duration", 60, status=1)
        self.assertEqual(again["result_codes"], {"entryAlreadyExists": 40})
        gone = self.run_bench("delete", *self.admin, *numbers, "--duration", 60, "--target",
                              "uid=bench.{n},ou=People," + SUFFIX)
        self.assertEqual(gone["operations"], 40)
        self.assertEqual(self.count("(uid=bench.*)"), 0)

    def test_renamings_leave_everything_as_it_was(self):
        for more in ([], ["--reconnect"], ["--new-superior", f"ou=Other,{SUFFIX}"], ["--rate", 300],
                     ["--new-rdn", "cn=other name {n}"]):
            with self.subTest(more=more):
                # An odd count: the last entry gets its name back after the measurement.
                found = self.run_bench("modrdn", *self.users, *self.admin, "--count", 151, "--connections", 3, *more)
                self.assertEqual((found["operations"], found["errors"]["total"]), (151, 0))
                self.assertEqual(found["kinds"][0]["order"], "sequential")
                check = self.run_bench("search", *self.users, "--sequential", "--count", USERS, "--expect-entries", 1,
                                       "--base", f"ou=People,{SUFFIX}", "--scope", "one")
                self.assertEqual(check["entries"], USERS)

    def test_renamings_that_stay(self):
        numbers = ["--range", "100:119"]
        self.run_bench("add", *self.admin, *numbers, "--duration", 60)
        found = self.run_bench("modrdn", *self.admin, *numbers, "--keep-name", "--target",
                               f"uid=bench.{{n}},ou=People,{SUFFIX}", "--new-rdn", "uid=kept.{n}", "--duration", 60)
        self.assertEqual(found["operations"], 20)
        self.assertEqual(self.count("(uid=kept.*)"), 20)
        self.run_bench("delete", *self.admin, *numbers, "--target", f"uid=kept.{{n}},ou=People,{SUFFIX}", "--duration", 60)
        self.assertEqual(self.count("(uid=kept.*)"), 0)

    def test_a_mix_of_all_has_no_wrong_answer(self):
        mix = "search=30,bind=10,modify=20,compare=10,modrdn=10,add=10,delete=10"
        for more in ([], ["--reconnect"], ["--rate", 400]):
            with self.subTest(more=more):
                # Names come and go while others ask for them: those answers are right too.
                found = self.run_bench("mixed", "--mix", mix, *self.users, *self.admin, "--user-password", "secret{n}",
                                       "--count", 400, "--connections", 3, "--accept", 32, "--accept", 49, *more)
                self.assertEqual((found["operations"], found["errors"]["total"]), (400, 0))
                kinds = {kind["operation"]: kind for kind in found["kinds"]}
                left = kinds["add"]["operations"] - kinds["delete"]["operations"]
                self.assertEqual(kinds["add"]["result_codes"], {"success": kinds["add"]["operations"]})
                self.assertEqual(kinds["delete"]["result_codes"], {"success": kinds["delete"]["operations"]})
                self.assertEqual(self.count("(uid=bench.*)"), left)
                self.assertEqual(self.count("(uid=user.*.renamed)"), 0)
                if left:
                    self.run_bench("delete", *self.admin, "--range", f"0:{kinds['add']['operations'] - 1}", "--accept",
                                   32, "--target", "uid=bench.{n},ou=People," + SUFFIX, "--duration", 60)

    def test_the_servers_processor_time_and_memory(self):
        found = self.run_bench("search", *self.users, "--duration", 0.5, "--server-pid", self.server.pid, "--connections",
                               4, "--durability", "relaxed", "--dataset", f"{USERS} users")
        self.assertGreater(found["server"]["rss_bytes"], 1_000_000)
        self.assertGreaterEqual(found["server"]["cpu_s"], 0)
        self.assertEqual(found["durability"], "relaxed")

    def test_find_max(self):
        found = self.run_bench("search", *self.users, "--find-max", "--slo", "max=60s", "--duration", 0.2, "--rate", 200,
                               "--expect-entries", 1)
        self.assertGreaterEqual(found["best_rate"], 1)
        self.assertEqual(found["best"]["errors"]["total"], 0)
