"""Each backup that was made under load: restored, verified, served, and one state that the server was in."""
import os

import cut
from places import Tally
from server import Server
from write_load import read_states


def served(tool, root):
    """What a server of this place shows. -> (states, faults)"""
    server = Server(tool.bin_dir, data=root)
    try:
        server.start()
        found = read_states(server.uri)
        server.stop()
        return found
    finally:
        server.close()


def check(tool, load):
    tally, all_states = Tally(), []
    for number, backup in enumerate(load.backups):
        root, found = tool.restore(backup.path)
        if not found:
            backup.ldif = tool.export(os.path.join(root, "data"), f"backup-{number}.ldif")
            states, found = served(tool, root)
            all_states.append(states)
        if not found:
            found = cut.check(load.histories(), states, backup.began, backup.ended)
        tally.add(f"backup {number}", found)
    if not tally.faults:
        controls(tally, load, all_states)
    return tally


def controls(tally, load, all_states):
    first, last = load.backups[0], load.backups[-1]
    # Every second thing of an early state, the others of a late one: no prefix of a writer has both.
    mixed = {}
    for number, key in enumerate(sorted({*all_states[0], *all_states[-1]})):
        state = all_states[0 if number % 2 else -1].get(key)
        if state is not None:
            mixed[key] = state
    tally.control("a backup that mixes two states", cut.check(load.histories(), mixed, first.began, last.ended))
    forged = load.histories()
    forged["w0"] = [["e:forged", "forged|0|w0a", 0.0, 0.0], *forged["w0"]]
    tally.control("a forged acknowledgement", cut.check(forged, all_states[0], first.began, first.ended))
    late = cut.check(load.histories(), all_states[0], last.began, last.ended)
    tally.control("a backup that is older than it says", late)
