"""The files of a result: result.json has all but the runs, runs-SERVER.json the runs of one server, a line each."""
import json
import os


def write(folder, saved):
    """`saved` as compare.py has it, without paths of the machine."""
    by_server = {}
    for record in saved["records"]:
        by_server.setdefault(record["server"], []).append(json.dumps(record, separators=(",", ":")))
    for server, lines in by_server.items():
        with open(os.path.join(folder, f"runs-{server}.json"), "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(lines) + "\n]\n")
    with open(os.path.join(folder, "result.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps({**saved, "records": sorted(by_server)}, indent=1) + "\n")


def read(folder):
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        saved = json.load(file)
    records = []
    for server in saved["records"]:
        with open(os.path.join(folder, f"runs-{server}.json"), encoding="utf-8") as file:
            records += json.load(file)
    return {**saved, "records": records}
