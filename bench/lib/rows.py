"""The rows of a comparison: what `kauri bench` is told in each, and the bars that Kauri has set itself."""
import dataclasses
import re

from data import GROUPS, LATE, PEOPLE
from server import SUFFIX

ADDS_PER_ROW = 1_000_000  # numbers that one run of a row that adds may use up
ROWS_THAT_ADD = 16


@dataclasses.dataclass
class Row:
    """`kind`: read, query, write or group. `bound`: as administrator. `after`: what a row of adds is followed by."""

    key: str
    title: str
    kind: str
    arguments: list
    bound: bool = False
    adds: bool = False
    after: object = None
    warmup: bool = True
    fact: str = ""         # what Measurer.prepare() has to find out first
    rate_bar: object = 0   # operations/s: at least so many times the better peer's, or those of each by key
    cpu_bar: object = 0    # the server's processor time: at most this share of the better peer's, or of each by key
    null_bar: bool = False  # at least 65 % of the null responder's rate, at most 1.5 times its processor time
    cpu_us_bar: float = 0  # at most so many microseconds


def reads(data):
    everyone = ["--range", f"0:{data.entries - 1}"]
    uid = ["search", "--filter", "(uid=user.{n})", *everyone, "--expect-entries", "1", "--connections"]
    bind = ["bind", *everyone, "--password", "password", "--connections"]
    search = "search (uid=user.N), "
    bars = {"rate_bar": 3.5, "cpu_bar": 1 / 5, "null_bar": True}
    return [
        Row("search-whole-16", search + "whole entry, 16 connections", "read", [*uid, "16"], **bars),
        Row("search-whole-256", search + "whole entry, 256", "read", [*uid, "256"], **bars),
        Row("search-one-16", search + "one attribute, 16", "read", [*uid, "16", "--attributes", "cn"], **bars),
        Row("search-one-256", search + "one attribute, 256", "read", [*uid, "256", "--attributes", "cn"], **bars),
        Row("search-deep-16", search + "whole entry, 16, each 16 deep", "read", [*uid, "16", "--depth", "16"],
            cpu_us_bar=4),
        Row("reconnect-16", "connect, bind, search, unbind, 16", "read",
            [*uid, "16", "--reconnect", "--bind-dn", f"uid=user.1,{PEOPLE}", "--password", "password"], cpu_bar=1 / 2),
        Row("bind-16", "bind, {SSHA}, 16", "read", [*bind, "16"], cpu_bar=1 / 3),
        Row("bind-256", "bind, {SSHA}, 256", "read", [*bind, "256"], cpu_bar=1 / 3),
        Row("compare-16", "compare, 16", "read", ["compare", *everyone, "--connections", "16"], cpu_bar=1 / 3),
    ]


def queries(data):
    def asked(key, title, *more):
        return Row(key, title + ", 16", "query", ["search", "--values", data.questions[key], "--filter", "{v1}",
                                                  "--expect-entries", "{v2}", "--connections", "16", *more], cpu_bar={"slapd": 1 / 3})
    none = ("--attributes", "1.1")
    return [
        asked("and-half", "AND, one term matching half of all"),
        asked("or-200", "OR of 200 equalities", *none),
        asked("prefix", "prefix (cn=abc d*)", *none),
        asked("middle", "middle substring (cn=*bcd efg*)", *none),
        asked("not", "(&(sn=a)(!(uid=b)))", *none),
        asked("presence", "(&(sn=a)(telephoneNumber=*))", *none),
        Row("range", f"(createTimestamp>=a), the last {LATE} entries, 16", "query",
            ["search", "--filter", "(createTimestamp>={LATE_FROM})", "--expect-entries", str(LATE), "--attributes", "1.1",
             "--connections", "16"], fact="late", cpu_bar={"slapd": 1 / 3}),
        Row("below-one", "(objectClass=inetOrgPerson) below one entry, 16", "query",
            ["search", "--filter", "(objectClass=inetOrgPerson)", "--base", f"uid=user.{{n}},{PEOPLE}", "--range",
             f"0:{data.entries - 1}", "--expect-entries", "1", "--attributes", "1.1", "--connections", "16"],
            cpu_bar={"slapd": 1 / 3}),
    ]


def writes(data):
    everyone = ["--range", f"0:{data.entries - 1}", "--connections"]
    add = ["add", "--entry", data.entry_file, "--connections"]
    out = [Row(f"modify-{n}", f"modify, {n} connection{'s' if n > 1 else ''}", "write", ["modify", *everyone, str(n)],
               True, rate_bar=bar, cpu_bar=1 / 5) for n, bar in ((1, 1.5), (16, 4), (64, 8), (256, 10))]
    delete = Row("delete-64", "delete, 64", "write", [], True, rate_bar=8)
    out += [Row(f"add-{n}", f"add, {n}", "write", [*add, str(n)], True, adds=True, warmup=False,
                after=delete if n == 64 else None, rate_bar=bar, cpu_bar=1 / 10)
            for n, bar in ((16, 5), (64, 10), (256, 12))]
    out += [Row("modrdn-64", "modrdn, 64", "write", ["modrdn", *everyone, "64"], True, rate_bar=8)]
    out += [Row(f"mix-{m}", f"modify {m} %, search {100 - m} %, 64", "write",
                ["mixed", "--mix", f"modify={m},search={100 - m}", *everyone, "64", "--expect-entries", "1"], True,
                rate_bar=5) for m in (30, 50, 70)]
    out += [Row("loop-256", "bind, add, search, compare, modify, delete, add, each on a new connection, 256", "write",
                ["mixed", "--mix", "bind=1,add=2,search=1,compare=1,modify=1,delete=1", "--reconnect", "--entry",
                 data.entry_file, "--user-password", "password", "--expect-entries", "1", *everyone, "256"], True, adds=True, warmup=False,
                rate_bar={"slapd": 8, "389ds": 5})]
    return out


def groups(data):
    """The same in a group of all users and in one of 100."""
    out = []
    for name, members in (("large", data.entries), ("small", min(100, data.entries))):
        at = ["--target", f"cn={name},{GROUPS}", "--attribute", "member"]
        member = f"uid=user.{{n}},{PEOPLE}"
        inside = ["--range", f"0:{members - 1}"]
        change = ["modify", *at, "--value", f"uid=guest.{{n}},{PEOPLE}", "--connections", "1", "--change"]
        there = Row(f"group-{name}-remove", f"member removed, group of {members:,}", "group", [*change, "delete"], True,
                    rate_bar={"slapd": 20} if name == "large" else 0)
        out += [
            Row(f"group-{name}-add", f"member added, group of {members:,}, 1 connection", "group", [*change, "add"], True,
                warmup=False, after=there, rate_bar={"slapd": 20} if name == "large" else 0),
            Row(f"group-{name}-compare", f"compare, group of {members:,}, 16", "group",
                ["compare", *at, "--value", member, *inside, "--connections", "16"],
                rate_bar={"slapd": 20} if name == "large" else 0),
            Row(f"group-{name}-search", f"(member=...) in the group of {members:,}, 1 connection", "group",
                ["search", "--base", GROUPS, "--filter", f"(&(member={member})(cn={name}))", *inside, "--attributes", "1.1",
                 "--expect-entries", "1", "--connections", "1"],
                rate_bar={"slapd": 20} if name == "large" else 0),
        ]
    return out


def rows(data, wanted, durability):
    """-> the rows whose key, or that of what follows them, has the regular expression `wanted` in it. Where commits are
    relaxed only those that commit."""
    every = [*reads(data), *queries(data), *groups(data), *writes(data)]
    if durability == "relaxed":
        every = [row for row in every if row.kind == "write" or row.after]
    return [row for row in every if re.search(wanted, row.key) or (row.after and re.search(wanted, row.after.key))]


def titles(chosen):
    """-> the rows that have figures: those chosen and what follows them."""
    return [one for row in chosen for one in ((row, row.after) if row.after else (row,))]


def first_number(chosen, row, run):
    """Where the numbers of a row that adds begin: no two runs of any rows share one."""
    return (run * ROWS_THAT_ADD + [one.key for one in chosen if one.adds or one.after].index(row.key)) * ADDS_PER_ROW


def filled(arguments, facts):
    """The arguments with what was found out about this server."""
    out = []
    for word in arguments:
        for key, value in facts.items():
            word = word.replace("{" + key + "}", value)
        out.append(word)
    return out


# What is always said of a base.
BASE_ARGUMENTS = ["--base", SUFFIX]
