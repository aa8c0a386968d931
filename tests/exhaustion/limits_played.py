"""Limits at the limit and one past it, over the wire: what is asked for, what the client sees, and that the server counts what
it refused, and nothing else. Where the limit itself cannot be asked for in a moment, only what is past it is played."""
import contextlib
import os
import random
import re
import resource
import signal
import time

from arena import KIB, MIB, Arena
import wire
from crowds import Crowd
from world import P, U, USER_PASSWORD, check, expect, person

LINE = re.compile(r"limits met since the start: (.*)")


def counters(world):
    """What the server tells of its limits when it is asked by a signal. -> {name: times}"""
    path = os.path.join(world.own.root, "kaurid.log")

    def lines():
        with open(path, encoding="utf-8", errors="replace") as file:
            return LINE.findall(file.read())
    before = len(lines())
    os.kill(world.pid, signal.SIGUSR1)
    world.settle(lambda: len(lines()) > before, 10, "the event log tells nothing of limits")
    text = lines()[-1]
    return {} if text == "none" else {name: int(times) for name, times in (part.split() for part in text.split(", "))}


# --- of one request -------------------------------------------------------------------------------------------------------


def nested(depth):
    found = wire.present("cn")
    for _ in range(depth - 1):
        found = wire.negated(found)
    return wire.search(U, wire.BASE, wire.negated(found))


def wide(nodes):
    return wire.search(U, wire.BASE, wire.either(*[wire.present("cn")] * (nodes - 1)))


def parts(count):
    return wire.search(U, wire.BASE, wire.substrings("cn", *[(1, "a")] * count))


def asking(count):
    return wire.search(U, wire.BASE, attributes=[f"a{number}" for number in range(count)])


def changing(count):
    return wire.modify(U, *[(wire.REPLACE, "description", "x")] * count)


def marks(count):
    return "a" + "\u0301" * count


def marked(count):
    return wire.search(U, wire.BASE, wire.equal("cn", marks(count)))


def name_of_size(size):
    return wire.search("cn=" + "x" * (size - 3), wire.BASE)


def described(size):
    """Options of at most 100 octets, each another."""
    name = "description"
    while len(name) < size:
        left = size - len(name) - 1
        part = left if left <= 100 else min(100, left - 12)  # so that the last one is long enough to differ
        name += ";" + f"x{len(name)}-".ljust(part, "x")[:part]
    return wire.modify(U, (wire.REPLACE, name, "a"))


def with_attributes(count):
    """A person has five attributes before those that have an option each."""
    more = {f"description;x-{number}": ["a"] for number in range(count - 4)}
    return wire.add(f"uid=wide,{P}", {"objectClass": ["inetOrgPerson"], "uid": ["wide"], "cn": ["a"], "sn": ["a"], **more})


def texts(octets):
    """Beyond ASCII, where each octet weighs ten."""
    return wire.modify(U, (wire.REPLACE, "description", "\u00e9" * (octets // 20)))


KINDS = ("cn", "sn", "o", "ou", "l", "st", "uid", "street", "title", "description", "givenName", "initials", "postalCode",
         "carLicense", "employeeNumber", "employeeType", "departmentNumber")

def with_options(count):
    return wire.modify(U, (wire.REPLACE, "description" + "".join(f";x-{number}" for number in range(count)), "a"))


def with_option_of(size):
    return wire.modify(U, (wire.REPLACE, "description;" + "x" * size, "a"))


def name_in_names_text(count):
    return "seeAlso=" * (count - 1) + "cn=a"


def name_in_names(count):
    """The outermost one is no value."""
    return wire.search(name_in_names_text(count + 1), wire.BASE)


def compared_in_names(count):
    return wire.compare(U, "seeAlso", name_in_names_text(count))


def posix(number):
    return {"objectClass": ["inetOrgPerson", "posixAccount"], "uid": ["wide"], "cn": ["a"], "sn": ["a"], "uidNumber": [number],
            "gidNumber": ["1"], "homeDirectory": ["/"]}


def with_digits(count):
    return wire.add(f"uid=wide,{P}", posix("1" * count))


# Counter, requests at the limit and one past it, the limit, result codes past it. The session is the administrator's.
REQUESTS = (
    ("filter_depth", nested, 64, (2,)),
    ("filter_nodes", wide, 4096, (11,)),
    ("substring_parts", parts, 64, (11,)),
    ("requested_attributes", asking, 1000, (11,)),
    ("changes", changing, 10_000, (11,)),
    ("combining_marks", marked, 30, (0,)),
    ("combining_marks", lambda count: wire.modify(U, (wire.REPLACE, "title", marks(count))), 30, (21,)),
    ("combining_marks", lambda count: wire.compare(U, "title", marks(count)), 30, (21,)),
    ("combining_marks", lambda count: wire.search(f"cn={marks(count)},{P}", wire.BASE), 30, (34,)),
    ("dn_size", name_of_size, 8192, (34,)),
    ("dn_size", lambda size: wire.modify(U, (wire.REPLACE, "seeAlso", "cn=" + "x" * (size - 3))), 8192, (21,)),
    ("options", with_options, 32, (17,)),
    ("options", with_option_of, 128, (17,)),
    ("nested_names", name_in_names, 4, (34,)),
    ("nested_names", compared_in_names, 4, (21,)),
    ("integer_digits", with_digits, 4096, (21,)),
    ("dn_rdns", lambda count: wire.search(",".join(["cn=x"] * count), wire.BASE), 128, (34,)),
    ("rdn_avas", lambda count: wire.search("+".join(f"{kind}=x" for kind in KINDS[:count]), wire.BASE), 16, (34,)),
    ("description_size", described, 1024, (11,)),
    ("entry_attributes", with_attributes, 1000, (11,)),
    ("assertion_octets", lambda size: wire.compare(U, "description", "x" * size), 4 * MIB, (11,)),
    ("prepared_octets", texts, 24 * MIB, (11,)),
)


def requests(world):
    played = 0
    for counter, make, most, codes in REQUESTS:
        with world.as_admin(timeout=60) as admin:
            before = counters(world).get(counter, 0)
            reply = admin.ask(make(most), timeout=60)
            check(not reply.closed and not reply.notice, f"{counter} at its limit: {reply!r}")
            check(reply.code in (0, 32, 5, 6, 20, 53), f"{counter} at its limit: {reply!r}")
            check(counters(world).get(counter, 0) == before, f"{counter} is counted at its limit")
            step = 20 if counter == "prepared_octets" else 1  # one character more
            reply = admin.ask(make(most + step), timeout=60)
            check(reply.code in codes and not reply.entries, f"{counter} past its limit: {reply!r}")
            now = counters(world).get(counter, 0)
            check(now > before, f"{counter} past its limit is not counted")
            played += 1
            admin.ask(wire.delete(f"uid=wide,{P}"))
    return f"{played} limits of one request"


def controls(world):
    def ask(connection, count):
        return connection.ask(wire.search(U, wire.BASE), wire.controls(*[(f"1.2.3.{n}", False, None) for n in range(count)]))
    with world.connect() as connection:
        before = counters(world).get("controls", 0)
        expect(ask(connection, 10), 0)
        check(counters(world).get("controls", 0) == before, "controls are counted at their limit")
        expect(ask(connection, 11), 53)
        check(counters(world).get("controls", 0) == before + 1, "controls past their limit are not counted")


def values_of_a_request(world):
    with world.as_admin(timeout=60) as admin:
        before = counters(world).get("request_values", 0)
        expect(admin.ask(wire.modify(U, (wire.ADD, "description", *[b"x"] * 500_001)), timeout=60), 11)
        check(counters(world).get("request_values", 0) == before + 1, "values of a request are not counted")


def filter_work(world):
    """Substrings of a long value, each of which has to be looked for."""
    with world.as_admin(timeout=60) as admin:
        expect(admin.ask(wire.modify(U, (wire.REPLACE, "description", "ab" * MIB)), timeout=60), 0)
        before = counters(world).get("filter_work", 0)
        matching = wire.either(*[wire.substrings("description", (1, f"{number}z")) for number in range(200)])
        expect(admin.ask(wire.search(U, wire.BASE, matching), timeout=60), 11)
        check(counters(world).get("filter_work", 0) > before, "work of a filter is not counted")
        expect(admin.ask(wire.modify(U, (wire.REPLACE, "description", "a")), timeout=60), 0)


def message_sizes(world):
    def of_size(size):
        """A search that finds the user, padded by a control that nobody knows and that is not critical."""
        read_request = wire.search(U, wire.BASE, attributes=["cn"])
        for padding in range(size - 200, size):
            found = wire.message(9, read_request, wire.controls(("1.2.3.4", False, b"x" * padding)))
            if len(found) == size:
                return found
        raise AssertionError(f"no message of {size} octets")
    for who, most in ((world.connect, 256 * KIB), (world.as_user, 16 * MIB)):
        before = counters(world).get("message_size", 0)
        with who(timeout=30) as connection:
            reply = connection.raw(of_size(most), 9, 30)
            check(reply.code == 0 and len(reply.entries) == 1, f"{most} octets: {reply!r}")
        check(counters(world).get("message_size", 0) == before, "a message is counted at its limit")
        with who(timeout=30) as connection:
            reply = connection.raw(of_size(most + 1), 9, 30)
            check((reply.notice or reply.closed) and not reply.entries, f"{most + 1} octets: {reply!r}")
            check(not reply.notice or f"{most + 1} octets, the limit of this connection is {most}" in reply.text, f"{reply!r}")
        check(counters(world).get("message_size", 0) == before + 1, "a message past its limit is not counted")


def increments(world):
    """Long numbers count as many."""
    name = f"uid=wide,{P}"
    with world.as_admin(timeout=60) as admin:
        for count, code in ((793, 0), (794, 11)):
            expect(admin.ask(wire.add(name, posix("8" * 4000))), 0)
            before = counters(world).get("increments", 0)
            reply = expect(admin.ask(wire.modify(name, *[(wire.INCREMENT, "uidNumber", "1")] * count), timeout=60), code)
            check(code == 0 or "100000" in reply.text, f"the refusal does not name the limit: {reply!r}")
            check(counters(world).get("increments", 0) == before + (code != 0), f"{count} increments are counted wrongly")
            expect(admin.ask(wire.delete(name)), 0)


def trigrams(world):
    """Few values of random text, and the many short ones that may have as many."""
    source = random.Random(1)
    words = lambda count, size: list({  # noqa: E731
        "".join(source.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=size)): None for _ in range(count)})
    name = f"uid=wide,{P}"
    entry = lambda values: {"objectClass": ["inetOrgPerson"], "uid": ["wide"], "cn": values, "sn": ["a"]}  # noqa: E731
    with world.as_admin(timeout=60) as admin:
        before = counters(world).get("new_grams", 0)
        expect(admin.ask(wire.add(name, entry(words(8000, 8))), timeout=60), 0)
        expect(admin.ask(wire.modify(name, (wire.REPLACE, "cn", *words(8000, 8))), timeout=60), 0)
        check(counters(world).get("new_grams", 0) == before, "trigrams are counted within their limit")
        reply = expect(admin.ask(wire.modify(name, (wire.REPLACE, "cn", *words(8, 4000))), timeout=60), 11)
        check("20000" in reply.text, f"the refusal does not name the limit: {reply!r}")
        expect(admin.ask(wire.delete(name), timeout=60), 0)
        expect(admin.ask(wire.add(name, entry(words(8, 4000))), timeout=60), 11)
        check(counters(world).get("new_grams", 0) == before + 2, "trigrams past their limit are not counted")


def bases_of_aliases(world):
    """Aliases below one branch to entries of another."""
    most = 256
    with world.as_admin(timeout=60) as admin:
        for branch in ("from", "to"):
            expect(admin.ask(wire.add(f"ou={branch},{P}", {"objectClass": ["organizationalUnit"], "ou": [branch]})), 0)
        for number in range(most + 1):
            if number == most:
                before = counters(world).get("alias_bases", 0)
                reply = expect(admin.ask(wire.search(f"ou=from,{P}", wire.SUB, "(uid=t*)", deref=3)), 0)
                check(len(reply.entries) == most, f"{len(reply.entries)} entries of {most} aliases")
                check(counters(world).get("alias_bases", 0) == before, "bases are counted at their limit")
            name = f"uid=t{number},ou=to,{P}"
            expect(admin.ask(wire.add(name, person(f"t{number}"))), 0)
            expect(admin.ask(wire.add(f"cn=t{number},ou=from,{P}", {
                "objectClass": ["alias", "extensibleObject"], "cn": [f"t{number}"], "aliasedObjectName": [name]})), 0)
        reply = expect(admin.ask(wire.search(f"ou=from,{P}", wire.SUB, "(uid=t*)", deref=3)), 11)
        check("256" in reply.text, f"the refusal does not name the limit: {reply!r}")
        check(counters(world).get("alias_bases", 0) == before + 1, "bases past their limit are not counted")


def alias_chains(world):
    most = 32
    with world.as_admin(timeout=30) as admin:
        name = f"uid=a,{P}"
        for number in range(most + 1):  # each refers to the one before
            alias = f"cn=al{number},{P}"
            expect(admin.ask(wire.add(alias, {"objectClass": ["top", "alias", "extensibleObject"], "cn": [f"al{number}"],
                                              "aliasedObjectName": [name]})), 0, 68)
            name = alias
        before = counters(world).get("alias_chain", 0)
        reply = admin.ask(wire.search(f"cn=al{most - 1},{P}", wire.BASE, deref=2))
        check(reply.code == 0 and len(reply.entries) == 1, f"{most} aliases one after another: {reply!r}")
        check(counters(world).get("alias_chain", 0) == before, "a chain of aliases is counted at its limit")
        reply = expect(admin.ask(wire.search(f"cn=al{most},{P}", wire.BASE, deref=2)), 36)
        check(f"more than {most} aliases" in reply.text, f"the refusal does not name the limit: {reply!r}")
        check(counters(world).get("alias_chain", 0) == before + 1, "a chain of aliases past its limit is not counted")


def passwords(world):
    most = 4 * KIB
    with world.as_admin(timeout=30) as admin:
        change = lambda size: wire.extended(  # noqa: E731
            wire.PASSWORD_MODIFY, wire.seq(wire.octets(U, 0x80), wire.octets("p" * size, 0x82)))
        before = counters(world).get("password_size", 0)
        expect(admin.ask(change(most)), 0)
        with world.connect() as connection:
            expect(connection.ask(wire.bind(U, "p" * most)), 0)
            check(counters(world).get("password_size", 0) == before, "a password is counted at its limit")
            expect(connection.ask(wire.bind(U, "p" * (most + 1))), 49)
        reply = expect(admin.ask(change(most + 1)), 19)
        check(str(most) in reply.text, f"the refusal does not name the limit: {reply!r}")
        check(counters(world).get("password_size", 0) == before + 2, "a password past its limit is not counted")
        expect(admin.ask(wire.modify(U, (wire.REPLACE, "userPassword", USER_PASSWORD))), 0)


def values_inside_the_entry(world):
    most = 200
    name = f"uid=many,{P}"
    with world.as_admin(timeout=30) as admin:
        for count in (most, most + 1):
            admin.ask(wire.delete(name))
            values = [f"value {number}".encode() for number in range(count)]
            expect(admin.ask(wire.add(name, {"objectClass": ["inetOrgPerson"], "uid": ["many"], "cn": ["x"], "sn": ["x"],
                                             "description": values})), 0)
            found = admin.ask(wire.search(name, wire.BASE, attributes=["description"])).entries[name]["description"]
            check(sorted(found) == sorted(values), f"{len(found)} of {count} values come back")
            expect(admin.ask(wire.compare(name, "description", values[-1])), 6)
            expect(admin.ask(wire.compare(name, "description", "none")), 5)
        expect(admin.ask(wire.delete(name)), 0)


def operations_in_memory(world):
    """Two changes of 9 MB at once: the second one waits for nothing, a third one would."""
    before = counters(world).get("operations_memory", 0)
    with world.as_admin(timeout=60) as admin:
        for number in range(3):
            photo = b"\xff\xd8\xff" * (3 * MIB)
            admin.send(wire.message(admin.next_id(), wire.modify(U, (wire.REPLACE, "jpegPhoto", photo + bytes([number])))))
        replies = admin.replies(range(admin.last_id - 2, admin.last_id + 1), 60)
        check(all(reply.code == 0 for reply in replies), f"{replies!r}")
        expect(admin.ask(wire.modify(U, (wire.REPLACE, "jpegPhoto"))), 0)
    check(counters(world).get("operations_memory", 0) > before, "memory of requests in flight is not counted")


DEFAULTS = (("requests", requests), ("controls", controls), ("values of a request", values_of_a_request),
            ("work of a filter", filter_work), ("message sizes", message_sizes), ("alias chains", alias_chains),
            ("increments", increments), ("trigrams", trigrams), ("bases of aliases", bases_of_aliases),
            ("passwords", passwords), ("values inside the entry", values_inside_the_entry),
            ("operations in memory", operations_in_memory))


# --- at a server with small limits ----------------------------------------------------------------------------------------

SMALL = {"search_size_max": 3, "operations_in_flight_max": 4, "connections_max": 20, "hash_queue_max": 1,
         "large_buffers_max": 0, "look_through_max": 40}
SMALL_SECONDS = 1


def counted_after(world, counter, act):
    before = counters(world).get(counter, 0)
    act()
    world.settle(lambda: counters(world).get(counter, 0) > before, 20, f"{counter} is not counted")


def sizes_of_searches(world):
    with world.as_user() as user:
        before = counters(world).get("search_size", 0)
        reply = expect(user.ask(wire.search(P, wire.SUB, "(uid=s*)", size=2)), 4)  # the client's own limit
        check(len(reply.entries) == 2 and counters(world).get("search_size", 0) == before, f"{reply!r}")
        reply = expect(user.ask(wire.search(P, wire.SUB, "(|(uid=s1)(uid=s2)(uid=s3))")), 0)
        check(len(reply.entries) == 3 and counters(world).get("search_size", 0) == before, f"{reply!r}")
        reply = expect(user.ask(wire.search(P, wire.SUB, "(uid=s*)")), 4)
        check(len(reply.entries) == 3 and counters(world).get("search_size", 0) == before + 1, f"{reply!r}")


def many_operations(world):
    def act():
        with world.as_admin(timeout=30) as admin:
            first = admin.last_id + 1
            admin.send(b"".join(wire.message(admin.next_id(), wire.modify(U, (wire.REPLACE, "description", "x")))
                                for _ in range(50)))
            check(all(reply.code == 0 for reply in admin.replies(range(first, admin.last_id + 1))), "a write is refused")
    counted_after(world, "operations_in_flight", act)


def many_connections(world):
    def act():
        with Crowd(world.address) as crowd:
            for _ in range(30):
                crowd.open()
            world.settle(lambda: counters(world).get("connections", 0) > 0, 20, "surplus connections are not counted")
            check(crowd.ended(20) == 30, "those that were let in are not ended at their deadline")
    counted_after(world, "connections", act)


def many_hashes(world):
    """Logins against slow hashes, more than may wait."""
    def act():
        with contextlib.ExitStack() as stack:
            logins = [stack.enter_context(world.connect(timeout=30)) for _ in range(12)]
            for login in logins:
                login.send(wire.message(1, wire.bind(f"uid=s1,{P}", "wrong")))
            codes = [login.reply(1).code for login in logins]
            check(51 in codes and set(codes) <= {49, 51}, f"{codes}")
    counted_after(world, "hash_queue", act)


def silent_clients(world):
    def act(octets):
        with Crowd(world.address) as crowd:
            crowd.open(octets)
            check(crowd.ended(10) == 1, "a silent client is not ended")
    counted_after(world, "first_request_seconds", lambda: act(b""))
    counted_after(world, "message_seconds", lambda: act(wire.message(1, wire.bind("", "")) + b"\x30"))


def readers_that_stand_still(world):
    ask = wire.message(1, wire.search(f"uid=large,{P}", wire.BASE))

    def one():
        with Crowd(world.address) as crowd:
            crowd.open(ask, receive_buffer=4096)
            world.settle(lambda: counters(world).get("output_stall_seconds", 0) > 0, 20, "a reader that stands still stays")
    counted_after(world, "output_queue", one)

    def two():
        with Crowd(world.address) as crowd:
            crowd.open(ask, receive_buffer=4096)
            crowd.open(ask, receive_buffer=4096)
            world.settle(lambda: counters(world).get("large_buffers", 0) > 0, 20, "both large answers are kept")
    counted_after(world, "large_buffers", two)


def looked_through(world):
    with world.as_user() as user:
        before = counters(world).get("look_through", 0)
        expect(user.ask(wire.search(P, wire.SUB, "(description=no index)")), 11)
        check(counters(world).get("look_through", 0) == before + 1, "a search that looks through too much is not counted")


def descriptors(world):
    used = world.descriptors()
    before = resource.prlimit(world.pid, resource.RLIMIT_NOFILE, (used + 2, 20_000 if used < 20_000 else used + 2))

    def act():
        with Crowd(world.address) as crowd:
            for _ in range(8):
                crowd.open()
            world.settle(lambda: counters(world).get("descriptors", 0) > 0, 10, "descriptors that end are not counted")
    try:
        counted_after(world, "descriptors", act)
    finally:
        resource.prlimit(world.pid, resource.RLIMIT_NOFILE, before)


SMALLER = (("sizes of searches", sizes_of_searches), ("operations in flight", many_operations),
           ("connections", many_connections), ("hashes that wait", many_hashes), ("silent clients", silent_clients),
           ("readers that stand still", readers_that_stand_still), ("search that looks through", looked_through),
           ("descriptors", descriptors))
NAMES = {name for name, _ in (*DEFAULTS, *SMALLER)}


def default_world(options):
    world = Arena.make(options.bin)
    world.load_little()
    return world


def small_world(options):
    world = Arena.make(options.bin, limits=SMALL, seconds=SMALL_SECONDS, password_scheme=None, workers=1)
    world.load_little()
    with world.as_admin(timeout=60) as admin:
        for number in range(50):
            expect(admin.ask(wire.add(f"uid=f{number},{P}", person(f"f{number}"))), 0)
        for number in range(1, 7):
            expect(admin.ask(wire.add(f"uid=s{number},{P}", person(f"s{number}", userPassword="right"))), 0)
        expect(admin.ask(wire.add(f"uid=large,{P}", person("large", jpegPhoto=b"\xff\xd8\xff" * (4 * MIB))), timeout=60), 0)
    return world
