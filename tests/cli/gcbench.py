#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `tidemark gcbench` from outside: rows, sums, limits, messages.

Usage: gcbench.py --program PROGRAM
"""
import argparse
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

import program

OPTIONS = None
USAGE, RESOURCES = 2, 4
WORKLOADS = ("gcbench", "binary-trees", "lru", "strings", "service", "interp", "mutate")
SMALL = ("--depth", "10", "--operations", "10000", "--live", "2M", "--rounds", "1", "--quiet")


def run(*arguments, **environment):
    return program.run("gcbench", *arguments, **environment)


def built():
    """Collectors that --help does not call missing."""
    lines = run("--help").stdout.split("Collectors:\n")[1].splitlines()
    return [line.split()[0] for line in lines[:5] if "(not built)" not in line]


class Gcbench(program.Case):
    def rows(self, *arguments, **environment):
        result = run(*arguments, "--json", "-", **environment)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return json.loads(result.stdout)["rows"]

    def fails(self, status, words, *arguments, **environment):
        super().fails(status, words, "gcbench", *arguments, **environment)

    def test_every_workload_on_every_collector(self):
        """Equal sums are the program's own check: a difference would be exit status 1."""
        collectors = built()
        self.assertIn("tide", collectors)
        self.assertIn("malloc", collectors)
        for mutators in (1, 2):
            rows = self.rows(*SMALL, "--mutators", mutators)
            self.assertEqual([(r["workload"], r["collector"]) for r in rows],
                             [(w, c) for w in WORKLOADS for c in collectors])
            for row in rows:
                self.assertEqual(row["mutators"], mutators)
                self.assertGreater(row["total_ms"], 0)
                self.assertGreater(row["peak_bytes"], 1 << 20)
                pause = row["pause_ms"]
                self.assertLessEqual(pause["p50"], pause["p99"])
                self.assertLessEqual(pause["p99"], pause["max"])

    def test_collections_are_told(self):
        tide, malloc = self.rows("--workload", "binary-trees", "--depth", 14, "--rounds", 1,
                                 "--collector", "tide,malloc", "--heap-max", "4M")
        self.assertGreater(tide["collections"], 5)
        self.assertGreater(tide["pause_ms"]["p50"], 0)
        self.assertGreaterEqual(tide["collect_ms"], tide["pause_ms"]["max"])
        self.assertLess(tide["collect_ms"], tide["total_ms"])
        self.assertLess(tide["full_collections"], tide["collections"])
        young, both = tide["young_pause_ms"], tide["pause_ms"]
        self.assertLessEqual(young["p50"], young["p99"])
        self.assertLessEqual(young["p99"], young["max"])
        self.assertGreater(young["p50"], 0)
        self.assertLessEqual(young["max"], both["max"])
        # The bucket of the longest young pause is that of the histogram.
        last = [p["from_us"] for p in tide["pauses"] if p["young"]][-1]
        self.assertTrue(last <= young["max"] * 1000 < 2 * max(last, 1), tide)
        self.assertNotIn("young_pause_ms", malloc)
        self.assertEqual((malloc["collections"], malloc["full_collections"], malloc["collect_ms"]),
                         (0, 0, 0))

    def test_full_collections_are_told_apart(self):
        on, off = self.rows("--workload", "interp", "--operations", "200K", "--live", "64M",
                            "--rounds", 1, "--collector", "tide", "--young", "on,off")
        self.assertEqual((on["young"], off["young"]), ("on", "off"))
        self.assertLess(on["full_collections"], on["collections"])
        self.assertGreater(off["collections"], 0)
        self.assertEqual(off["full_collections"], off["collections"])
        self.assertEqual(off["young_pause_ms"], {"p50": 0, "p99": 0, "max": 0})
        table = run("--workload", "interp", "--collector", "tide,malloc", *SMALL).stdout
        lines = [re.split("  +", line.strip()) for line in table.splitlines()]
        heads = lines[0]
        self.assertEqual(heads[heads.index("collections") + 1], "full")
        self.assertEqual(heads[heads.index("max ms") + 1:][:2], ["young p99", "young max"])
        rows = [line for line in lines if line[0] == "interp"]
        self.assertEqual([len(row) for row in rows], [len(heads)] * 2, table)

    def test_pauses_are_counted(self):
        on, off, malloc = self.rows("--workload", "binary-trees", "--depth", 14, "--rounds", 2,
                                   "--collector", "tide,malloc", "--young", "on,off",
                                   "--heap-max", "4M")
        for row in (on, off, malloc):
            starts = [p["from_us"] for p in row["pauses"]]
            self.assertEqual(starts, sorted(set(starts)))
            self.assertTrue(all(s == 0 or s & (s - 1) == 0 for s in starts), starts)
        self.assertGreater(sum(p["young"] for p in on["pauses"]), 5)
        self.assertEqual(sum(p["young"] for p in off["pauses"]), 0)
        self.assertEqual(malloc["pauses"], [])
        # The row tells the median of both rounds, and the histogram has both.
        pauses = sum(p["full"] for p in off["pauses"])
        self.assertLessEqual(abs(pauses - 2 * off["collections"]), off["collections"])
        longest = off["pauses"][-1]["from_us"]
        self.assertTrue(longest <= off["pause_ms"]["max"] * 1000 < 2 * longest, off)

    def test_pictures_of_pauses(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pauses.svg")
            result = run("--workload", "binary-trees", "--depth", 14, "--rounds", 1, "--quiet",
                         "--collector", "tide", "--young", "on,off", "--heap-max", "4M",
                         "--plot", path)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                picture = file.read()
            for words in ("Pauses of binary-trees on tide, 1 mutator<", "young collections off",
                          "full collections", "young collections: p99 "):
                self.assertIn(words, picture)
            os.remove(path)
            self.fails(1, "pauses", "--workload", "strings", "--operations", 1000, "--rounds", 1,
                       "--collector", "malloc", "--quiet", "--plot", path)
            self.assertEqual(os.listdir(folder), [])
        self.fails(USAGE, "plot|svg", "--plot", "pauses.gif")

    def test_heap_and_marks_are_sound(self):
        """TIDE_VERIFY=1 ends a process whose marks differ from a serial marking's. mutate has a
        million objects to be verified, whatever is asked for."""
        often = [workload for workload in WORKLOADS if workload != "mutate"]
        for mutators in (1, 3):
            for workloads, stress in ((often, 5000), (["mutate"], 500000)):
                rows = self.rows("--depth", 8, "--operations", 1000, "--live", "1M", "--rounds", 1,
                                 "--mutators", mutators, "--collector", "tide,malloc",
                                 "--workload", ",".join(workloads), TIDE_VERIFY="1",
                                 TIDE_STRESS=str(stress))
                for workload in {"gcbench", "strings", "interp", "mutate"} & set(workloads):
                    self.assertTrue(any(r["collections"] for r in rows if r["workload"] == workload))

    def test_no_room(self):
        self.fails(RESOURCES, "lru|tide|--heap-max", "--workload", "lru", "--collector",
                   "tide", "--heap-max", "8M", "--rounds", 1)

    def test_misuse(self):
        self.fails(USAGE, "dlmalloc", "--collector", "dlmalloc")
        self.fails(USAGE, "|".join(("sort", *WORKLOADS)), "--workload", "sort")
        self.fails(USAGE, "mutators", "--mutators", "0")
        self.fails(USAGE, "young|maybe", "--young", "maybe")
        self.fails(USAGE, "depth", "--depth", "1")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    OPTIONS, rest = parser.parse_known_args()
    program.setup(OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest])


main()
