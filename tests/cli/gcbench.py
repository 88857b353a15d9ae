#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `tidemark gcbench` from outside: rows, sums, limits, messages.

Usage: gcbench.py --program PROGRAM
"""
import json
import os
import re
import shutil
import sys
import tempfile

import program

USAGE, RESOURCES = 2, 4
WORKLOADS = ("gcbench", "binary-trees", "lru", "strings", "service", "interp", "mutate")
SMALL = ("--depth", "10", "--operations", "10000", "--live", "2M", "--rounds", "1", "--quiet")


def run(*arguments, **environment):
    return program.run("gcbench", *arguments, **environment)


def built():
    """Collectors that take part where nothing is chosen, unless --help calls them missing."""
    lines = run("--help").stdout.split("Collectors:\n")[1].splitlines()
    return [line.split()[0] for line in lines
            if line.startswith("  ") and "(not built)" not in line and "-" not in line.split()[0]]


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
            picture = self.text_of(path)
            for words in ("Pauses of binary-trees on tide, 1 mutator<", "young collections off",
                          "full collections", "young collections: p99 "):
                self.assertIn(words, picture)
            os.remove(path)
            self.fails(1, "pauses", "--workload", "strings", "--operations", 1000, "--rounds", 1,
                       "--collector", "malloc", "--quiet", "--plot", path)
            self.assertEqual(os.listdir(folder), [])
        self.fails(USAGE, "plot|svg", "--plot", "pauses.gif")

    def check_latency(self, row, rounds):
        """The figures of a row of latency fit together."""
        counts = [b["operations"] for b in row["latency_histogram"]]
        ends = [b["up_to_ns"] for b in row["latency_histogram"]]
        self.assertEqual(sum(counts), row["operations"])
        self.assertEqual(ends, sorted(set(ends)))
        self.assertGreater(min(counts), 0)
        latency = row["latency_us"]
        ordered = [latency[name] for name in ("p50", "p99", "p999", "p9999", "max")]
        self.assertEqual(ordered, sorted(ordered), row["collector"])
        self.assertGreater(ordered[0], 0)
        if row["rate"]:  # an operation that is due late waits, whoever had the CPU
            self.assertIsNone(row["own_max_us"])
        else:
            self.assertGreater(row["own_max_us"]["min"], ordered[0])
            self.assertLessEqual(row["own_max_us"]["max"], latency["max"])
        # The longest operation lies in the last bucket, the median of one round where half are.
        longest = latency["max"] * 1000
        self.assertTrue(longest * 0.98 <= ends[-1] + 1 <= longest * 1.02 + 2, (longest, ends[-1]))
        if rounds == 1:
            below = sum(c for c, end in zip(counts, ends) if end < latency["p50"] * 1000 * 0.98)
            self.assertLessEqual(below, row["operations"] / 2)
            upto = sum(c for c, end in zip(counts, ends) if end <= latency["p50"] * 1000 * 1.02)
            self.assertGreaterEqual(upto, row["operations"] / 2)
            if row["mutators"] == 1 and row["rate"] == 0:  # one after another
                run_ns = row["operations"] / row["ops_per_second"] * 1e9
                self.assertLessEqual(sum(c * end for c, end in zip(counts, ends)), run_ns * 1.02)
        self.assertLessEqual(row["stop_us"]["p50"], row["stop_us"]["max"])
        stops = row["longest_stops_us"]
        self.assertAlmostEqual(max([0, *stops]), row["stop_us"]["max"], delta=0.01 * max([1, *stops]))
        if row["collector"] != "tide-concurrent":
            self.assertLessEqual(len(stops), 1)
        self.assertGreater(row["ops_per_second"], 0)
        self.assertGreater(row["cpu_seconds"], 0)
        self.assertLessEqual(row["ops_per_second_spread"]["min"], row["ops_per_second"])

    def test_latency(self):
        """Every operation is counted, on every collector, with a heap that is limited by --factor;
        the sums over what is left of the maps are equal, or the exit status would be 1."""
        rows = self.rows("--workload", "latency", "--live", "4M", "--factor", 6, "--seconds", 0.1,
                         "--rounds", 1, "--quiet")
        common = [c for c in built() if c != "tide"]
        self.assertEqual([(r["collector"], r.get("young")) for r in rows],
                         [("tide", "off"), ("tide", "on"), ("tide-concurrent", None),
                          *((c, None) for c in common)])
        for row in rows:
            self.assertEqual((row["workload"], row["live_bytes"], row["limit_bytes"], row["rate"]),
                             ("latency", 4 << 20, 24 << 20, 0))
            self.check_latency(row, 1)
            if row["collector"] not in ("tide", "tide-concurrent", "boehm"):
                self.assertEqual((row["collections"], row["degenerate"], row["stop_us"]["max"]),
                                 (0, 0, 0))
            if row["collector"] == "tide":  # its mutator collects, inside an operation
                self.assertEqual(row["degenerate"], 0)
                self.assertLessEqual(row["stop_us"]["max"], row["latency_us"]["max"] * 1.02)

    def test_latency_with_mutators(self):
        """What is verified is the whole heap, in every collection, under several mutators."""
        for row in self.rows("--workload", "latency", "--live", "4M", "--factor", 10, "--seconds",
                             0.3, "--rounds", 2, "--mutators", 3, "--young", "on", "--quiet",
                             "--collector", "tide,tide-concurrent", TIDE_VERIFY="1",
                             TIDE_STRESS="2000"):
            self.assertEqual(row["mutators"], 3)
            self.check_latency(row, 2)
            if row["operations"] > 2000:  # of 12 allocations each, in two rounds
                self.assertGreater(row["collections"], 0)

    def test_latency_at_fixed_times(self):
        for mutators in (1, 2):
            row, = self.rows("--workload", "latency", "--live", "2M", "--heap-max", "20M",
                             "--seconds", 0.5, "--rate", 999, "--rounds", 1, "--quiet",
                             "--collector", "tide", "--young", "on", "--mutators", mutators)
            self.check_latency(row, 1)
            self.assertEqual((row["rate"], row["limit_bytes"]), (999, 20 << 20))
            self.assertLessEqual(row["operations"], 500)
            if row["latency_us"]["max"] < 400000:  # a busy machine may not get through with them
                self.assertEqual(row["operations"], 500)

    def test_latency_as_table_and_picture(self):
        arguments = ("--workload", "latency,strings", "--operations", 1000, "--live", "2M",
                     "--factor", 9, "--seconds", 0.05, "--rounds", 1, "--quiet", "--collector",
                     "tide,malloc")
        lines = [re.split("  +", line.strip()) for line in run(*arguments).stdout.splitlines()]
        heads = next(line for line in lines if "degenerate" in line)
        rows = [line for line in lines if line[0] in ("tide", "malloc")]
        self.assertEqual([(row[0], row[1]) for row in rows],
                         [("tide", "off"), ("tide", "on"), ("malloc", "-")])
        self.assertEqual({len(row) for row in rows}, {len(heads)})
        self.assertEqual(len([line for line in lines if line[0] == "strings"]), 3)
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        path = self.path("latency.svg")
        result = run(*arguments, "--plot", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        picture = self.text_of(path)
        for words in ("Latency of operations, 2 MiB alive, 1 mutator, one after another",
                      "tide, stopped", "tide, young"):
            self.assertIn(words, picture)

    def test_latency_misused(self):
        small = ("--workload", "latency", "--rounds", 1, "--seconds", 0.05)
        self.fails(USAGE, "--rate|latency", "--workload", "lru", "--rate", 5)
        self.fails(USAGE, "--seconds|latency", "--seconds", 5)
        self.fails(USAGE, "--factor|latency", "--factor", 5)
        self.fails(USAGE, "--factor|--heap-max", *small, "--factor", 5, "--heap-max", "1G")
        for option, value in (("factor", 0.5), ("factor", "nan"), ("seconds", 0), ("seconds", -1),
                              ("seconds", "1e99"), ("rate", -1), ("rate", "2e9"), ("live", 5)):
            self.fails(USAGE, option, *small, f"--{option}", value)
        self.fails(USAGE, "tide-incremental", *small, "--collector", "tide-incremental")
        for collector in ("tide", "tide-concurrent"):
            self.fails(RESOURCES, f"latency on {collector}|--factor", *small, "--live", "64M",
                       "--heap-max", "8M", "--collector", collector)

    def test_heap_and_marks_are_sound(self):
        """TIDE_VERIFY=1 ends a process whose marks differ from a serial marking's. mutate has a
        million objects to be verified, whatever is asked for."""
        often = [workload for workload in WORKLOADS if workload != "mutate"]
        for mutators, workloads, stress in ((1, often, 5000), (3, often, 5000), (3, ["mutate"], 500000)):
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


if __name__ == "__main__":
    sys.exit(program.main(__doc__, {"all": Gcbench}))
