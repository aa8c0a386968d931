#!/usr/bin/env python3
"""Resources that run out: disk, log volume, descriptors, memory. The server refuses with a code, goes on reading, and comes
back by itself; its data are whole. Most scenarios are then played with a fault planted, which they have to find.

The last line counts. Exit code 1 when a scenario failed or a planted fault was not found; what the machine cannot play (a tmpfs
needs root or name spaces) is said to be left out.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import allocation  # noqa: E402
import campaign  # noqa: E402
import disk  # noqa: E402
import process  # noqa: E402

# Name, scenario, and its negative control: a fault of plant.c, or a scenario of its own that has to fail.
SCENARIOS = (
    ("data volume", disk.data_volume, "full-disk-lies"),
    ("map", disk.map_is_out_of_reach, None),
    ("log volume", disk.log_volume, "torn-log"),
    ("size limit", disk.size_limit, None),
    ("descriptors 64", process.few_descriptors(64, True), None),
    ("descriptors 256", process.few_descriptors(256, True), None),
    ("descriptors taken away", process.few_descriptors(64, False), "no-pause"),
    ("memory", process.little_memory, process.unlimited_messages),
    ("allocations", allocation.allocations, "allocation-forgets"),
)
SHORT = {"disk_rounds": 4, "log_rounds": 2, "all_hostile": 0, "allocations": 8}
FULL = {"disk_rounds": 1000, "log_rounds": 50, "all_hostile": 1, "allocations": 1000}
CONTROL = {"disk_rounds": 10, "log_rounds": 25, "allocations": 8}

if __name__ == "__main__":
    sys.exit(campaign.main(SCENARIOS, SHORT, FULL, CONTROL, __doc__, needs_root=True))
