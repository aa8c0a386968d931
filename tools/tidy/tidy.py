#!/usr/bin/env python3
"""Checks of the tree that no compiler makes: layers, sizes, words, links. Exit code 1 and one line a finding.

    tools/tidy/tidy.py [ROOT]        checks the tree (default: the one this file lies in)

Each rule is a function that yields (file, line, text); tidy_test.py shows that each one finds what it is for.
"""
import os
import re
import subprocess
import sys

# Which folder of src/ may include which others, besides itself (docs/STYLE.md explains it).
LAYERS = {
    "base": [],
    "text": ["base"],
    "ber": ["base"],
    "config": ["base", "text"],
    "storage": ["base"],
    "ldap": ["ber", "text", "base"],
    "ldif": ["ldap", "text", "base"],
    "schema": ["ldap", "ldif", "text", "base"],
    "entry": ["schema", "ldap", "ber", "text", "base"],
    "index": ["entry", "schema", "storage", "base"],
    "query": ["index", "entry", "schema", "ldap", "storage", "text", "base"],
    "backend": ["query", "index", "entry", "schema", "storage", "ldif", "ldap", "ber", "text", "base"],
    "security": ["query", "entry", "schema", "ldap", "text", "base"],
    "operation": ["backend", "query", "index", "security", "entry", "schema", "ldap", "ber", "storage", "text", "base"],
    "server": ["operation", "backend", "security", "config", "schema", "ldap", "ber", "text", "base"],
    "toolkit": ["ldap", "ldif", "schema", "ber", "text", "config", "base"],
    "kaurid": None,  # everything
    "kauri": None,
}
# Which folder may include which outside library.
OUTSIDE = {
    "lmdb.h": ["storage"],
    "openssl/": ["security", "server", "base"],
    "sodium": ["security"],
    "crypt.h": ["security"],
    "unicode/": ["text"],
    "roaring/": ["index"],
    "toml++/": ["config"],
    "CLI/": ["kauri", "kaurid"],
    "nlohmann/": ["kauri", "toolkit", "server"],
}
LINE_MAX = 100
FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
BLOB_MAX = 256 * 1024
BANNED = [
    (re.compile(r"\b(strcpy|strcat|sprintf|gets|strtok)\s*\("), "unbounded C string call; use std::string"),
    (re.compile(r"\b(atoi|atol|atof|strtol|strtoul)\s*\("), "accepts garbage; use std::from_chars"),
    (re.compile(r"\brand\s*\(\)"), "use kauri::Random"),
    (re.compile(r"\b(usleep|sleep)\s*\("), "wait for an event, never for a time"),
    (re.compile(r"\bthrow\b(?!\s*\()"), "no exceptions in src/; use Result"),
    (re.compile(r"std::regex"), "back-tracking regular expressions are not for client input"),
    (re.compile(r"\bassert\s*\("), "use KAURI_ASSERT, which is on in every build"),
]
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|DISABLED_|GTEST_" r"SKIP)\b")
MACHINE = re.compile(r"/(wo" r"rk|fa" r"rm|ro" r"ot)/[a-z]")
SOURCE = (".cc", ".h")


def read_lines(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read().split("\n")


def folder_of(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_layers(root, files):
    for name in files:
        folder = folder_of(name)
        if folder is None or not name.endswith(SOURCE):
            continue
        if folder not in LAYERS:
            yield name, 1, f"folder src/{folder} has no row in the table of layers"
            continue
        allowed = LAYERS[folder]
        helper = name.endswith(("_test.cc", "_fuzz.cc"))  # what lies in testing/ serves layers above
        for number, line in enumerate(read_lines(root, name), 1):
            ours = re.match(r'\s*#include "([^"]+)"', line)
            if ours:
                target = ours.group(1).split("/")[0]
                if target not in LAYERS:
                    yield name, number, f'include "{ours.group(1)}" is not a path from src/'
                elif target != folder and allowed is not None and target not in allowed and not helper:
                    yield name, number, f"src/{folder} may not include src/{target}"
            theirs = re.match(r"\s*#include <([^>]+)>", line)
            if theirs and not helper:
                for prefix, owners in OUTSIDE.items():
                    if theirs.group(1).startswith(prefix) and folder not in owners:
                        yield name, number, f"only src/{', src/'.join(owners)} may include <{prefix}...>"


def check_lines(root, files):
    for name in files:
        if not name.endswith(SOURCE):
            continue
        lines = read_lines(root, name)
        if len(lines) - 1 > FILE_LINES_MAX:
            yield name, 1, f"{len(lines) - 1} lines; the cap is {FILE_LINES_MAX}: give each thing its own home"
        raw = False
        for number, line in enumerate(lines, 1):
            if 'R"' in line:
                raw = True
            if len(line) > LINE_MAX and not raw:
                yield name, number, f"{len(line)} columns; the cap is {LINE_MAX}"
            if ')"' in line or ')schema"' in line or line.rstrip().endswith(('";', '",')):
                raw = False


def check_functions(root, files):
    """A function body opens with '{' at the end of a line that starts in column 0 or 2, and closes in that column."""
    for name in files:
        if not name.endswith(".cc") or not name.startswith("src/") or name.endswith(("_test.cc", "_fuzz.cc")):
            continue
        start, text = None, False  # a body that holds a raw string is data, however long
        for number, line in enumerate(read_lines(root, name), 1):
            text = start is not None and (text or 'R"' in line)
            if start is None and re.match(r"[A-Za-z].*\)[^;=]*\{$", line) and not line.startswith("namespace"):
                start = number
            elif start is not None and line.startswith("}"):
                if number - start > FUNCTION_LINES_MAX and not text:
                    yield name, start, f"function of {number - start} lines; the cap is {FUNCTION_LINES_MAX}"
                start = None


def check_words(root, files):
    for name in files:
        if not name.endswith(SOURCE + (".py", ".md", ".sh", ".cmake", ".txt", ".json", ".toml")) or "tools/tidy" in name:
            continue
        code = name.startswith("src/") and name.endswith(SOURCE)
        for number, line in enumerate(read_lines(root, name), 1):
            if UNFINISHED.search(line):
                yield name, number, "unfinished or switched off: finish it, or write an issue"
            if MACHINE.search(line) and name.endswith(SOURCE + (".py", ".md", ".sh")):
                yield name, number, "path of one machine"
            if code and not name.endswith("_test.cc"):
                text = re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//")[0])
                for pattern, why in BANNED:
                    if pattern.search(text):
                        yield name, number, why


def check_built(root, files):
    """Every source file is named in the CMakeLists.txt of its folder: what is not built is not a test."""
    for name in files:
        if not name.startswith("src/") or not name.endswith(".cc"):
            continue
        folder = "/".join(name.split("/")[:2])
        listed = "\n".join(read_lines(root, folder + "/CMakeLists.txt")) if os.path.exists(
            os.path.join(root, folder, "CMakeLists.txt")) else ""
        if name[len(folder) + 1:] not in listed.split() and name[len(folder) + 1:] not in re.split(r"[\s()]+", listed):
            yield name, 1, f"not listed in {folder}/CMakeLists.txt"


def check_fuzz_seeds(root, files):
    for name in files:
        if name.endswith("_fuzz.cc") and not any(f.startswith(name[:-3] + ".in/") for f in files):
            yield name, 1, f"has no seeds in {name[:-3]}.in/"


def check_docs(root, files):
    known = set(files)
    for name in files:
        if not name.endswith(".md"):
            continue
        lines = read_lines(root, name)
        if sum(1 for line in lines if line.startswith("# ")) != 1 and not any(l.startswith("```") for l in lines):
            yield name, 1, "a page has exactly one first-level heading"
        for number, line in enumerate(lines, 1):
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                path = os.path.normpath(os.path.join(os.path.dirname(name), target))
                if path not in known and not any(f.startswith(path + "/") for f in known):
                    yield name, number, f"dead link: {target}"
            if name.startswith("src/") and name.endswith("README.md"):
                for target in re.findall(r"`([a-z_/]+\.(?:h|cc))`", line):
                    here = os.path.dirname(name)
                    if not {f"{here}/{target}", f"src/{target}"} & known:
                        yield name, number, f"names a file that is not there: {target}"


def check_folders(root, files):
    for folder in LAYERS:
        if any(f.startswith(f"src/{folder}/") for f in files) and f"src/{folder}/README.md" not in files:
            yield f"src/{folder}", 1, "folder has no README.md"


CASES_PAGE = "docs/cases.md"
CASE_ID = re.compile(r"(?<![A-Za-z0-9%\\])([A-K]\d\d)(?=_|[A-Z][a-z]|[^A-Za-z0-9]|$)")


def is_test(name):
    return name.endswith("_test.cc") or (name.startswith("tests/") and name.endswith(".py"))


def check_cases(root, files):
    """Every case of docs/cases.md is asked by the tests that its row names, and every id in a test has a row."""
    if CASES_PAGE not in files:
        return
    asked = {}  # id -> the tests that name it
    for name in filter(is_test, files):
        for line in read_lines(root, name):
            for case in CASE_ID.findall(line):
                asked.setdefault(case, set()).add(name)
    rows, stated = set(), None
    for number, line in enumerate(read_lines(root, CASES_PAGE), 1):
        count = re.match(r"There are (\d+) cases", line)
        if count:
            stated = int(count.group(1))
        row = re.match(r"\| ([A-K]\d\d) \| .+ \| (.+) \|$", line)
        if not row:
            continue
        case, tests = row.group(1), re.findall(r"`([^`]+)`", row.group(2))
        if case in rows:
            yield CASES_PAGE, number, f"case {case} has two rows"
        rows.add(case)
        waits = row.group(2).startswith("not yet: ")
        if waits == bool(tests):
            yield CASES_PAGE, number, f"case {case} names either its tests or, behind \"not yet: \", what it waits for"
        for test in tests:
            if test not in asked.get(case, ()):
                yield CASES_PAGE, number, f"case {case} is not asked in {test}"
    if stated != len(rows):
        yield CASES_PAGE, 1, f"{len(rows)} cases, but the page says \"There are {stated} cases\": none may be lost"
    for case in sorted(set(asked) - rows):
        yield sorted(asked[case])[0], 1, f"case {case} has no row in {CASES_PAGE}"


def check_blobs(root, files):
    for name in files:
        size = os.path.getsize(os.path.join(root, name))
        if size > BLOB_MAX:
            yield name, 1, f"{size} octets; the cap for a file is {BLOB_MAX}"


CHECKS = [check_layers, check_lines, check_functions, check_words, check_built, check_fuzz_seeds, check_docs,
          check_folders, check_cases, check_blobs]


def tree_files(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-z", "-c", "-o", "--exclude-standard"], check=True,
                         capture_output=True).stdout.decode()
    return sorted(f for f in out.split("\0") if f and os.path.isfile(os.path.join(root, f)))


def run(root, files):
    return [finding for check in CHECKS for finding in check(root, files)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    files = tree_files(root)
    findings = run(root, files)
    for name, line, text in findings:
        print(f"{name}:{line}: {text}")
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
