"""The schema that both servers load: Debian's files of core, cosine, inetorgperson and nis, and types of our own.

Kauri has the first four built in, as its users get them; what slapd reads is the text of its own package.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "differential.schema")


def for_slapd():
    return [f"/etc/ldap/schema/{name}.schema" for name in ("core", "cosine", "inetorgperson", "nis")] + [OWN]


def for_kauri():
    return [OWN]
