"""Eight writers and the ledgers of what they were promised: the oracle of every campaign that ends a server the hard way.

A writer owns its entries and has one request in flight. Of each thing that it owns ("key") the ledger knows the state that
was last acknowledged and, for the one request in flight, the state that it asked for: after a crash nothing else is legal.
States are texts, and each holds a whole entry or a whole set of values, so that half of a change is no legal state:

    e:w0-17   an entry: name, counter and box; counter and key stand in several of its attributes, which must agree
    b:w0a     a box, the parent of entries: its name; two to a writer, renamed with all that is below them
    s:w0      a group of a writer's own that swings between 40 and 300 members: in and out of the entry's record
    l:w0      a writer's members of the one large group that all writers share

A ledger lies in a directory that nobody fails: a line before a request is sent and one after its answer. A campaign that
was ended can go on from there.
"""
import json
import os
import random
import threading
import time

import ldap
import ldap.modlist

from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX

WRITERS = 8
TREE = f"ou=crash,{SUFFIX}"
LARGE = f"cn=large,{SUFFIX}"
BASE_MEMBERS = 4000     # of the large group, for the values to lie outside of its record
LIVE_ENTRIES = 60       # of one writer, about
SWING = (40, 300)       # members of the swinging groups; 200 is the most that stays in a record
WRITES_MIN = 2 * WRITERS    # answers before a server is ended
WORK_SECONDS_MAX = 60       # for these
OWN_MEMBERS_MAX = 60    # of one writer in the large group
KINDS = {"add": 26, "modify": 30, "rename": 10, "move": 8, "delete": 14, "rename_box": 2, "swing": 5, "large": 5}


def connect(uri):
    connection = ldap.initialize(uri)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, 20)
    connection.set_option(ldap.OPT_TIMEOUT, 20)
    connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
    return connection


def member(owner, number):
    return f"cn={owner}-{number},ou=members,{SUFFIX}"


def swing_dn(owner):
    return f"cn=swing-{owner},{SUFFIX}"


def members_state(numbers):
    return ",".join(map(str, sorted(numbers)))


def members_of(state):
    return {int(number) for number in state.split(",")} if state else set()


def entry_values(key, counter):
    """All of them tell key and counter: what a change leaves half done shows."""
    name = key[2:]
    return {"description": str(counter), "title": f"{name} {counter}", "mail": f"{name}.{counter}@example.com",
            "telephoneNumber": f"+64 {counter}"}


class Ledger:
    """Of one writer. `directory`: where it is kept; None: in memory alone."""

    def __init__(self, number, directory=None, history=None):
        self.owner = f"w{number}"
        self.states = {}
        self.doubt = None           # (key, state or None) of the request in flight
        self.acknowledged = 0
        self.next = 0
        self.history = history      # a list of [key, state, issued at, acknowledged at], for who needs positions
        self.journal = None
        if directory is not None:
            self.path = os.path.join(directory, f"{self.owner}.json")
            self._load()

    def _load(self):
        if os.path.exists(self.path):
            with open(self.path, encoding="ascii") as file:
                kept = json.load(file)
            self.states, self.acknowledged, self.next = kept["states"], kept["acknowledged"], kept["next"]
        if os.path.exists(self.path + ".journal"):
            with open(self.path + ".journal", encoding="ascii") as file:
                for line in file:
                    self._replay(line)
        self.journal = os.open(self.path + ".journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def _replay(self, line):
        if line == "+\n" and self.doubt is not None:
            self._apply()
        elif line.startswith("?") and line.endswith("\n"):
            key, state = json.loads(line[1:])
            self.doubt = (key, state)
            if key.startswith("e:"):
                self.next = max(self.next, int(key.rsplit("-", 1)[1]) + 1)

    def _apply(self):
        key, state = self.doubt
        if state is None:
            self.states.pop(key, None)
        else:
            self.states[key] = state
        self.doubt = None
        self.acknowledged += 1

    def issue(self, key, state, position):
        self.doubt = (key, state)
        if self.journal is not None:
            os.write(self.journal, f"?{json.dumps(self.doubt)}\n".encode())
        if self.history is not None:
            self.history.append([key, state, position, None])

    def acknowledge(self, position):
        if self.journal is not None:
            os.write(self.journal, b"+\n")
        if self.history is not None:
            self.history[-1][3] = position
        self._apply()

    def resolve(self, actual):
        """What was in flight has happened or not: `actual` is the state that its key has."""
        if self.doubt is None:
            return
        key, state = self.doubt
        acknowledged = self.acknowledged
        if actual == state:
            self._apply()
        self.doubt = None
        self.acknowledged = acknowledged

    def checkpoint(self):
        """After a comparison that found nothing: what the journal says is in the states."""
        if self.journal is None:
            return
        with open(self.path + ".new", "w", encoding="ascii") as file:
            json.dump({"states": self.states, "acknowledged": self.acknowledged, "next": self.next}, file)
        os.replace(self.path + ".new", self.path)
        os.ftruncate(self.journal, 0)


class Writer(threading.Thread):
    """Works until the server is gone. `stopping` is set before it is ended: a failure before that is a fault of it.

    `failures`: what an operation may answer after that; a killed server answers nothing, one without a disk an error.
    """

    def __init__(self, ledger, uri, seed, stopping, failures=(), position=lambda: 0, pace=None, acknowledged=None):
        super().__init__(daemon=True)
        self.ledger = ledger
        self.uri = uri
        self.random = random.Random(seed)
        self.stopping = stopping
        self.failures = (ldap.SERVER_DOWN, ldap.CONNECT_ERROR, ldap.UNAVAILABLE, ldap.TIMEOUT, *failures)
        self.position = position
        self.pace = pace            # called before each step; False ends the work
        self.acknowledged = acknowledged    # a semaphore that is released for each answer
        self.error = None

    def run(self):
        try:
            connection = connect(self.uri)
            while self.pace is None or self.pace():
                self.step(connection)
        except self.failures as error:
            if not self.stopping.is_set():
                self.error = error
        except Exception as error:  # any other answer is a fault of the server
            self.error = error

    def step(self, connection):
        mine = [key for key in self.ledger.states if key.startswith("e:")]
        kind = self.random.choices(list(KINDS), list(KINDS.values()))[0]
        if not mine or (kind == "delete" and len(mine) < LIVE_ENTRIES // 2):
            kind = "add"
        elif kind == "add" and len(mine) > LIVE_ENTRIES:
            kind = "delete"
        if kind in ("add", "rename_box", "swing", "large"):
            getattr(self, kind)(connection)
        else:
            key = self.random.choice(mine)
            getattr(self, kind)(connection, key, *self.ledger.states[key].split("|"))

    def attempt(self, key, state, request):
        self.ledger.issue(key, state, self.position())
        request()
        self.ledger.acknowledge(self.position())
        if self.acknowledged is not None:
            self.acknowledged.release()

    def box_dn(self, box):
        return f"ou={self.ledger.states['b:' + box]},{TREE}"

    def some_box(self):
        return self.ledger.owner + self.random.choice("ab")

    def add(self, connection):
        name, box = f"{self.ledger.owner}-{self.ledger.next}", self.some_box()
        key = f"e:{name}"
        self.ledger.next += 1
        attributes = {"objectClass": "inetOrgPerson", "uid": name, "cn": f"Crash {name}", "sn": "Crash",
                      "employeeNumber": name, **entry_values(key, 0)}
        self.attempt(key, f"{name}|0|{box}", lambda: connection.add_s(
            f"uid={name},{self.box_dn(box)}", [(type_, [value.encode()]) for type_, value in attributes.items()]))

    def modify(self, connection, key, name, counter, box):
        counter = int(counter) + 1
        self.attempt(key, f"{name}|{counter}|{box}", lambda: connection.modify_s(
            f"uid={name},{self.box_dn(box)}",
            [(ldap.MOD_REPLACE, type_, [value.encode()]) for type_, value in entry_values(key, counter).items()]))

    def rename(self, connection, key, name, counter, box):
        new = f"{key[2:]}-r{self.random.randrange(10**9)}"
        self.attempt(key, f"{new}|{counter}|{box}",
                     lambda: connection.rename_s(f"uid={name},{self.box_dn(box)}", f"uid={new}", delold=1))

    def move(self, connection, key, name, counter, box):
        other = box[:-1] + ("b" if box.endswith("a") else "a")
        self.attempt(key, f"{name}|{counter}|{other}", lambda: connection.rename_s(
            f"uid={name},{self.box_dn(box)}", f"uid={name}", self.box_dn(other), delold=1))

    def delete(self, connection, key, name, _counter, box):
        self.attempt(key, None, lambda: connection.delete_s(f"uid={name},{self.box_dn(box)}"))

    def rename_box(self, connection):
        box = self.some_box()
        new = f"{box}-r{self.random.randrange(10**9)}"
        self.attempt("b:" + box, new, lambda: connection.rename_s(self.box_dn(box), f"ou={new}", delold=1))

    def swing(self, connection):
        key = f"s:{self.ledger.owner}"
        now = members_of(self.ledger.states[key])
        few, many = SWING
        self.change_members(connection, key, swing_dn(self.ledger.owner), now,
                            self.random.randrange(few, many) if self.random.random() < 0.3 else len(now), 20)

    def large(self, connection):
        key = f"l:{self.ledger.owner}"
        now = members_of(self.ledger.states[key])
        self.change_members(connection, key, LARGE, now, self.random.randrange(OWN_MEMBERS_MAX), 3)

    def change_members(self, connection, key, dn, now, size, churn):
        """One modify that deletes some members and adds others, for there to be about `size`."""
        gone = set(self.random.sample(sorted(now), min(len(now), max(len(now) - size, 0) + self.random.randrange(churn))))
        free = [number for number in range(SWING[1]) if number not in now]
        come = set(self.random.sample(free, min(len(free), max(size - len(now), 0) + len(gone) + 1)))
        changes = [(operation, "member", [member(self.ledger.owner, number).encode() for number in sorted(numbers)])
                   for operation, numbers in ((ldap.MOD_DELETE, gone), (ldap.MOD_ADD, come)) if numbers]
        if not changes:
            return
        self.attempt(key, members_state((now - gone) | come), lambda: connection.modify_s(dn, changes))


def work_until(server, ledgers, seed, seconds, end, failures=()):
    """The writers of all ledgers at work, until `end()` at a random moment. -> faults

    The moment is one after WRITES_MIN answers: a server that was ended before it had promised anything shows nothing.
    """
    stopping, acknowledged = threading.Event(), threading.Semaphore(0)
    writers = [Writer(ledger, server.uri, f"{seed}/{ledger.owner}", stopping, failures, acknowledged=acknowledged)
               for ledger in ledgers]
    for writer in writers:
        writer.start()
    deadline = time.monotonic() + WORK_SECONDS_MAX
    at_work = all(acknowledged.acquire(timeout=max(0, deadline - time.monotonic())) for _ in range(WRITES_MIN))
    # The end comes at a random moment of the load, which is the point; nothing is waited for here.
    if at_work:
        threading.Event().wait(random.Random(seed).uniform(0, 1) * seconds)
    ended = server.process.poll()
    stopping.set()
    end()
    for writer in writers:
        writer.join()
    faults = [f"writer {writer.ledger.owner}: {writer.error!r}" for writer in writers if writer.error is not None]
    if not at_work:
        faults.insert(0, f"fewer than {WRITES_MIN} writes were answered in {WORK_SECONDS_MAX} s: nothing was shown")
    return faults if ended is None else [f"the server ended by itself with {ended}: {server.errors()}", *faults]


def prepare(uri, ledgers, position=lambda: 0):
    """Makes what the writers start from, in an empty server. All of it counts as acknowledged work."""
    connection = connect(uri)

    def add(changes, dn, **attributes):
        for ledger, key, state in changes:
            ledger.issue(key, state, position())
        connection.add_s(dn, [(type_, [value.encode() for value in (values if isinstance(values, list) else [values])])
                              for type_, values in attributes.items()])
        for ledger, _key, _state in changes:
            ledger.acknowledge(position())

    add([], SUFFIX, objectClass="domain", dc="example")
    add([], TREE, objectClass="organizationalUnit", ou="crash")
    add([(ledger, f"l:{ledger.owner}", "") for ledger in ledgers], LARGE, objectClass="groupOfNames", cn="large",
        member=[member("base", number) for number in range(BASE_MEMBERS)])
    for ledger in ledgers:
        for box in (ledger.owner + "a", ledger.owner + "b"):
            add([(ledger, "b:" + box, box)], f"ou={box},{TREE}", objectClass="organizationalUnit", ou=box, description=box)
        add([(ledger, f"s:{ledger.owner}", members_state(range(SWING[0])))], swing_dn(ledger.owner),
            objectClass="groupOfNames", cn=f"swing-{ledger.owner}",
            member=[ADMIN_DN] + [member(ledger.owner, number) for number in range(SWING[0])])
        ledger.checkpoint()
    connection.unbind_s()


def sort_members(values):
    """-> {owner: the numbers of its members}, the other values."""
    owners, others = {}, set()
    for value in values:
        text = value.decode()
        owner, dash, number = text[3:].split(",")[0].partition("-")
        if dash and text == member(owner, number):
            owners.setdefault(owner, set()).add(int(number))
        else:
            others.add(text)
    return owners, others


def read_states(uri):
    """-> ({key: state}, faults): what the server has now."""
    connection = connect(uri)
    states, faults, boxes = {}, [], {}
    attributes = ["ou", "uid", "description", "title", "mail", "telephoneNumber", "employeeNumber"]
    found = connection.search_s(TREE, ldap.SCOPE_SUBTREE, "(objectClass=*)", attributes)
    for dn, values in found:
        if dn.count(",") == TREE.count(",") + 1:
            box = values["description"][0].decode()
            boxes[dn] = box
            states["b:" + box] = values["ou"][0].decode()
            if dn != f"ou={values['ou'][0].decode()},{TREE}" or len(values["ou"]) != 1:
                faults.append(f"{dn}: ou values {values['ou']} do not fit the name")
    for dn, values in found:
        if dn.count(",") != TREE.count(",") + 2:
            continue
        key, name = "e:" + values["employeeNumber"][0].decode(), values["uid"][0].decode()
        counter, box = int(values["description"][0]), boxes.get(dn.split(",", 1)[1])
        if key in states:
            faults.append(f"{dn}: second entry with key {key}")
        states[key] = f"{name}|{counter}|{box}"
        if not dn.startswith(f"uid={name},") or len(values["uid"]) != 1:
            faults.append(f"{dn}: uid values {values['uid']} do not fit the name")
        for type_, value in entry_values(key, counter).items():
            if values.get(type_) != [value.encode()]:
                faults.append(f"{dn}: half changed: {type_} is {values.get(type_)}, its counter is {counter}")
    read_groups(connection, states, faults)
    connection.unbind_s()
    return states, faults


def read_groups(connection, states, faults):
    for dn, values in connection.search_s(SUFFIX, ldap.SCOPE_ONELEVEL, "(objectClass=groupOfNames)", ["member"]):
        owners, others = sort_members(values["member"])
        if dn == LARGE:
            if owners.pop("base", set()) != set(range(BASE_MEMBERS)) or others:
                faults.append(f"{dn}: the members that nobody changes have changed")
            for number in range(WRITERS):
                states[f"l:w{number}"] = members_state(owners.pop(f"w{number}", set()))
        else:
            owner = dn.split(",")[0].removeprefix("cn=swing-")
            states[f"s:{owner}"] = members_state(owners.pop(owner, set()))
            if others != {ADMIN_DN}:
                faults.append(f"{dn}: members {sorted(others)} besides its writer's own")
        if owners:
            faults.append(f"{dn}: members of {sorted(owners)}")


def settle(ledgers, states):
    """Decides what was in flight by what is there, then compares everything. -> faults"""
    expected, faults = {}, []
    for ledger in ledgers:
        if ledger.doubt is not None:
            ledger.resolve(states.get(ledger.doubt[0]))
        expected.update(ledger.states)
    for key in sorted(set(expected) | set(states)):
        if expected.get(key) != states.get(key):
            faults.append(f"{key}: acknowledged {expected.get(key)!r}, found {states.get(key)!r}")
    return faults
