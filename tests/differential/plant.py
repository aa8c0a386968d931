"""The negative control: faults put into Kauri's answers on their way to the comparison, each of which must be found."""
import answers
import values
import wire


def _respoil(rng, octets):
    """The entry with one value changed or left out; None where it has no value that is compared octet by octet."""
    (_, name), (_, body) = wire.elements(octets)
    attributes = [(kind, [value for _, value in wire.elements(found)]) for kind, found in
                  (tuple(content for _, content in wire.elements(one)) for _, one in wire.elements(body))]
    fit = [at for at, (kind, found) in enumerate(attributes)
           if found and found[0] and (base := answers.description_key(kind).split(";")[0]) not in values.DN_TYPES
           and base not in answers.OWN_VALUES]
    if not fit:
        return None
    found = attributes[rng.choice(fit)][1]
    if rng.random() < 0.5:
        found[0] = found[0][:-1] + bytes([found[0][-1] ^ 1])
    else:
        del found[0]
    return wire.octets(name) + wire.seq(*[wire.attribute(kind, *found) for kind, found in attributes])


def _wrong_code(code, faults):
    wrong = {0: 32, 5: 6, 6: 5, 32: 0}.get(code, code + 1)
    return next(one for one in (wrong, 0, 53, 80) if one != code and one not in faults)


class Planter:
    """Spoils one answer in `one_in`."""

    def __init__(self, rng, one_in):
        self.rng, self.one_in = rng, one_in
        self.planted = self.caught = 0
        self.ways, self.missed = {}, []

    def spoil(self, answer, faults):
        """faults: codes that the request may be answered with; no other code for one of them is a fault to find.
        -> what was done, or None"""
        if self.rng.randrange(self.one_in):
            return None
        way = self.rng.choice(["code", "matched"] + ["drop entry", "repeat entry", "spoil entry", "spoil entry"] *
                              2 * bool(answer.entries))
        at = self.rng.randrange(len(answer.entries)) if answer.entries else None
        if way == "spoil entry":
            spoilt = _respoil(self.rng, answer.entries[at])
            if spoilt is None:
                way = "drop entry"
            else:
                answer.entries[at] = spoilt
        if way == "drop entry":
            del answer.entries[at]
        elif way == "repeat entry":
            answer.entries.append(answer.entries[at])
        elif way == "matched":
            answer.matched += b",dc=planted" if answer.matched else b"dc=planted"
        elif way == "code":
            answer.code = _wrong_code(answer.code, faults)
        self.planted += 1
        self.ways[way] = self.ways.get(way, 0) + 1
        return way

    def judge(self, way, operation, found):
        if found:
            self.caught += 1
        else:
            self.missed.append(f"{way}: {operation}")
