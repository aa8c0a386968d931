"""Whether what a backup holds is one state that the server was in while the backup was made.

Each writer has one request in flight, so the states that its own things went through are the prefixes of its history. A
state of the whole server is one prefix for each writer, and since requests and answers have times, not any: what was
acknowledged before another request was sent is in every state that has the other one.
"""


def prefixes(history, states):
    """How many requests of one writer's history lead to just these states of its keys: every number that does."""
    current, wrong, found = {}, set(), set()
    keys = {entry[0] for entry in history}
    wrong = {key for key in keys if states.get(key) is not None}
    if not wrong:
        found.add(0)
    for number, (key, state, _issued, _acknowledged) in enumerate(history, 1):
        current[key] = state
        if states.get(key) == state:
            wrong.discard(key)
        else:
            wrong.add(key)
        if not wrong:
            found.add(number)
    return found


def check(histories, states, began, ended):
    """`histories`: {owner: [[key, state, issued, acknowledged or None]]}. -> faults"""
    faults, cuts = [], {}
    for owner, history in histories.items():
        least = sum(1 for entry in history if entry[3] is not None and entry[3] < began)
        most = sum(1 for entry in history if entry[2] < ended)
        found = [number for number in prefixes(history, states) if least <= number <= most]
        if found:
            cuts[owner] = found
        else:
            faults.append(f"{owner}: no state between request {least}, acknowledged before the backup, and request {most}, "
                          f"sent before its end, is what the backup holds{nearest(history, states, most)}")
    if faults:
        return faults
    latest = max((histories[owner][min(found) - 1][2] for owner, found in cuts.items() if min(found)), default=0)
    for owner, found in cuts.items():
        due = sum(1 for entry in histories[owner] if entry[3] is not None and entry[3] < latest)
        if max(found) < due:
            faults.append(f"{owner}: request {due} was acknowledged before another writer sent one that the backup has, "
                          f"and the backup has only {max(found)}")
    known = {entry[0] for history in histories.values() for entry in history}
    faults += [f"{key}: nobody asked for it" for key in sorted(set(states) - known)]
    return faults


def nearest(history, states, most):
    """What stands in the way at the end, for whoever reads the fault."""
    current = {}
    for key, state, _issued, _acknowledged in history[:most]:
        current[key] = state
    wrong = [key for key in current if states.get(key) != current[key]]
    if not wrong:
        return ""
    return f"; of {len(wrong)} differences: {wrong[0]} is {states.get(wrong[0])!r} and not {current[wrong[0]]!r}"
