"""Two servers, one stream: asks both, compares, explains, and keeps their trees alike where a difference was right."""
import allowed
import answers
import faults
import filters
import names
import operations
import wire
from answers import Difference
from client import CLOSED, Session
from world import ADMIN_TEXT, CLEAR, PASSWORDS, SESSIONS, SUFFIX_TEXT, World, first_entries

_TREE = operations.search("admin", SUFFIX_TEXT.encode(), 2, ("present", "objectClass"), ("*", "+"),
                          controls=operations.MANAGE)
_BATCH = 32
_RESTARTS_MAX = 50


class Side:
    """One server and the sessions at it."""

    def __init__(self, name, address, passwords):
        self.name, self.address, self.passwords = name, address, passwords
        self.sessions = {}

    def open(self):
        for name in (*SESSIONS, "roving"):
            self.sessions[name] = self.connect(name)

    def connect(self, name):
        session = Session(self.address)
        if SESSIONS.get(name):
            self._make_able(SESSIONS[name])
        if name in self.passwords:
            answer = session.ask(wire.bind(*self.passwords[name]))
            assert answer.code == 0, f"{self.name}: bind of {name}: {answer}"
        return session

    def _make_able(self, dn):
        """The stream may have renamed the entry that logs in, or changed its password."""
        admin = self.sessions["admin"]
        for one, attributes in first_entries():
            admin.ask(wire.add(names.plain(one), attributes), operations.MANAGE)
        admin.ask(wire.modify(names.plain(dn), (wire.REPLACE, "userPassword", PASSWORDS[dn])), operations.MANAGE)

    def close(self):
        for session in self.sessions.values():
            session.close()


def passwords():
    found = {name: (names.plain(dn), CLEAR[dn]) for name, dn in SESSIONS.items() if dn}
    found["admin"] = (ADMIN_TEXT, "admin-secret")
    return found


class Gone(Exception):
    """A server takes no connections any more."""


class Failure:
    def __init__(self, number, difference, context):
        self.number, self.difference, self.context = number, difference, context


class Duel:
    def __init__(self, kauri, slapd, slapd_gone, restart_slapd):
        """kauri, slapd: addresses. slapd ends now and then by an assertion of its own: slapd_gone() tells, and
        restart_slapd() brings it back with its data."""
        self.kauri, self.slapd = Side("kauri", kauri, {}), Side("slapd", slapd, {})
        self.world, self.reader, self.planter = World(), answers.Reader(), None
        self.slapd_gone, self.restart_slapd = slapd_gone, restart_slapd
        self.number, self.last, self.batch, self.failures = 0, None, [], []
        self.figures = dict.fromkeys(("operations", "searches", "entries", "trees", "allowed", "healed", "asked",
                                      "restarts"), 0)
        self.codes = {}

    def close(self):
        self.kauri.close()
        self.slapd.close()

    # --- asking ---

    def both(self, operation):
        """One operation, at the same time at both. -> (Kauri's answer, slapd's)"""
        ours, theirs = (side.sessions[operation.session] for side in (self.kauri, self.slapd))
        at_kauri = ours.send([(operation.body, operation.controls)])
        at_slapd = theirs.send([(operation.other, operation.controls)])
        kauri, slapd = ours.receive(at_kauri)[0], theirs.receive(at_slapd)[0]
        if slapd.code == CLOSED and operation.kind == "search" and self.slapd_gone():
            self._reopen(operation)
            return self.both(operation)
        return kauri, slapd

    def step(self, operation):
        self.number += 1
        self.last = operation
        if operation.kind in operations.READS:
            self.batch.append((self.number, operation))
            if len(self.batch) >= _BATCH:
                self.flush()
            return
        self.flush()
        kauri, slapd = self.both(operation)
        found = self._judge(self.number, operation, kauri, slapd)
        if operation.kind in ("add", "modify", "delete", "rename"):
            self._follow(operation, kauri, slapd, found)

    def flush(self):
        """Sends the reads that wait, all at once, and compares their answers."""
        batch, self.batch = self.batch, []
        waiting = []
        for session in {operation.session for _, operation in batch}:
            own = [(number, operation) for number, operation in batch if operation.session == session]
            ours, theirs = self.kauri.sessions[session], self.slapd.sessions[session]
            waiting.append((own, ours, ours.send([(one.body, one.controls) for _, one in own]),
                            theirs, theirs.send([(one.other, one.controls) for _, one in own])))
        received = []
        for own, ours, our_ids, theirs, their_ids in waiting:
            received += zip(own, ours.receive(our_ids), theirs.receive(their_ids))
        lost = [one for one in received if one[2].code == CLOSED]
        if lost and self.slapd_gone():
            self._reopen(lost[0][0][1])
            received = [one for one in received if one[2].code != CLOSED]
        for (number, operation), kauri, slapd in sorted(received, key=lambda one: one[0][0]):
            self._judge(number, operation, kauri, slapd)
        if lost:
            self.compare_trees(heal_only=True)

    # --- judging ---

    def _judge(self, number, operation, kauri, slapd):
        """-> the differences"""
        self.figures["operations"] += 1
        key = (operation.kind, slapd.code)
        self.codes[key] = self.codes.get(key, 0) + 1
        if slapd.code == CLOSED and self.slapd_gone():
            self._reopen(operation)
            self.compare_trees(heal_only=True)
            return []
        found = list(self._differences(operation, kauri, slapd))
        # What differs already may hide a fault; such an answer is not spoilt.
        planted = (self.planter.spoil(kauri, self._possible(operation, kauri))
                   if self.planter and not found else None)
        if planted:
            found = list(self._differences(operation, kauri, slapd))
        failed = [one for one in found if not allowed.find(one, self.world)]
        self.figures["allowed"] += len(found) - len(failed)
        if planted:
            self.planter.judge(f"{planted}, {kauri.code} instead of {slapd.code}", operation, failed)
        else:
            self.failures += [Failure(number, one, self._context(operation)) for one in failed]
        if CLOSED in (kauri.code, slapd.code):
            self._reopen(operation)
        return found

    def _possible(self, operation, kauri):
        """Codes that the request could be answered with as well as with the one it has."""
        if kauri.code == 0:
            return set() if operation.session == "admin" else {32}
        lenient = {0} if operation.controls == operations.PERMISSIVE else set()
        known = set() if operation.kind == "whoami" else faults.of_request(self.world, operation)
        return known | set(faults.CONTENT.get(operation.kind, ())) | lenient

    def _differences(self, operation, kauri, slapd):
        if operation.kind == "search" and operation.parts["size"] and {kauri.code, slapd.code} <= {0, 4}:
            yield from self._limited(operation, kauri, slapd)
            return
        yield from answers.compare_results(operation, kauri, slapd)
        if operation.kind != "search":
            return
        self.figures["searches"] += 1
        ours, theirs = answers.references_of(kauri), answers.references_of(slapd)
        if ours != theirs and kauri.code == slapd.code == 0:
            yield Difference("references", operation, kauri, slapd, f"{ours}, slapd {theirs}", ours=ours, theirs=theirs)
        try:
            ours, theirs = self.reader.entries(kauri), self.reader.entries(slapd)
        except answers.Twice as error:
            side = "kauri" if self._twice(kauri) else "slapd"
            yield Difference("twice", operation, kauri, slapd, str(error), side=side)
            ours, theirs = self.reader.entries(kauri, True), self.reader.entries(slapd, True)
        except answers.Unreadable as error:
            yield Difference("unreadable", operation, kauri, slapd, str(error))
            return
        self.figures["entries"] += len(ours)
        if kauri.code == slapd.code and ours.keys() != theirs.keys():
            yield from self._explain(operation, kauri, slapd, ours, theirs)
        yield from answers.compare_entries(operation, kauri, slapd, ours, theirs)

    def _twice(self, answer):
        return len(self.reader.entries(answer, True)) != len(answer.entries)

    def _limited(self, operation, kauri, slapd):
        """With a size limit any of the entries may come: each server must keep the limit by its own whole answer, and
        the whole answers are compared."""
        parts = operation.parts
        if kauri.matched != slapd.matched:
            yield Difference("matched", operation, kauri, slapd,
                             f"matchedDN {kauri.matched!r}, slapd {slapd.matched!r}")
        whole = operations.search(operation.session, parts["base"], parts["scope"], parts["filter"],
                                  parts["attributes"], 0, parts["types_only"], parts["deref"], operation.controls)
        answers_whole = self.both(whole)
        for name, answer, full in zip(("kauri", "slapd"), (kauri, slapd), answers_whole):
            got, known = self.reader.entries(answer, True), self.reader.entries(full, True)
            size = min(parts["size"], len(known))
            if (len(answer.entries) != size or (answer.code == 4) != (len(known) > size)
                    or any(dn not in known or entry.attributes != known[dn].attributes for dn, entry in got.items())):
                yield Difference("limit", operation, kauri, slapd,
                                 f"{name} has {len(got)} of {len(known)} entries with code {answer.code}", side=name)
        yield from self._differences(whole, *answers_whole)

    def _explain(self, operation, kauri, slapd, ours, theirs):
        """Which leaf of the filter the servers see differently; each server's answer must be what its own view of the
        leaves makes of the filter."""
        parts = operation.parts

        def asked(tree):
            """-> (who it is True for at Kauri, at slapd)"""
            self.figures["asked"] += 1
            one = operations.search(operation.session, parts["base"], parts["scope"], tree, ("1.1",),
                                    deref=parts["deref"], controls=operation.controls)
            return tuple(frozenset(self.reader.entries(answer, True)) for answer in self.both(one))

        everything = asked(("&", []))
        if everything[0] != everything[1]:
            yield Difference("scope", operation, kauri, slapd,
                             f"in scope beyond: {_listed(everything[0] - everything[1])}, at slapd beyond: "
                             f"{_listed(everything[1] - everything[0])}", ours=everything[0] - everything[1],
                             theirs=everything[1] - everything[0])
        common = everything[0] & everything[1]
        known = ({}, {})
        for leaf in dict.fromkeys(filters.leaves(parts["filter"])):
            true, false = asked(leaf), asked(("!", leaf))
            for side in (0, 1):
                known[side][leaf] = true[side], false[side]
            if common & (true[0] ^ true[1]) or common & (false[0] ^ false[1]):
                yield Difference("answers", operation, kauri, slapd,
                                 f"leaf {filters.text(leaf)}: True for {_listed(true[0] - true[1])}, slapd for "
                                 f"{_listed(true[1] - true[0])}; False for {_listed(false[0] - false[1])}, slapd for "
                                 f"{_listed(false[1] - false[0])}", leaf=leaf, true=true, false=false, common=common)
        for side, name, got in ((0, "kauri", ours), (1, "slapd", theirs)):
            expected, _ = filters.combine(parts["filter"], known[side], everything[side])
            if expected != frozenset(got):
                yield Difference("composition", operation, kauri, slapd,
                                 f"{name} returns {_listed(frozenset(got) - expected)} beyond, and not "
                                 f"{_listed(expected - frozenset(got))}, of what its leaves say", side=name)

    def _reopen(self, operation):
        """New sessions, at both, so that they stay in the same state."""
        if self.slapd_gone():
            self.figures["restarts"] += 1
            if self.figures["restarts"] > _RESTARTS_MAX:
                raise Gone(f"slapd ended {self.figures['restarts']} times, at last after {operation}")
            self.restart_slapd()
            renewed = list(self.kauri.sessions)
        else:
            renewed = [operation.session]
        for side in (self.kauri, self.slapd):
            for name in sorted(renewed, key=lambda one: one != "admin"):
                side.sessions[name].close()
                try:
                    side.sessions[name] = side.connect(name)
                except OSError as error:
                    raise Gone(f"{side.name} takes no connection after operation {self.number}, {operation}: "
                               f"{error}") from error

    # --- state ---

    def _follow(self, operation, kauri, slapd, found):
        """Keeps the names known; where the servers disagree on an update, makes their trees alike again."""
        parts = operation.parts
        nothing = operation.kind == "modify" and not parts["changes"]  # slapd notes who did it
        differ = any(one.what == "code" for one in found) and 0 in (kauri.code, slapd.code)
        if differ or (nothing and slapd.code == 0):
            self.compare_trees(heal_only=True)
        elif slapd.code == 0 and operation.kind != "modify":
            if operation.kind == "rename" and parts["new"] is not None and parts["dn"] is not None:
                self.world.renamed(parts["dn"], parts["new"])
            elif operation.kind == "add" and parts["dn"] is not None:
                self.world.added(parts["dn"])
            elif operation.kind == "delete" and parts["dn"] is not None:
                self.world.deleted(parts["dn"])
        if slapd.code == kauri.code == 0 and operation.kind != "delete" and not nothing:
            self._look(operation, parts.get("new") or parts["dn"])

    def _look(self, cause, dn):
        """Reads the entry that an update has made, so that a difference is found where it arises."""
        if dn is not None:
            look = operations.search("admin", names.plain(dn), 0, ("present", "objectClass"), ("*", "+", "ref"),
                                     controls=operations.MANAGE, dn=dn)
            look.text += f" after {cause}"
            self.batch.append((self.number, look))

    def trees(self):
        kauri, slapd = self.both(_TREE)
        if not {kauri.code, slapd.code} <= {0, 32}:
            raise Gone(f"after operation {self.number}, {self.last}, the tree cannot be read: kauri {kauri}, slapd "
                       f"{slapd}")
        return kauri, slapd, self.reader.entries(kauri), self.reader.entries(slapd)

    def compare_trees(self, heal_only=False):
        """The whole of both. heal_only: a difference is known already."""
        self.flush()
        kauri, slapd, ours, theirs = self.trees()
        self.figures["trees"] += not heal_only
        bad = ours.keys() ^ theirs.keys()
        found = [Difference("tree", _TREE, kauri, slapd, f"only in {'kauri' if dn in ours else 'slapd'}: {dn}")
                 for dn in bad]
        for one in answers.compare_entries(_TREE, kauri, slapd, ours, theirs, "tree"):
            found.append(one)
            if heal_only or not allowed.find(one, self.world):
                bad.add(one.parts["entry"].dn)
        if not heal_only:
            self.figures["entries"] += len(ours)
            failed = [one for one in found if not allowed.find(one, self.world)]
            self.figures["allowed"] += len(found) - len(failed)
            self.failures += [Failure(self.number, one, "") for one in failed]
        else:
            bad = {one for one in bad if not self._settled(found, one)}
        if bad:
            self._heal(bad, ours, theirs)
            _, _, ours, theirs = self.trees()
        self.world.refresh([(entry.text, entry.raw) for entry in theirs.values()])

    def _settled(self, found, dn):
        """Whether all that differs of the entry may stay different."""
        own = [one for one in found if one.parts.get("entry") is not None and one.parts["entry"].dn == dn]
        return bool(own) and all(allowed.find(one, self.world) for one in own)

    def _heal(self, bad, ours, theirs):
        """Deletes what differs, and what is below it, from both."""
        self.figures["healed"] += 1
        for side, entries in ((self.kauri, ours), (self.slapd, theirs)):
            doomed = {dn for dn in entries if any(dn[len(dn) - len(one):] == one for one in bad)}
            for dn in sorted(doomed, key=len, reverse=True):
                answer = side.sessions["admin"].ask(wire.delete(entries[dn].text), operations.MANAGE)
                assert answer.code in (0, 32), f"{side.name} does not delete {dn}: {answer}"

    def _context(self, operation):
        """The entry that the operation names, as both have it."""
        name = operation.parts.get("name", operation.parts.get("base"))
        if name is None:
            return ""
        one = operations.search("admin", name, 0, ("present", "objectClass"), ("*", "ref"), controls=operations.MANAGE)
        found = []
        for answer in self.both(one):
            found.append(sorted(self.reader.entry(octets).raw.items()) for octets in answer.entries[:1])
        found = [list(entry) for side in found for entry in side]
        if len(found) == 2 and found[0] == found[1]:
            return f"both have there: {dict(found[0])}"
        return "there: " + "; ".join(str(dict(entry)) for entry in found) if found else ""


def _listed(found):
    shown = [operations.shown(names.plain(dn)) for dn in sorted(found)]
    return "[" + "; ".join(shown[:4]) + (f"; and {len(shown) - 4} more" if len(shown) > 4 else "") + "]"
