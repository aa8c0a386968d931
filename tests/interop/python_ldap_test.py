#!/usr/bin/env python3
"""python-ldap (libldap) against the server named by the environment."""
import os
import unittest

import ldap
import ldap.modlist
from ldap.controls import SimplePagedResultsControl

URI, ADMIN, PASSWORD, SUFFIX = (os.environ[k] for k in ("KAURI_URI", "KAURI_ADMIN_DN", "KAURI_ADMIN_PASSWORD",
                                                        "KAURI_BASE"))
BASE = f"ou=python-ldap,{SUFFIX}"


def connect(dn=ADMIN, password=PASSWORD):
    connection = ldap.initialize(URI)
    connection.set_option(ldap.OPT_TIMEOUT, 10)
    connection.simple_bind_s(dn, password)
    return connection


def person(name):
    return ldap.modlist.addModlist({"objectClass": [b"inetOrgPerson"], "uid": [name.encode()], "cn": [b"Person"],
                                    "sn": [b"Python"], "userPassword": [b"secret-" + name.encode()]})


class PythonLdap(unittest.TestCase):
    def setUp(self):
        self.connection = connect()
        try:
            self.connection.add_s(SUFFIX, ldap.modlist.addModlist({"objectClass": [b"domain"], "dc": [b"example"]}))
        except ldap.ALREADY_EXISTS:
            pass
        self.connection.add_s(BASE, ldap.modlist.addModlist({"objectClass": [b"organizationalUnit"],
                                                             "ou": [b"python-ldap"]}))
        for i in range(20):
            self.connection.add_s(f"uid=p{i},{BASE}", person(f"p{i}"))

    def tearDown(self):
        for dn, _ in sorted(self.connection.search_s(BASE, ldap.SCOPE_SUBTREE, attrlist=["1.1"]),
                            key=lambda entry: -len(ldap.dn.str2dn(entry[0]))):
            self.connection.delete_s(dn)
        self.connection.unbind_s()

    def test_bind_of_a_user_with_a_hashed_password(self):
        user = connect(f"uid=p1,{BASE}", "secret-p1")
        self.assertEqual(user.whoami_s().lower(), f"dn:uid=p1,{BASE}".lower())
        with self.assertRaises(ldap.INVALID_CREDENTIALS):
            connect(f"uid=p1,{BASE}", "secret-p2")
        stored = self.connection.search_s(f"uid=p1,{BASE}", ldap.SCOPE_BASE, attrlist=["userPassword"])[0][1]
        self.assertTrue(stored["userPassword"][0].startswith(b"{"), stored)

    def test_paged_search(self):
        control = SimplePagedResultsControl(True, size=6, cookie="")
        pages, found = 0, set()
        while True:
            message = self.connection.search_ext(BASE, ldap.SCOPE_ONELEVEL, "(sn=python)", ["uid"],
                                                 serverctrls=[control])
            _, data, _, controls = self.connection.result3(message)
            pages += 1
            found |= {dn for dn, _ in data}
            control.cookie = next(c.cookie for c in controls if c.controlType == control.controlType)
            if not control.cookie:
                break
        self.assertEqual((pages, len(found)), (4, 20))

    def test_modify_kinds(self):
        dn = f"uid=p2,{BASE}"
        self.connection.modify_s(dn, [(ldap.MOD_ADD, "description", [b"one", b"two"]),
                                      (ldap.MOD_REPLACE, "sn", [b"Changed"])])
        self.connection.modify_s(dn, [(ldap.MOD_DELETE, "description", [b"ONE"])])
        entry = self.connection.search_s(dn, ldap.SCOPE_BASE)[0][1]
        self.assertEqual((entry["description"], entry["sn"]), ([b"two"], [b"Changed"]))
        with self.assertRaises(ldap.NO_SUCH_ATTRIBUTE):
            self.connection.modify_s(dn, [(ldap.MOD_DELETE, "description", [b"absent"])])
        with self.assertRaises(ldap.OBJECT_CLASS_VIOLATION):
            self.connection.modify_s(dn, [(ldap.MOD_DELETE, "sn", None)])

    def test_rename_and_move(self):
        self.connection.add_s(f"ou=sub,{BASE}", ldap.modlist.addModlist({"objectClass": [b"organizationalUnit"],
                                                                         "ou": [b"sub"]}))
        self.connection.rename_s(f"uid=p3,{BASE}", "uid=moved", f"ou=sub,{BASE}", delold=1)
        entry = self.connection.search_s(f"uid=moved,ou=sub,{BASE}", ldap.SCOPE_BASE)[0][1]
        self.assertEqual(entry["uid"], [b"moved"])
        self.connection.rename_s(f"ou=sub,{BASE}", "ou=renamed", delold=0)
        self.assertEqual(len(self.connection.search_s(f"ou=renamed,{BASE}", ldap.SCOPE_SUBTREE)), 2)

    def test_delete_codes(self):
        with self.assertRaises(ldap.NOT_ALLOWED_ON_NONLEAF):
            self.connection.delete_s(BASE)
        with self.assertRaises(ldap.NO_SUCH_OBJECT) as caught:
            self.connection.delete_s(f"uid=gone,{BASE}")
        self.assertEqual(caught.exception.args[0]["matched"].lower(), BASE.lower())

    def test_compare_and_password_modify(self):
        self.assertTrue(self.connection.compare_s(f"uid=p4,{BASE}", "cn", b"PERSON"))
        self.assertFalse(self.connection.compare_s(f"uid=p4,{BASE}", "cn", b"other"))
        self.connection.passwd_s(f"uid=p4,{BASE}", None, "new-secret")
        connect(f"uid=p4,{BASE}", "new-secret").unbind_s()

    def test_async_overlap_and_abandon(self):
        messages = [self.connection.search(BASE, ldap.SCOPE_SUBTREE, f"(uid=p{i})") for i in range(10)]
        self.connection.abandon(messages[9])
        for i, message in enumerate(messages[:9]):
            _, data = self.connection.result(message, timeout=10)
            self.assertEqual(data[0][1]["uid"], [f"p{i}".encode()])

    def test_subschema_is_readable(self):
        import ldap.schema
        dn, schema = ldap.schema.urlfetch(f"{URI}/")
        self.assertIsNotNone(dn)
        self.assertIsNotNone(schema.get_obj(ldap.schema.ObjectClass, "inetOrgPerson"))
        self.assertIsNotNone(schema.get_obj(ldap.schema.AttributeType, "entryUUID"))


if __name__ == "__main__":
    unittest.main()
