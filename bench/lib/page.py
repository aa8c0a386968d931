"""The tables of a comparison, and docs/performance.md of several.

A result is what compare.py has written as result.json. Durable and relaxed results, and those of different numbers of
entries, have tables of their own: nothing here compares one with another.
"""
import re
import statistics

from extra import null_rows

NOT_MEASURED = """`kauri bench` sends no controls, so these have no row: the first 20 of all entries sorted or paged by an indexed
attribute, and a tree delete against a client's deletes one by one. {offers}
"""
CONTROLS = {"1.2.840.113556.1.4.473": "the control of sorting", "1.2.840.113556.1.4.319": "the control of paging",
            "1.2.840.113556.1.4.805": "the control of tree deletes"}
RATE = ("Operations each second", "more", lambda r: r["ops_per_s"])
CPU = ("Processor time of the server for each operation, us", "less", lambda r: r["server"]["cpu_us_per_op"])
P99 = ("99th percentile of the latency, us", "less", lambda r: r["latency_us"]["p99"])


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def plain(text):
    """Without what Markdown would take for emphasis."""
    return text.replace("*", "\\*")


class Result:
    def __init__(self, saved):
        self.saved = saved
        self.servers = saved["servers"]            # key -> name, Kauri first
        self.peers = [key for key in self.servers if key != "kauri"]
        self.durability = saved["options"]["durability"]

    def median(self, server, row, get):
        found = [get(record["result"]) for record in self.saved["records"]
                 if record["server"] == server and record["row"] == row and record["result"]["operations"] > 0]
        return statistics.median(found) if found else None

    def first(self, server, row):
        return next((one for one in self.saved["records"] if one["server"] == server and one["row"] == row), None)

    def head(self, first):
        """The head of a table with a column for each server, and one for each ratio."""
        names = [self.servers["kauri"]] + [cell for key in self.peers for cell in (self.servers[key], f"Kauri / {self.servers[key]}")]
        return [f"| {first} | class | " + " | ".join(names) + " |", "|---|---|" + "---:|" * len(names)]

    def line(self, title, values):
        """`values`: by key of the server, None for what is not there."""
        ours = values.get("kauri")
        cells = [number(ours) if ours is not None else "-"]
        for key in self.peers:
            theirs = values.get(key)
            cells.append(number(theirs) if theirs is not None else "-")
            cells.append(f"{ours / theirs:.2f}" if ours is not None and theirs else "-")
        return f"| {plain(title)} | {self.durability} | " + " | ".join(cells) + " |"

    def figures(self, figure):
        title, better, get = figure
        lines = [f"**{title}** ({better} is better)", "", *self.head("work")]
        for row in self.saved["rows"]:
            values = {key: self.median(key, row["key"], get) for key in self.servers}
            if any(value is not None for value in values.values()):
                lines.append(self.line(row["title"], values))
        return lines if len(lines) > 4 else []

    def loads(self):
        lines = [f"**Loading {self.saved['options']['entries']:,} users, and memory** (less is better)", "", *self.head("what")]
        by_index = {int(n) for loads in self.saved["loads"].values() for n in loads}
        for indexes in sorted(by_index):
            for key, title in (("wall_s", "wall s"), ("cpu_s", "CPU s"), ("peak_mb", "peak memory MB"),
                               ("size_mb", "on disk MB")):
                lines.append(self.line(f"load, {indexes} indexes: {title}", {
                    server: loads.get(str(indexes), {}).get(key) for server, loads in self.saved["loads"].items()}))

        def private(r):
            return r["server"]["rss_anon_bytes"] / 1e6
        lines.append(self.line("private memory after a read of every user, MB",
                               {key: self.median(key, "warm", private) for key in self.servers}))
        lines.append(self.line("on disk after all rows, MB", self.saved["size_mb_after"]))
        idle = {key: extra.get("idle", {}).get("bytes_each") for key, extra in self.saved["extras"].items()}
        lines.append(self.line("private memory of an idle connection, octets", idle))
        held = ", ".join(f"{self.servers[key]} held {extra['idle']['connections']:,}" for key, extra in
                         self.saved["extras"].items() if "idle" in extra)
        for row, title in (("move", "subtree of all users moved, ms"), ("move-back", "and back, ms")):
            lines.append(self.line(title, {key: self.median(key, row, lambda r: r["latency_us"]["mean"] / 1000)
                                           for key in self.servers}))
        return lines + (["", f"Idle connections: {held}."] if held else [])

    def open_loop(self):
        lines = ["**Open loop beside a writer of 500 modifies/s and a search of all entries without an index**", "",
                 "| server | class | asked /s | done /s | p50 ms | p99 ms | p99.9 ms | not started | writer /s | scans/s |",
                 "|---|---|" + "---:|" * 8]
        for key, row, more in [(key, "open-loop", ", half its own peak") for key in self.servers] + [
                ("kauri", "open-loop-same", ", half slapd's peak")]:
            record = self.first(key, row)
            if record is None:
                continue
            result = record["result"]
            beside = [self.first(key, f"{row}-{name}") for name in ("writer", "scan")]
            rates = [number(one["result"]["ops_per_s"]) if one else "-" for one in beside]
            at = result["latency_us"]
            lines.append(f"| {self.servers[key]}{more} | {self.durability} | {record['asked']:,.0f} | "
                         f"{number(result['ops_per_s'])} | " + " | ".join(f"{at[q] / 1000:,.2f}" for q in ("p50", "p99", "p99.9"))
                         + f" | {result['not_started']:,} | " + " | ".join(rates) + " |")
        return lines if len(lines) > 4 else []

    def null(self):
        lines = ["**The client against the null responder** (the ceiling of all rates here)", "",
                 "| work | ops/s | client CPU us/op | responder CPU us/op | p99 us |", "|---|---:|---:|---:|---:|"]
        for key, title, _ in null_rows():
            values = [self.median("null", key, get) for get in (
                RATE[2], lambda r: r["client_cpu_us_per_op"], CPU[2], P99[2])]
            if None not in values:
                lines.append(f"| {title} | " + " | ".join(map(number, values)) + " |")
        return lines if len(lines) > 4 else []

    def bars(self):
        lines = ["| work | bar | against | here | met |", "|---|---|---|---:|---|"]
        for row in self.saved["rows"]:
            for line in self.bars_of(row):
                lines.append(f"| {plain(row['title'])} | " + " | ".join(line) + " |")
        return ["**The bars** (the peer is the better of slapd and 389 DS, where none is named)", "", *lines] if len(lines) > 2 else []

    def bars_of(self, row):
        out = []
        for figure, bar, best, word in ((RATE, row["rate_bar"], max, ">="), (CPU, row["cpu_bar"], min, "<=")):
            ours = self.median("kauri", row["key"], figure[2])
            if not bar or ours is None:
                continue
            what = "rate" if figure is RATE else "CPU"
            each = bar if isinstance(bar, dict) else {None: bar}
            for peer, limit in each.items():
                keys = [peer] if peer else [key for key in ("slapd", "389ds") if key in self.servers]
                seen = {key: value for key in keys if key in self.servers
                        and (value := self.median(key, row["key"], figure[2]))}
                if not seen:
                    continue
                key = best(seen, key=seen.get)
                here = ours / seen[key]
                met = here >= limit if word == ">=" else here <= limit
                out.append((f"{what} {word} {limit:.2f} x", self.servers[key], f"{here:.2f}", "yes" if met else "**no**"))
        return out + self.other_bars(row)

    def other_bars(self, row):
        out = []
        cpu, rate = (self.median("kauri", row["key"], figure[2]) for figure in (CPU, RATE))
        null_cpu, null_rate = (self.median("null", "null-search", figure[2]) for figure in (CPU, RATE))
        if row["null_bar"] and None not in (cpu, rate, null_cpu, null_rate):
            out.append(("CPU <= 1.50 x", "null responder", f"{cpu / null_cpu:.2f}", "yes" if cpu <= 1.5 * null_cpu else "**no**"))
            out.append(("rate >= 0.65 x", "null responder", f"{rate / null_rate:.2f}",
                        "yes" if rate >= 0.65 * null_rate else "**no**"))
        if row["cpu_us_bar"] and cpu is not None:
            out.append((f"CPU <= {row['cpu_us_bar']} us", "-", number(cpu), "yes" if cpu <= row["cpu_us_bar"] else "**no**"))
        return out

    def about(self):
        saved, machine, options = self.saved, self.saved["machine"], self.saved["options"]
        lines = [f"{saved['time_utc']}, commit {saved['commit'][:12]}; {machine['processor']}, {machine['processors']} processors, "
                 f"{machine['memory_bytes'] / 2**30:.0f} GiB, {machine['kernel']}, {machine['file_system']}. Client on the same "
                 f"machine, 1 thread; medians of {options['runs']} runs of {options['duration_s']} s after {options['warmup_s']} s; "
                 "loads, moves and open loops once. Made with:", "", "```sh", saved["command"], "```", ""]
        lines += [f"- {self.servers[key]}: {version}; {saved['durability'][key]}" for key, version in saved["versions"].items()]
        lines += [f"- {name}: not measured, {reason}" for name, reason in saved["missing"].items()]
        if "folder" in saved:
            lines += ["", f"Every run: [bench/results/{saved['folder']}](../bench/results/{saved['folder']}/result.json)."]
        return lines

    def wrong(self):
        """Records whose answers were not right. That a peer does not move a subtree is a missing figure only."""
        return [record for record in self.saved["records"] if record["exit_status"] != 0
                and not (record["row"].startswith("move") and record["server"] != "kauri")]

    def remarks(self):
        lines = []
        wrong = self.wrong()
        if wrong:
            lines += ["", f"**{len(wrong)} runs had wrong answers; their figures mean nothing:**", ""]
            lines += [f"- {r['server']}, {r['row']}, run {r['run'] + 1}: {r['result']['errors']['first']}" for r in wrong]
        titles = {row["key"] for row in self.saved["rows"]} | {"open-loop", "open-loop-same"}
        warnings, busy = {}, {}
        for record in self.saved["records"]:
            for text in record["result"]["warnings"] if record["row"] in titles else ():
                share = re.match(r"other processes used (\d+) %", text)
                if share:
                    busy.setdefault(record["server"], []).append(int(share[1]))
                elif "were used up" not in text:  # deletes end so
                    warnings.setdefault((record["server"], record["row"]), text)
        failed = [f"- {self.servers[key]}: other processes used up to {max(shares)} % of the machine in {len(shares)} runs; "
                  "repeat this on a quiet one" for key, shares in busy.items()]
        failed += [f"- {self.servers[key]}: {text}" for key, extra in self.saved["extras"].items() for text in extra.get("failed", ())]
        if warnings or failed:
            lines += ["", "Warnings, the first of each row:", ""]
            lines += [f"- {self.servers[server]}, {row}: {text}" for (server, row), text in sorted(warnings.items())] + failed
        return lines

    def commands(self):
        lines = ["", "<details><summary>Commands</summary>", "", "```sh"]
        for row in [*(row["key"] for row in self.saved["rows"]), "move", "open-loop", "open-loop-writer", "open-loop-scan"]:
            record = self.first("kauri", row)
            if record:
                lines.append(f"# {row}\n{record['command']}")
        return [*lines, "```", "", "</details>"]

    def markdown(self, level):
        options = self.saved["options"]
        lines = [f"{'#' * level} {options['entries']:,} users, {self.durability}", "", *self.about()]
        for part in (self.figures(RATE), self.figures(CPU), self.figures(P99), self.loads(), self.open_loop(), self.null(),
                     self.bars()):
            if part:
                lines += ["", *part]
        return "\n".join([*lines, *self.remarks(), *self.commands()]) + "\n"


def page(results):
    """-> docs/performance.md"""
    ours = [result for result in results if "kauri" in result.servers]
    offered = set(ours[-1].saved["kauri_controls"]) if ours else set()
    offers = " ".join(f"kaurid {'offers' if oid in offered else 'does not offer'} {name}." for oid, name in CONTROLS.items())
    lines = ["# Performance", "",
             "Kauri beside other servers, each given its best fair settings ([bench/peers](../bench/peers)): same data, indexes and",
             "access rules, access logs off, one server at a time, same client on the same machine. The class beside each number is",
             "the durability of commits: *durable* answers leave after the sync of their commit, *relaxed* ones before it. The two",
             "are in tables apart and are not to be compared. Ratios are Kauri's figure by the peer's.",
             "[bench/README.md](../bench/README.md) says how to repeat all of it.", ""]
    for result in results:
        lines += [result.markdown(2)]
    lines += ["## Not measured", "", NOT_MEASURED.format(offers=offers)]
    return "\n".join(lines)
