"""What grows with the data instead of the request: searches over n entries, and imports of n lines."""
import os
import subprocess
import tempfile

import meter
import wire
from arena import Arena
from server import Server, SUFFIX

ENTRIES = (10_000, 20_000, 40_000)
GROWTH, NOISE, HOLD_MAX = 2.8, 0.01, 0.050


def people(n):
    yield f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n\n"
    for i in range(n):
        yield f"dn: uid=e{i},{SUFFIX}\nobjectClass: inetOrgPerson\nuid: e{i}\ncn: Entry {i}\nsn: {i % 100}\ndescription: text {i * 7919}\n\n"


def one_entry(*lines):
    return f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n" + "".join(lines) + "\n"


# T33: files of n lines or octets, and whether the import is to take them.
FILES = {
    "entries": (10_000, lambda n: "".join(people(n))),
    "a value folded into lines of one octet": (200_000, lambda n: one_entry("description: a\n", " a\n" * n)),
    "a line of n octets": (2_000_000, lambda n: one_entry("description: " + "a" * n + "\n")),
    "base64": (2_000_000, lambda n: one_entry("description:: " + "YWFh" * (n // 4) + "\n")),
    "comments": (200_000, lambda n: "# x\n" * n + one_entry()),
    "empty lines": (500_000, lambda n: "\n" * n + one_entry()),
    "lines that are no LDIF": (200_000, lambda n: "nonsense\n" * n),
    "control characters": (500_000, lambda n: one_entry("description: " + "\x01" * n + "\n")),
    "values of one attribute": (25_000, lambda n: one_entry(*[f"description: v{i}\n" for i in range(n)])),
    "records without a name": (50_000, lambda n: "cn: x\n\n" * n),
    "file URLs": (50_000, lambda n: one_entry(*["description:< file:///etc/passwd\n"] * n)),
}


def import_seconds(options, text):
    """Processor time of `kauri import`, whatever it thinks of the file."""
    with tempfile.TemporaryDirectory(prefix="kauri-test-") as root:
        path = os.path.join(root, "data.ldif")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(root, "output"), "wb") as output:
            process = subprocess.Popen([os.path.join(options.bin, "kauri"), "import", "--data", os.path.join(root, "data"),
                                        "--suffix", SUFFIX, path], stdout=output, stderr=output)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode < 0:
            raise AssertionError(f"kauri import ended by signal {-process.returncode}")
        return used.ru_utime + used.ru_stime, process.returncode


def imports(options):
    for name, (n, make) in FILES.items():
        times, code = [], 0
        for size in (n, 2 * n, 4 * n):
            text = make(size)
            runs = [import_seconds(options, text) for _ in range(3)]
            times.append(min(seconds for seconds, _ in runs))
            code = runs[0][1]
        good = times[2] <= GROWTH * times[1] + 0.05
        yield good, (f"T33 an import of {name}: {' '.join(f'{seconds * 1000:.0f}' for seconds in times)} ms, exit code {code}"
                     + ("" if good else ": time grows faster than the size"))


FILTERS = {"substrings nobody indexed": "(description=*zz*)", "an extensible match": "(description:2.5.13.2:=none)",
           "an ordering of strings": "(description>=zzz)", "not": "(!(description=text*))", "presence": "(objectClass=*)",
           "a large index list": "(sn=7)"}


def searches(options):
    costs = {name: [] for name in FILTERS}
    held = dict.fromkeys(FILTERS, 0.0)
    for n in ENTRIES:
        server = Server(options.bin)
        path = os.path.join(server.root, "data.ldif")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(people(n))
        done = server.tool("import", "--data", server.data, "--suffix", SUFFIX, path)
        if done.returncode != 0:
            server.close()
            raise AssertionError(f"kauri import: {done.stderr[-300:]}")
        config = os.path.join(server.root, "kauri.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("workers = 1\n[access]\nrules = [\"to * by * read\"]\n")
        server.arguments += ["--config", config]
        server.start()
        world = Arena(server)
        try:
            for name, text in FILTERS.items():
                operation = wire.search(SUFFIX, wire.SUB, text, ["1.1"])
                best = None
                for _ in range(3):
                    with world.connect(timeout=120) as connection:
                        best = meter.measure(world.pid, lambda connection=connection: connection.ask(operation)).best_of(best)
                costs[name].append(best.total)
                if n == ENTRIES[-1]:
                    held[name] = min(kept_waiting(world, operation) for _ in range(3))
        finally:
            world.close()
    for name, times in costs.items():
        wrong = [] if times[2] <= GROWTH * times[1] + NOISE else ["time grows faster than the number of entries"]
        wrong += [] if held[name] <= HOLD_MAX else [f"the worker is held for {held[name] * 1000:.0f} ms"]
        yield not wrong, (f"T34 a search by {name} over {ENTRIES} entries: {' '.join(f'{seconds * 1000:.1f}' for seconds in times)} ms, "
                          f"held {held[name] * 1000:.1f} ms" + "".join(f": {each}" for each in wrong))


def kept_waiting(world, operation):
    with world.connect(timeout=120) as connection, world.connect(timeout=120) as other:
        with meter.Canary(world.pid, other, wire.search("", wire.BASE, attributes=["1.1"])) as watch:
            connection.ask(operation, timeout=120)
        return watch.held


def play(options):
    yield from searches(options)
    yield from imports(options)
