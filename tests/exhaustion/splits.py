"""Every operation cut at every octet, and sent octet by octet: the answers are those of the message in one piece."""
import time

import wire
from arena import Arena
from world import P, U, USER_PASSWORD, check, person


def operations():
    """Each kind of request, in forms that leave the data as they were."""
    missing, changed = f"uid=nobody,{P}", wire.octets("x", 0x81)
    return {
        "bind": wire.bind(U, USER_PASSWORD), "anonymous bind": wire.bind("", ""),
        "SASL bind": wire.tlv(0x60, wire.integer(3), wire.octets(""), wire.tlv(0xA3, wire.octets("PLAIN"), wire.octets(b"\0a\0b"))),
        "search": wire.search(P, wire.SUB, "(&(|(uid=a)(cn=B*))(!(sn=zz)))", ["cn", "sn"]),
        "compare": wire.compare(U, "cn", "a"), "modify": wire.modify(U, (wire.REPLACE, "description", "the same")),
        "add": wire.add(U, person("a")), "delete": wire.delete(missing), "rename": wire.rename(missing, "uid=x", True, P),
        "who am I": wire.extended(wire.WHO_AM_I),
        "password modify": wire.extended(wire.PASSWORD_MODIFY, wire.seq(wire.octets(missing, 0x80), changed)),
        "cancel": wire.cancel(77), "unknown": wire.extended("1.2.3.4", b"value"),
        "with a control": None,
    }


def message_of(name, operation, message_id):
    if name == "with a control":
        return wire.message(message_id, wire.search(P, wire.SUB, "(uid=*)", ["uid"]), wire.controls(wire.paged(1)))
    return wire.message(message_id, operation)


def told(reply):
    """What of an answer does not depend on the moment."""
    return (reply.code, reply.matched, reply.text, reply.entries, reply.value, bool(reply.cookie), reply.closed, reply.notice)


def play(world, pieces, message_id):
    """Sends the pieces with a moment between them; -> what is told of the answer."""
    with world.as_user(timeout=10) as connection:
        for number, piece in enumerate(pieces):
            if number:
                time.sleep(0.0003)
            connection.send(piece)
        return told(connection.reply(message_id, 10))


def every_split(options, generator, plant=None):
    world = Arena.make(options.bin, plant=plant)
    try:
        world.load()
        kinds = list(operations().items())
        kinds = generator.sample(kinds, min(len(kinds), options.operations))
        count = 0
        for name, operation in kinds:
            data = message_of(name, operation, 5)
            whole = play(world, [data], 5)
            check(whole[0] is not None, f"{name}: no answer to the whole message")
            for position in range(1, len(data)):
                got = play(world, [data[:position], data[position:]], 5)
                check(got == whole, f"{name} cut at {position}: {got}, in one piece {whole}")
                count += 1
            got = play(world, [bytes([octet]) for octet in data], 5)
            check(got == whole, f"{name} octet by octet: {got}, in one piece {whole}")
        for position in range(1, len(wire.UNBIND) + 5):  # nothing is answered; the end comes
            with world.connect() as connection:
                data = wire.message(1, wire.UNBIND)
                connection.send(data[:position])
                time.sleep(0.0003)
                connection.send(data[position:])
                check(connection.ended(5), f"unbind cut at {position} does not end the connection")
        world.well()
    finally:
        world.close()
    return f"{len(kinds)} kinds of requests, {count} cuts"
