#!/usr/bin/env python3
"""ldap3 (pure Python) against the server named by the environment."""
import os
import unittest

import ldap3
from ldap3.core.exceptions import LDAPInvalidCredentialsResult, LDAPNoSuchObjectResult

URI, ADMIN, PASSWORD, SUFFIX = (os.environ[k] for k in ("KAURI_URI", "KAURI_ADMIN_DN", "KAURI_ADMIN_PASSWORD",
                                                        "KAURI_BASE"))
BASE = f"ou=ldap3,{SUFFIX}"


def connect(dn=ADMIN, password=PASSWORD):
    server = ldap3.Server(URI, get_info=ldap3.ALL, connect_timeout=10)
    return ldap3.Connection(server, dn, password, auto_bind=True, raise_exceptions=True, receive_timeout=10)


class Ldap3(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        connection = connect()
        try:
            connection.add(SUFFIX, ["domain"], {"dc": "example"})
        except ldap3.core.exceptions.LDAPEntryAlreadyExistsResult:
            pass
        connection.add(BASE, ["organizationalUnit"], {"ou": "ldap3"})
        for i in range(30):
            connection.add(f"uid=q{i},{BASE}", ["inetOrgPerson"], {"uid": f"q{i}", "cn": f"Queue {i}", "sn": "Ldap3"})
        connection.unbind()

    def setUp(self):
        self.connection = connect()

    def tearDown(self):
        self.connection.unbind()

    def test_a_server_information(self):
        info = self.connection.server.info
        self.assertIn(SUFFIX, info.naming_contexts)
        self.assertIn("3", info.supported_ldap_versions)
        self.assertIn("inetOrgPerson", self.connection.server.schema.object_classes)

    def test_b_wrong_password(self):
        with self.assertRaises(LDAPInvalidCredentialsResult):
            connect(ADMIN, "wrong")

    def test_c_search_and_operational_attributes(self):
        self.connection.search(BASE, "(&(sn=LDAP3)(|(uid=q1)(uid=q2)))", attributes=["*", "+"])
        self.assertEqual(len(self.connection.entries), 2)
        self.assertTrue(self.connection.entries[0].entryUUID.value)

    def test_d_paged_search(self):
        found = list(self.connection.extend.standard.paged_search(BASE, "(uid=q*)", paged_size=8, attributes=["uid"]))
        self.assertEqual(len([r for r in found if r["type"] == "searchResEntry"]), 30)

    def test_e_modify(self):
        dn = f"uid=q3,{BASE}"
        self.connection.modify(dn, {"description": [(ldap3.MODIFY_ADD, ["x", "y"])], "sn": [(ldap3.MODIFY_REPLACE, ["Z"])]})
        self.connection.modify(dn, {"description": [(ldap3.MODIFY_DELETE, ["x"])]})
        self.connection.modify(dn, {"employeeType": [(ldap3.MODIFY_ADD, ["a"])]})
        self.connection.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["description", "sn"])
        self.assertEqual((self.connection.entries[0].description.value, self.connection.entries[0].sn.value), ("y", "Z"))

    def test_f_rename_and_compare(self):
        self.connection.modify_dn(f"uid=q4,{BASE}", "uid=q4b")
        self.assertTrue(self.connection.compare(f"uid=q4b,{BASE}", "uid", "Q4B"))
        with self.assertRaises(LDAPNoSuchObjectResult):
            self.connection.search(f"uid=q4,{BASE}", "(objectClass=*)", ldap3.BASE)

    def test_g_who_am_i_and_password(self):
        self.assertEqual(self.connection.extend.standard.who_am_i().lower(), f"dn:{ADMIN}".lower())
        self.connection.extend.standard.modify_password(f"uid=q5,{BASE}", None, "secret-q5")
        connect(f"uid=q5,{BASE}", "secret-q5").unbind()

    def test_h_delete(self):
        self.connection.search(BASE, "(objectClass=*)", ldap3.LEVEL, attributes=["1.1"])
        for entry in self.connection.entries:
            self.connection.delete(entry.entry_dn)
        self.connection.delete(BASE)


if __name__ == "__main__":
    unittest.main()
