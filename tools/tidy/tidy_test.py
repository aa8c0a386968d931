#!/usr/bin/env python3
"""Shows that each rule of tidy.py finds what it is for, and leaves a clean tree alone."""
import os
import tempfile
import unittest

import tidy


class TidyTest(unittest.TestCase):
    def findings(self, tree):
        with tempfile.TemporaryDirectory() as root:
            for name, text in tree.items():
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return [text for _, _, text in tidy.run(root, sorted(tree))]

    def assert_finds(self, part, tree):
        found = self.findings(tree)
        self.assertTrue(any(part in text for text in found), f"{part!r} not in {found}")

    def clean(self):
        return {"src/ber/a.cc": '#include "base/result.h"\n', "src/ber/CMakeLists.txt": "kauri_library(ber SOURCES a.cc)\n",
                "src/ber/README.md": "# ber\n"}

    def test_clean_tree(self):
        self.assertEqual(self.findings(self.clean()), [])

    def test_layer(self):
        self.assert_finds("may not include src/ldap", self.clean() | {"src/ber/a.cc": '#include "ldap/dn.h"\n'})

    def test_layer_of_shared_test_code(self):
        self.assert_finds("may not include src/ldap", self.clean() | {
            "src/ber/testing/b.h": '#include "ldap/dn.h"\n', "src/ldap/dn.h": "", "src/ldap/README.md": "# ldap\n"})

    def test_outside_library(self):
        self.assert_finds("may include <lmdb.h", self.clean() | {"src/ber/a.cc": "#include <lmdb.h>\n"})

    def test_long_line(self):
        self.assert_finds("columns", self.clean() | {"src/ber/a.cc": "// " + "x" * 120 + "\n"})

    def test_long_file(self):
        self.assert_finds("lines; the cap", self.clean() | {"src/ber/a.cc": "//\n" * 900})

    def test_long_function(self):
        body = "int f(int x) {\n" + "  x += 1;\n" * 80 + "}\n"
        self.assert_finds("function of", self.clean() | {"src/ber/a.cc": body})

    def test_banned_call(self):
        self.assert_finds("from_chars", self.clean() | {"src/ber/a.cc": "int x = atoi(text);\n"})

    def test_unfinished(self):
        self.assert_finds("unfinished", self.clean() | {"src/ber/a.cc": "// TO" "DO more\n"})

    def test_not_built(self):
        self.assert_finds("not listed", self.clean() | {"src/ber/b.cc": "\n"})

    def test_fuzz_without_seeds(self):
        self.assert_finds("no seeds", self.clean() | {"src/ber/b_fuzz.cc": "\n"})

    def test_dead_link(self):
        self.assert_finds("dead link", self.clean() | {"src/ber/README.md": "# ber\n[x](nowhere.md)\n"})

    def test_dead_name(self):
        self.assert_finds("not there", self.clean() | {"src/ber/README.md": "# ber\n`gone.h`\n"})

    def test_missing_readme(self):
        tree = self.clean()
        del tree["src/ber/README.md"]
        self.assert_finds("no README.md", tree)

    def test_large_file(self):
        self.assert_finds("cap for a file", self.clean() | {"docs/big.bin": "x" * 300000})

    PAGE = "# Cases\n\nThere are 2 cases.\n\n| A01 | x | `src/ber/a_test.cc` |\n| B02 | x | not yet: needs TLS |\n"
    TEST = "TEST(A, A01_Names) {}\n"

    def cases(self, page=PAGE, test=TEST):
        return self.clean() | {"docs/cases.md": page, "src/ber/a_test.cc": test,
                               "src/ber/CMakeLists.txt": "kauri_library(ber SOURCES a.cc)\nkauri_test(ber SOURCES a_test.cc)\n"}

    def test_cases(self):
        self.assertEqual(self.findings(self.cases()), [])
        self.assertEqual(self.findings(self.cases(test=self.TEST + '"\\xA07" 0xB08 %C09 "FD10" E111 F12ab\n')), [])

    def test_case_without_its_test(self):
        self.assert_finds("case A01 is not asked in src/ber/a_test.cc", self.cases(test="TEST(A, A011) {}\n"))
        self.assert_finds("case A01 names either", self.cases(self.PAGE.replace("`src/ber/a_test.cc`", "somewhere")))
        self.assert_finds("case B02 names either", self.cases(self.PAGE.replace("TLS", "`src/ber/a_test.cc`")))

    def test_case_without_its_row(self):
        self.assert_finds("case C03 has no row", self.cases(test=self.TEST + "// C03.\n"))
        self.assert_finds("1 cases, but", self.cases(self.PAGE.replace("| B02 | x | not yet: needs TLS |\n", "")))
        self.assert_finds("case A01 has two rows", self.cases(self.PAGE.replace("B02 | x | not yet: needs TLS",
                                                                                "A01 | x | `src/ber/a_test.cc`")))


if __name__ == "__main__":
    unittest.main()
