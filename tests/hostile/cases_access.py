"""What the caller may not see stays unseen, on every path; and what is logged stays one line."""
import json
import statistics
import time

import wire
from wire import ADD, BASE, DELETE, REPLACE, SUB
from world import HIDDEN, P, S, U, check, expect, person, registry

CASES, case = registry()


def same(first, second, name):
    """The same answer to two names, but for the name itself: a text may quote what was asked."""
    parts = [(reply.code, reply.text.replace("uid=h", "uid=?").replace("uid=n", "uid=?"), reply.matched,
              sorted(reply.entries), reply.closed) for reply in (first, second)]
    check(parts[0] == parts[1], f"{name}: {parts[0]} and {parts[1]}")


@case("T20 H01 names with an empty password")
def _(world):
    with world.as_admin() as connection:
        expect(connection.ask(wire.bind(U, "")), 53)
        check(expect(connection.ask(wire.extended(wire.WHO_AM_I)), 0).value in (None, b""), "still somebody")
        expect(connection.ask(wire.bind(world.admin[0], "")), 53)
        expect(connection.ask(wire.bind("", "secret")), 49, 0, 53)
        check(expect(connection.ask(wire.extended(wire.WHO_AM_I)), 0).value in (None, b""), "somebody")
        expect(connection.ask(wire.modify(U, (REPLACE, "description", "x"))), 50, 8)


@case("T21 K01 hidden attributes in filters are Undefined in either polarity")
def _(world):
    hidden = ["(homePhone=555)", "(homePhone=5*)", "(homePhone=*)", "(homePhone>=1)", "(homePhone<=9)", "(homePhone~=555)",
              "(homePhone:2.5.13.20:=555)", "(userPassword=*)", "(userPassword=pw-a)",
              "(userPassword={*)"]
    with world.as_user() as user, world.connect() as anyone:
        for matching in hidden:
            for text in (matching, f"(!{matching})", f"(!(!{matching}))", f"(&(uid=a){matching})", f"(&(uid=a)(!{matching}))"):
                for client in (user, anyone):
                    reply = expect(client.ask(wire.search(P, SUB, text, ["1.1"])), 0)
                    check(not reply.entries, f"{text}: {reply!r}")
        for client in (user, anyone):  # without a type: hidden values are as if absent
            check(expect(client.ask(wire.search(P, SUB, "(:2.5.13.20:=555)", ["1.1"])), 0).names() == "", "no type")
            check(client.ask(wire.search(P, SUB, "(&(uid=a)(!(:2.5.13.20:=555)))", ["1.1"])).names() in ("", "a"), "no type")


@case("T21 hidden subtypes and options stay hidden behind their supertype")
def _(world):
    rows = ["(name=HID)", "(name=H*)", "(name:2.5.13.2:=HID)", "(2.5.4.41=hid)", "(homePhone;lang-en=777)", "(homePhone=777)",
            "(homePhone;lang-en=*)", "(initials=*)", "(&(uid=a)(!(name=nobody at all)))"]
    with world.as_user() as user, world.connect() as anyone:
        for client in (user, anyone):
            for matching in rows[:-1]:
                for text in (matching, f"(&(uid=a){matching})"):
                    reply = expect(client.ask(wire.search(P, SUB, text, ["1.1"])), 0)
                    check(not reply.entries, f"{text}: {reply!r}")
            for names in (("name",), ("*",), (), ("initials",), ("homePhone",), ("homePhone;lang-en",), ("@inetOrgPerson",),
                          ("2.5.4.41",)):
                entry = expect(client.ask(wire.search(U, BASE, attributes=names)), 0).entries[U]
                shown = [name for name in entry if name.lower().startswith(("initials", "homephone"))]
                check(not shown, f"{names}: {shown}")
            expect(client.ask(wire.compare(U, "name", "HID")), 5, 16, 50)
            same(client.ask(wire.compare(U, "initials", "HID")), client.ask(wire.compare(U, "initials", "x")), "compare")
            same(client.ask(wire.compare(U, "name", "HID")), client.ask(wire.compare(U, "name", "x")), "compare name")


@case("T24 K06 counts and writes around hidden entries", changes=True)
def _(world):
    with world.as_admin() as admin:
        manage = wire.controls((wire.MANAGE_DSA_IT, True, None))
        expect(admin.ask(wire.add(f"ou=ref,{HIDDEN}", {"objectClass": ["referral", "extensibleObject"], "ou": ["ref"],
                                                        "ref": ["ldap://hidden.example/"]}), manage), 0, 68)
    with world.as_user() as user:
        reply = expect(user.ask(wire.search(S, SUB, "(uid=a)", ["1.1"])), 0)
        check(not reply.references, f"a hidden referral is shown: {reply.references}")
        reply = expect(user.ask(wire.search(f"ou=ref,{HIDDEN}", BASE)), 32)
        check(not reply.referrals and "hidden.example" not in reply.text, f"{reply!r} {reply.referrals}")
        for text in ("(entryDN=*)", f"(entryDN=uid=h,{HIDDEN})", "(&(objectClass=*)(!(uid=a)))", "(hasSubordinates=*)",
                     "(structuralObjectClass=*)", "(entryUUID=*)"):
            reply = expect(user.ask(wire.search(S, SUB, text, ["1.1"], size=100)), 0, 4)
            check(not [dn for dn in reply.entries if dn.lower().endswith(HIDDEN)], f"{text}: {reply!r}")
        paged = user.ask(wire.search(S, SUB, "(ou=*)", ["1.1"]), wire.controls(wire.paged(1000)))
        check(not [dn for dn in paged.entries if dn.lower().endswith(HIDDEN)], "paged")


@case("T22 K03 compare of what may not be read")
def _(world):
    with world.as_user() as user:
        right = user.ask(wire.compare(U, "homePhone", "555"))
        same(right, user.ask(wire.compare(U, "homePhone", "556")), "value")
        expect(right, 16, 50)
        same(user.ask(wire.compare(f"uid=h,{HIDDEN}", "uid", "h")), user.ask(wire.compare(f"uid=n,{HIDDEN}", "uid", "h")),
             "entry")
        expect(user.ask(wire.compare(f"uid=h,{HIDDEN}", "uid", "h")), 32)
        expect(user.ask(wire.compare(U, "userPassword", "pw-a")), 16, 50)


@case("T23 T29 K06 hidden entries look like missing ones")
def _(world):
    there, missing = f"uid=h,{HIDDEN}", f"uid=n,{HIDDEN}"
    below_there, below_missing = f"cn=x,{there}", f"cn=x,{missing}"
    rows = {
        "search": lambda dn: wire.search(dn, BASE),
        "search below": lambda dn: wire.search(f"cn=x,{dn}", SUB),
        "compare": lambda dn: wire.compare(dn, "uid", "h"),
        "delete": wire.delete,
        "modify": lambda dn: wire.modify(dn, (ADD, "description", "x")),
        "modify nosuch": lambda dn: wire.modify(dn, (DELETE, "nosuch")),
        "rename": lambda dn: wire.rename(dn, "uid=z"),
        "move": lambda dn: wire.rename(U, "uid=z", True, dn),
        "add": lambda dn: wire.add(dn, person("q")),
        "add below": lambda dn: wire.add(f"cn=x,{dn}", person("q", cn="x")),
        "delete below": lambda dn: wire.delete(f"cn=x,{dn}"),
        "bind": lambda dn: wire.bind(dn, "pw-h"),
        "bind wrong": lambda dn: wire.bind(dn, "wrong"),
    }
    for name, make in rows.items():
        for who in (world.as_user, world.connect):
            with who() as first, who() as second:
                one, other = first.ask(make(there)), second.ask(make(missing))
                same(one, other, name)
                check(HIDDEN not in one.matched.lower(), f"{name}: matched {one.matched!r}")
    with world.as_user() as user:
        reply = expect(user.ask(wire.search(below_there, BASE)), 32)
        check(reply.matched.lower() == S, f"{reply!r}")
        same(reply, user.ask(wire.search(below_missing, BASE)), "below")
        reply = expect(user.ask(wire.search(S, SUB, "(|(uid=h)(ou=hidden))")), 0)
        check(not reply.entries, f"{reply!r}")


@case("T25 G04 paged cookies are good for one search of one identity")
def _(world):
    def page(client, cookie=b"", base=P, matching="(uid=*)", size=1, attributes=("uid",)):
        return client.ask(wire.search(base, SUB, matching, attributes), wire.controls(wire.paged(size, cookie)))
    with world.as_user() as user, world.as_user() as twin, world.as_admin() as admin:
        first = expect(page(user), 0)
        check(len(first.entries) == 1 and first.cookie, f"{first!r} {first.cookie!r}")
        cookie = first.cookie
        second = expect(page(user, cookie), 0)
        check(len(second.entries) == 1 and second.names() != first.names(), f"{first!r} {second!r}")
        for name, reply in {"filter": page(user, cookie, matching="(uid=b)"), "base": page(user, cookie, base=S),
                            "identity": page(admin, cookie), "garbage": page(user, b"garbage"),
                            "long": page(user, b"x" * 100000), "cut": page(user, cookie[:-1]),
                            "longer": page(user, cookie + b"\0"),
                            "changed": page(user, cookie[:-1] + bytes([cookie[-1] ^ 1]))}.items():
            check(reply.refused and not reply.entries, f"{name}: {reply!r}")
        for position in range(len(cookie)):
            changed = bytearray(cookie)
            changed[position] ^= 0x55
            reply = page(user, bytes(changed))
            check(reply.refused and not reply.entries, f"octet {position}: {reply!r}")
        reply = page(twin, cookie)  # the same identity on another connection: refused, or the right page
        check(reply.refused or reply.names() == second.names(), f"connection: {reply!r}")
        expect(user.ask(wire.bind("", "")), 0)
        reply = page(user, cookie)
        check(reply.refused and not reply.entries, f"after a bind: {reply!r}")


@case("CVE-2017-9287 G01 G02 odd page sizes")
def _(world):
    with world.as_user() as user:
        for size in (0, -1, -2**31, 2**31 - 1, 2**31, 2**63 - 1):
            reply = user.ask(wire.search(U, BASE), wire.controls(wire.paged(size)))
            check(reply.code is not None and len(reply.entries) <= 1, f"size {size}: {reply!r}")
            check(size >= 0 or reply.refused, f"size {size}: {reply!r}")
        reply = expect(user.ask(wire.search(P, SUB, "(uid=*)", size=2), wire.controls(wire.paged(3))), 4)
        check(len(reply.entries) == 2, f"{reply!r}")
        for twice in (wire.controls(wire.paged(1), wire.paged(2)), wire.controls(*[wire.paged(1)] * 10)):
            check(user.ask(wire.search(P), twice).code is not None, "the control twice")


@case("T28 I05 aliases in circles, referrals with odd URLs", changes=True)
def _(world):
    manage = wire.controls((wire.MANAGE_DSA_IT, True, None))
    with world.as_admin() as admin:
        def alias(cn, target):
            return admin.ask(wire.add(f"cn={cn},{P}", {"objectClass": ["alias", "extensibleObject"], "cn": [cn],
                                                        "aliasedObjectName": [target]}))
        expect(alias("al1", f"cn=al2,{P}"), 0)
        expect(alias("al2", f"cn=al1,{P}"), 0)
        expect(alias("al3", f"cn=al3,{P}"), 0, 33, 36, 19)
        expect(alias("al4", f"uid=none,{P}"), 0)
        expect(alias("al5", P), 0)
        expect(alias("al6", f"uid=h,{HIDDEN}"), 0)
        for number in range(40):  # a chain longer than any limit
            expect(alias(f"ch{number}", f"cn=ch{number + 1},{P}"), 0)
        for url in ("ldap:///cn=name%B", "ldap:///cn=name%", "ldap://h:99999/", "x" * 5000, "ldap://[::1", ""):
            reply = admin.ask(wire.add(f"ou=r{len(url)},{P}", {"objectClass": ["referral", "extensibleObject"],
                                                                "ou": [f"r{len(url)}"], "ref": [url]}), manage)
            expect(reply, 0, 21)
    with world.as_user() as user:
        for deref in (1, 2, 3):
            for base in ("al1", "al3", "al4", "ch0"):
                reply = user.ask(wire.search(f"cn={base},{P}", SUB, deref=deref))
                if deref == 1 and reply.code == 0:
                    continue  # the base itself is not dereferenced
                expect(reply, 33, 36, 32)
            reply = expect(user.ask(wire.search(S, SUB, "(uid=a)", ["uid"], deref=deref)), 0)
            check(reply.names() == "a", f"deref {deref}: {reply!r}")
            reply = user.ask(wire.search(f"cn=al6,{P}", BASE, deref=deref))
            check(f"uid=h,{HIDDEN}" not in reply.text + reply.matched + str(reply.entries).replace("aliasedObjectName", ""),
                  f"deref {deref} tells of the hidden entry: {reply!r}") if deref != 1 else None
        for base in (P, f"ou=r17,{P}", f"cn=x,ou=r17,{P}"):
            check(user.ask(wire.search(base, SUB)).code is not None, base)
    with world.connect() as anyone:
        for name in ("al1", "al3", "al4", "al6", "ch0"):
            expect(anyone.ask(wire.bind(f"cn={name},{P}", "pw-h")), 49)


@case("T30 stored passwords are never shown")
def _(world):
    with world.as_user() as user, world.connect() as anyone:
        for client in (user, anyone):
            for names in ((), ("*",), ("*", "+"), ("userPassword",), ("userPassword;x",), ("2.5.4.35",), ("USERPASSWORD",)):
                reply = expect(client.ask(wire.search(U, BASE, attributes=names)), 0)
                check("assword" not in str(reply.entries), f"{names}: {reply.entries}")
            reply = expect(client.ask(wire.search(S, SUB, "(objectClass=person)", ["*", "+"], size=5)), 0, 4)
            check("assword" not in str(reply.entries), "subtree")


@case("T31 a bind takes as long for a missing name as for a wrong password")
def _(world):
    def median(dn, password):
        with world.connect(timeout=60) as client:
            times = []
            for _ in range(7):
                began = world.cpu_seconds() or time.monotonic()
                expect(client.ask(wire.bind(dn, password)), 49)
                times.append((world.cpu_seconds() or time.monotonic()) - began)
            return statistics.median(times)
    wrong = median(U, "wrong")
    for name, dn in {"missing": f"uid=nosuch,{P}", "hidden": f"uid=h,{HIDDEN}", "no password": f"uid=b,{P}",
                     "outside": "uid=x,dc=nowhere"}.items():
        other = median(dn, "wrong")
        check(other > wrong * 0.4, f"{name}: {other * 1000:.1f} ms, a wrong password {wrong * 1000:.1f} ms")


@case("H05 failed binds say the same")
def _(world):
    with world.connect() as client:
        wrong = expect(client.ask(wire.bind(U, "wrong")), 49)
        for dn in (f"uid=nosuch,{P}", f"uid=b,{P}", f"uid=h,{HIDDEN}", "dc=nowhere", S):
            same(wrong, client.ask(wire.bind(dn, "wrong")), dn)
        expect(client.ask(wire.bind("not a dn", "x")), 34)
        expect(client.ask(wire.bind(U, "x" * 100000)), 49)
        expect(client.ask(wire.bind(U, b"\xff\x00" * 10)), 49)
        for version in (0, 1, 2, 4, 127, 2**31 - 1):
            expect(client.ask(wire.bind(U, "pw-a", version)), 2)


@case("H23 odd stored hashes never let anybody in", changes=True)
def _(world):
    stored = ["{SMD5}AAAA", "{SSHA}", "*", "{NOSUCH}x", "{SSHA}!!!!", "{CRYPT}", "{CRYPT}*", "{CRYPT}x", "{CRYPT}$6$",
              "{CRYPT}$6$rounds=999999999$x$y", "{PBKDF2-SHA256}2147483647$AAAA$AAAA", "{PBKDF2-SHA256}0$AAAA$AAAA",
              "{ARGON2}$argon2id$v=19$m=4194304,t=1,p=1$AAAAAAAAAAA$AAAA", "{ARGON2}$argon2id$v=19$m=65536,t=99999,p=1$AAAA$AA",
              "{ARGON2}", "{", "{}", "{}x", "{SHA}AAAA", "{MD5}", "{SSHA512}QQ==", "{CRYPT}$y$", "{CRYPT}_", "{CRYPT}$5$rounds=-1$x$y"]
    with world.as_admin() as admin:
        for text in stored:
            reply = admin.ask(wire.modify(f"uid=b,{P}", (REPLACE, "userPassword", text)), timeout=20)
            if reply.code != 0:
                continue
            found = admin.ask(wire.search(f"uid=b,{P}", BASE, attributes=["userPassword"])).entries[f"uid=b,{P}"]
            kept = found.get("userPassword", [b""])[0] == text.encode()
            with world.connect() as client:
                began = world.cpu_seconds()
                for password in ["x", "y"] + ([text] if kept else []):
                    expect(client.ask(wire.bind(f"uid=b,{P}", password), timeout=20), 49)
                took = world.cpu_seconds() - began
                check(took < 3 * world.slack, f"{text}: {took:.1f} s of processor time")


@case("H26 password modify of another", changes=True)
def _(world):
    def change(dn, old, new):
        parts = [wire.octets(part, tag) for part, tag in ((dn, 0x80), (old, 0x81), (new, 0x82)) if part is not None]
        return wire.extended(wire.PASSWORD_MODIFY, wire.seq(*parts))
    with world.as_user() as user, world.connect() as anyone:
        expect(user.ask(change(f"uid=b,{P}", None, "stolen")), 50)
        expect(user.ask(change(f"uid=h,{HIDDEN}", None, "stolen")), 50, 32)
        expect(user.ask(change(f"uid=none,{P}", None, "stolen")), 50, 32)
        expect(user.ask(change(world.admin[0], None, "stolen")), 50, 53, 32)
        expect(anyone.ask(change(None, None, "stolen")), 50, 53, 8, 1)
        expect(anyone.ask(change(U, None, "stolen")), 50, 53, 8)
        expect(anyone.ask(change(U, "wrong", "stolen")), 50, 53, 8, 49)
        expect(user.ask(change("not a dn", None, "x")), 34, 53, 50, 32, 2)
        expect(user.ask(wire.extended(wire.PASSWORD_MODIFY, b"\x30\x84\xff\xff\xff\xff")), 2)
        expect(user.ask(wire.extended(wire.PASSWORD_MODIFY, b"")), 2)
        expect(user.ask(change(None, "wrong", "x")), 49, 53, 19, 50)
        expect(user.ask(change(None, "pw-a", "n" * 100000)), 19, 53, 21)
        expect(user.ask(wire.search(U, BASE)), 0)


@case("T32 J15 one operation is one line of the access log, whatever is in it")
def _(world):
    if not world.own:
        return
    def lines():
        with open(world.log, "rb") as file:
            return file.read().split(b"\n")
    world.settle(lambda: b"\n" in open(world.log, "rb").read(), 10, "no access log")
    with world.connect() as client:
        client.ask(wire.search(b"uid=log-marker\x1b[2J\r\n{\"op\":\"forged\"}\xff\x00\x7f\xc2\x85,dc=nowhere", BASE))
        client.ask(wire.bind("cn=log-marker\r\nforged", "secret-of-mine"))
        client.ask(wire.search(P, SUB, wire.equal("cn\nforged", "log-marker\nforged" + "\n" * 60000)))
        client.ask(wire.search(P, SUB, wire.equal("cn", b"log-marker" + b"\xff\n\x1b\"\\" * 30000)))
        client.ask(wire.extended("1.2.3\nforged-oid"))
        client.ask(wire.search(P, SUB, attributes=["log-marker\nforged"] * 900))
    world.settle(lambda: any(b"forged-oid" in line for line in lines()), 10, "the last request is not logged")
    for line in lines():
        if not line:
            continue
        check(all(octet >= 0x20 and octet != 0x7F for octet in line), f"control characters: {line[:200]!r}")
        check(len(line) < 65536, f"a line of {len(line)} octets")
        record = json.loads(line)
        check(isinstance(record, dict) and record.get("op") != "forged", f"{line[:200]!r}")
        check(b"secret-of-mine" not in line and b"pw-a" not in line, "a password in the log")
