"""A backup and the changes after it, restored to moments in between."""
import os

import ldap
import stream
from places import Tally, compare
from write_load import TREE, connect

FEW = 30    # changes of the control; reading many in Python takes its time


def restored(tool, load, *arguments):
    """-> (path of the LDIF or None, faults)"""
    root, faults = tool.restore(load.backups[0].path, "--changes", load.changes, *arguments)
    if faults:
        return None, faults
    return tool.export(os.path.join(root, "data"), os.path.basename(root) + ".ldif"), []


def check(tool, load):
    tally = Tally()
    for number, backup in enumerate(load.backups):
        ldif, found = restored(tool, load, "--until", backup.csn)
        tally.add(f"to the CSN of backup {number}", found or compare(backup.ldif, ldif))
    for number, pause in enumerate(load.pauses):
        ldif, found = restored(tool, load, "--until", pause.moment)
        tally.add(f"to pause {number}, {pause.moment}", found or compare(pause.ldif, ldif, "--ignore-operational"))
    ldif, found = restored(tool, load)
    load.whole = load.backup(tool)  # while nobody writes: the same state by another way
    root, more = tool.restore(load.whole.path)
    whole = tool.export(os.path.join(root, "data"), "whole.ldif")
    tally.add("to the end", found or more or compare(whole, ldif))
    controls(tally, tool, load)
    return tally


def controls(tally, tool, load):
    ldif, found = restored(tool, load, "--until", load.backups[1].csn)
    tally.control("the state of another moment", not found and compare(load.backups[2].ldif, ldif))
    path = few_changes(tool, load)
    with open(path, "rb") as file:
        octets = file.read()
    tally.add("few changes", tool.restore(load.whole.path, "--changes", path)[1])
    for what, number in (("the first record", 0), ("a record", FEW // 2), ("the last record", FEW - 1)):
        with open(path, "wb") as file:
            file.write(stream.without_record(octets, number))
        data = os.path.join(tool.place(), "data")
        done = tool.call("restore", "--data", data, "--from", load.whole.path, "--changes", path)
        tally.control(f"{what} is lost and all checksums fit", done.returncode == 1 and "missing" in done.stderr)


def few_changes(tool, load):
    connection = connect(load.server.uri)
    for number in range(FEW):
        connection.modify_s(TREE, [(ldap.MOD_REPLACE, "description", [str(number).encode()])])
    connection.unbind_s()
    return tool.must("backup", "--data", load.server.data, "--to", tool.path("few.changes"), "--changes-after",
                     load.whole.path)["file"]
