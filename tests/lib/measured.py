"""The configuration of a kaurid that is measured, or driven by the load client: the same access rules everywhere."""
from server import SUFFIX


def configuration(durability, equality=(), substring=()):
    """kaurid.toml: no access log, everyone reads all but passwords, users write themselves, indexes on these attributes."""
    return f"""
[password]
scheme = "ssha"            # as the data sets have them, so that a login costs little and changes nothing

[log]
access = "off"

[access]
rules = [
  "to attrs=userPassword by self write by anonymous auth by * none",
  "to * by self write by * read",
]

[[database]]
suffix = "{SUFFIX}"
durability = "{durability}"
""" + "".join(f"""
[[database.index]]
attribute = "{attribute}"
kinds = ["equality"{', "substring"' if attribute in substring else ""}]
""" for attribute in equality)
