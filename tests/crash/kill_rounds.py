#!/usr/bin/env python3
"""Kills the server with SIGKILL while eight writers work, starts it again, and compares with a ledger kept outside it.

    kill_rounds.py --bin DIR [--rounds 30] [--seconds 1.0] [--seed N] [--lose]

Each writer owns its entries and has one request in flight: after a kill the only legal states of an entry are the last
acknowledged one or, for the entry of the request in flight, the one that it asked for. Each entry carries a counter and
a digest of itself, so that a half-applied change shows. --lose is the negative control: it forges an acknowledgement for
a write that was never sent, which the comparison has to find; the run then succeeds only when it was found.
"""
import argparse
import hashlib
import os
import random
import sys
import threading
import time

import ldap
import ldap.modlist

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server  # noqa: E402

PEOPLE = f"ou=crash,{SUFFIX}"
GROUP = f"cn=everyone,{SUFFIX}"
READY_SECONDS_MAX = 1.0


def connect(uri):
    connection = ldap.initialize(uri)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, 10)
    connection.set_option(ldap.OPT_TIMEOUT, 10)
    connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
    return connection


def digest(name, counter):
    return hashlib.sha256(f"{name}:{counter}".encode()).hexdigest()


class Ledger:
    """What one writer knows: entries by their key (employeeNumber) -> (rdn value, counter), and its group members."""

    def __init__(self, number):
        self.number = number
        self.entries = {}
        self.members = set()
        self.doubt = None       # (kind, key, state if applied) of the request in flight
        self.acknowledged = 0
        self.next = 0


class Writer(threading.Thread):
    def __init__(self, ledger, uri, seed):
        super().__init__()
        self.ledger = ledger
        self.uri = uri
        self.random = random.Random(seed)
        self.error = None

    def run(self):
        try:
            connection = connect(self.uri)
            while True:
                self.step(connection)
        except (ldap.SERVER_DOWN, ldap.CONNECT_ERROR, ldap.UNAVAILABLE, ldap.TIMEOUT):
            pass
        except Exception as error:  # any other answer is a fault of the server
            self.error = error

    def step(self, connection):
        ledger = self.ledger
        kind = self.random.choices(["add", "modify", "rename", "delete", "member"], [40, 35, 10, 8, 7])[0]
        if kind == "add" or not ledger.entries:
            self.add(connection)
            return
        key = self.random.choice(list(ledger.entries))
        name, counter = ledger.entries[key]
        dn = f"uid={name},{PEOPLE}"
        if kind == "modify":
            state = (name, counter + 1)
            self.attempt("entry", key, state, lambda: connection.modify_s(dn, [
                (ldap.MOD_REPLACE, "description", [str(counter + 1).encode()]),
                (ldap.MOD_REPLACE, "title", [digest(key, counter + 1).encode()])]))
        elif kind == "rename":
            state = (f"{key}-r{self.random.randrange(10**9)}", counter)
            self.attempt("entry", key, state, lambda: connection.rename_s(dn, f"uid={state[0]}", delold=1))
        elif kind == "delete":
            self.attempt("entry", key, None, lambda: connection.delete_s(dn))
        else:
            member = f"uid={key},{PEOPLE}"
            present = member in ledger.members
            change = ldap.MOD_DELETE if present else ldap.MOD_ADD
            self.attempt("member", member, not present,
                         lambda: connection.modify_s(GROUP, [(change, "member", [member.encode()])]))

    def add(self, connection):
        key = f"w{self.ledger.number}-{self.ledger.next}"
        self.ledger.next += 1
        attributes = {"objectClass": [b"inetOrgPerson"], "uid": [key.encode()], "cn": [f"Crash {key}".encode()],
                      "sn": [b"Crash"], "mail": [f"{key}@example.com".encode()], "employeeNumber": [key.encode()],
                      "description": [b"0"], "title": [digest(key, 0).encode()]}
        self.attempt("entry", key, (key, 0),
                     lambda: connection.add_s(f"uid={key},{PEOPLE}", ldap.modlist.addModlist(attributes)))

    def attempt(self, kind, key, state, request):
        ledger = self.ledger
        ledger.doubt = (kind, key, state)
        request()
        apply(ledger, kind, key, state)
        ledger.doubt = None
        ledger.acknowledged += 1


def apply(ledger, kind, key, state):
    if kind == "entry":
        if state is None:
            ledger.entries.pop(key, None)
        else:
            ledger.entries[key] = state
    elif state:
        ledger.members.add(key)
    else:
        ledger.members.discard(key)


def read_server(uri):
    """-> ({key: (name, counter)}, members, faults): what the server has now."""
    connection = connect(uri)
    entries, faults = {}, []
    for dn, attributes in connection.search_s(PEOPLE, ldap.SCOPE_ONELEVEL, "(uid=*)"):
        key = attributes["employeeNumber"][0].decode()
        counter = int(attributes["description"][0])
        if attributes["title"][0].decode() != digest(key, counter):
            faults.append(f"{dn}: counter {counter} and digest do not belong together")
        if key in entries:
            faults.append(f"{dn}: second entry with key {key}")
        name = attributes["uid"][0].decode()
        if not dn.startswith(f"uid={name},") or len(attributes["uid"]) != 1:
            faults.append(f"{dn}: uid values {attributes['uid']} do not fit the name")
        entries[key] = (name, counter)
    group = connection.search_s(GROUP, ldap.SCOPE_BASE, "(objectClass=*)", ["member"])[0][1]
    members = {value.decode() for value in group["member"]} - {ADMIN_DN}
    connection.unbind_s()
    return entries, members, faults


def settle(ledgers, entries, members):
    """Resolves what was in flight by what the server has, then compares everything. -> faults"""
    faults, expected, expected_members = [], {}, set()
    for ledger in ledgers:
        if ledger.doubt is not None:
            kind, key, state = ledger.doubt
            actual = entries.get(key) if kind == "entry" else key in members
            if actual == state:
                apply(ledger, kind, key, state)
            ledger.doubt = None
        expected.update(ledger.entries)
        expected_members |= ledger.members
    for key in sorted(set(expected) | set(entries)):
        if expected.get(key) != entries.get(key):
            faults.append(f"{key}: acknowledged {expected.get(key)}, found {entries.get(key)}")
    for member in sorted(expected_members ^ members):
        where = "acknowledged but missing" if member in expected_members else "present but never acknowledged"
        faults.append(f"group member {member}: {where}")
    return faults


def prepare(server):
    connection = connect(server.uri)
    for dn, attributes in [
            (SUFFIX, {"objectClass": [b"domain"], "dc": [b"example"]}),
            (PEOPLE, {"objectClass": [b"organizationalUnit"], "ou": [b"crash"]}),
            (GROUP, {"objectClass": [b"groupOfNames"], "cn": [b"everyone"], "member": [ADMIN_DN.encode()]})]:
        try:
            connection.add_s(dn, ldap.modlist.addModlist(attributes))
        except ldap.ALREADY_EXISTS:
            pass
    connection.unbind_s()


def round_of(server, ledgers, seconds, seed, number):
    writers = [Writer(ledger, server.uri, f"{seed}/{number}/{ledger.number}") for ledger in ledgers]
    for writer in writers:
        writer.start()
    # The kill comes at a random moment of the load, which is the point; nothing is waited for here.
    threading.Event().wait(random.Random(f"{seed}/{number}").uniform(0.3, 1.0) * seconds)
    server.kill()
    for writer in writers:
        writer.join()
    return [f"writer {writer.ledger.number}: {writer.error!r}" for writer in writers if writer.error is not None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.0, help="load before each kill, at the most")
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--lose", action="store_true", help="negative control")
    options = parser.parse_args()
    print(f"kill rounds: {options.rounds} rounds, 8 writers, seed {options.seed}")
    ledgers = [Ledger(number) for number in range(8)]
    faults, slowest, passed = [], 0.0, 0
    server = Server(options.bin)
    try:
        server.start()
        prepare(server)
        for number in range(options.rounds):
            found = round_of(server, ledgers, options.seconds, options.seed, number)
            verify = server.tool("verify", "--data", server.data)
            if verify.returncode != 0:
                found.append(f"kauri verify: {verify.stdout[-500:]}{verify.stderr[-500:]}")
            server.start()
            slowest = max(slowest, server.ready_seconds)
            if server.ready_seconds > READY_SECONDS_MAX:
                found.append(f"ready only after {server.ready_seconds:.2f} s; the limit is {READY_SECONDS_MAX} s")
            if options.lose and number == 0:
                ledgers[0].entries["forged"] = ("forged", 0)
            entries, members, broken = read_server(server.uri)
            found += broken + settle(ledgers, entries, members)
            passed += not found
            faults += [f"round {number}: {fault}" for fault in found]
            if found and not options.lose:
                break
            if options.lose:
                break
        server.stop()
    finally:
        server.close()
    acknowledged = sum(ledger.acknowledged for ledger in ledgers)
    for fault in faults[:20]:
        print(fault)
    print(f"kill rounds: {acknowledged} writes acknowledged, {sum(len(l.entries) for l in ledgers)} entries at the end, "
          f"slowest start {slowest:.2f} s, {len(faults)} faults")
    if options.lose:
        caught = any("forged" in fault for fault in faults)
        print("negative control " + ("caught" if caught else "MISSED"))
        return 0 if caught else 1
    print(f"{passed} passed, {options.rounds - passed} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
