#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `tidemark-simulate` from outside, on tiny graphs: rows hang together, runs can be
repeated, bad input is told. No time is judged.

Usage: simulate_cli.py --program PROGRAM PART
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
import program

USAGE, INPUT, RESOURCES = 2, 3, 4
SMALL = "pack:2 [numa] l3:2 core:2 pu:1"


class Case(program.Case):
    def setUp(self):
        super().setUp()
        self.costs = self.path("costs.json")
        with open(self.costs, "w", encoding="utf-8") as file:
            file.write('{"memory_ns": 100, "wake_delay_ns": 5000}')

    def simulate(self, graph, *arguments):
        result = self.works("--quiet", "--costs", self.costs, "--graph", graph,
                            "--json", "-", *arguments)
        document = json.loads(result.stdout)
        self.assertLessEqual({"version", "host", "costs", "topology", "policy", "seed", "rows"},
                             document.keys())
        return document

    def rows(self, graph, *arguments):
        return self.simulate(graph, *arguments)["rows"]


class Usage(Case):
    def test_help(self):
        text = self.works("--help").stdout
        for word in ("--topology", "--costs", "--seed", "--seeds", "--validate", "--measure", "--fit",
                     "--warm", "--waits", "hwloc"):
            self.assertIn(word, text)

    def test_bad_input(self):
        tree = ("--graph", "tree:depth=4")
        for status, words, arguments in (
                (USAGE, "--graph", ()),
                (USAGE, "nonesuch", (*tree, "--engine", "nonesuch")),
                (USAGE, "one marker", (*tree, "--engine", "serial", "--markers", "1,2")),
                (USAGE, "--markers|257", (*tree, "--markers", "257")),
                (USAGE, "nonesuch", (*tree, "--policy", "nonesuch")),
                (USAGE, "topology|banana", (*tree, "--topology", "banana")),
                (USAGE, "512", (*tree, "--topology", "pack:8 core:128 pu:1")),
                (USAGE, "--validate|--topology", (*tree, "--validate", "--topology", SMALL)),
                (USAGE, "--seed", (*tree, "--seed", "-1")),
                (USAGE, "--seeds", (*tree, "--seeds", "0")),
                (USAGE, "--waits", (*tree, "--waits", "65")),
                (USAGE, "banana", ("--graph", "tree:depth=banana")),
                (INPUT, "nope.thg", ("--graph", "file:nope.thg")),
                (RESOURCES, "too large", ("--graph", "random:objects=4G,degree=60")),
                (RESOURCES, "too small", ("--graph", "tree:depth=22", "--heap-max", "8M")),
                (RESOURCES, "nowhere", (*tree, "--json", self.path("nowhere/x.json"))),
                (USAGE, ".txt", (*tree, "--plot", self.path("plot.txt")))):
            with self.subTest(arguments):
                self.fails(status, words, "--quiet", "--costs", self.costs, *arguments)

    def test_bad_topology_before_costs(self):
        """The costs that are missing would be told otherwise, or measured, which takes seconds."""
        self.fails(USAGE, "topology|banana", "--quiet", "--graph", "tree:depth=4",
                   "--costs", self.path("nope.json"), "--topology", "banana")

    def test_bad_costs(self):
        for text, words in (("", "no JSON object"), ('{"speed_ns": 1}', "no cost 'speed_ns'"),
                            ('{"memory_ns": -1}', "memory_ns"), ('{"memory_ns": x}', "memory_ns"),
                            ('{"memory_ns": 1', "does not end"), ("{7}", "not JSON"),
                            ('{"node_gbs": 0}', "node_gbs"), ('{"memory_ns": 1e999}', "memory_ns")):
            with self.subTest(text):
                with open(self.costs, "w", encoding="utf-8") as file:
                    file.write(text)
                self.fails(INPUT, words, "--quiet", "--graph", "tree:depth=4",
                           "--costs", self.costs)
        self.fails(INPUT, "nope.json", "--quiet", "--graph", "tree:depth=4",
                   "--costs", self.path("nope.json"))


class Rows(Case):
    def test_all_objects_once_or_more(self):
        for graph, objects, levels in (("tree:depth=12", 8191, 13), ("list:length=3000", 3000, 3000),
                                       ("wide:leaves=5000", 5001, 2)):
            for row in self.rows(graph, "--markers", "1,2,8", "--topology", SMALL):
                with self.subTest(row=row):
                    self.assertEqual(row["objects"], objects)
                    self.assertEqual(row["critical_path"], levels)
                    self.assertLessEqual(row["bound"], row["markers"] * 1.0001)
                    self.assertLessEqual(row["bound"], max(1.0, objects / levels) * 1.0001)
                    self.assertTrue(0 <= row["idle_share"] <= 1)
                    self.assertGreater(row["mark_ns"], row["end_ns"])
                    self.assertAlmostEqual(row["efficiency"], row["speedup"] / row["markers"],
                                           delta=1e-4)

    def test_measured_rows_claim_nothing_else(self):
        """Nothing was simulated: there are times, and no steals, shares or bounds."""
        arguments = ("--quiet", "--measure", "--costs", self.costs, "--markers", "1,2",
                     "--rounds", "1", "--graph", "tree:depth=8")
        for row in json.loads(self.works(*arguments, "--json", "-").stdout)["rows"]:
            self.assertGreater(row["mark_ns"], 0)
            self.assertEqual({"idle_share", "steals", "memory_bound", "spent_share"} & set(row),
                             set())
        text = self.works(*arguments).stdout
        self.assertIn("Measured, not simulated", text)
        for word in ("inf", "memory bound", "percent"):
            self.assertNotIn(word, text)

    def test_one_marker_steals_nothing(self):
        row = self.rows("tree:depth=12", "--markers", "1")[0]
        self.assertEqual((row["steals"], row["speedup"], row["took_part"]), (0, 1, 1))

    def test_list_gains_nothing(self):
        for row in self.rows("list:length=20000", "--markers", "1,4", "--topology", SMALL):
            self.assertAlmostEqual(row["speedup"], 1, delta=0.1)
            self.assertEqual(row["bound"], 1)

    def test_wide_graph_gains(self):
        rows = self.rows("tree:depth=17", "--markers", "1,4", "--topology", SMALL)
        self.assertGreater(rows[1]["speedup"], 1.5)
        self.assertGreater(rows[1]["steals"], 0)

    def test_engines(self):
        engines = ["bwos", "abp", "chase-lev", "mutex", "pool"]
        rows = self.rows("tree:depth=13", "--engine", ",".join(engines), "--markers", "4",
                         "--topology", SMALL)
        self.assertEqual([r["engine"] for r in rows], [e for e in engines for _ in range(2)])
        self.assertEqual({r["objects"] for r in rows}, {16383})

    def test_many_markers_get_work(self):
        """More markers are not slower where there is work, and nobody is left out."""
        some, many = self.rows("tree:depth=18", "--markers", "16,32")[1:]
        self.assertEqual((some["took_part"], many["took_part"]), (16, 32))
        self.assertLess(many["mark_ns"], 1.05 * some["mark_ns"])

    def test_surprises_cost(self):
        times = []
        for surprise in (0, 100):
            with open(self.costs, "w", encoding="utf-8") as file:
                json.dump({"surprise_ns": surprise}, file)
            times.append(self.rows("tree:depth=12", "--markers", "1")[0]["mark_ns"])
        self.assertGreater(times[1], 1.1 * times[0])

    def test_a_small_last_cache_is_filled(self):
        lines = [self.rows("tree:depth=16,order=shuffled", "--markers", "1", "--topology",
                           f"l3:1(size={size}MiB) core:1 pu:1")[0]["memory_lines"] for size in (1, 32)]
        self.assertGreater(lines[0], 1.1 * lines[1])

    def test_waits_are_named(self):
        """A shuffled list waits for its elements: the loops for single references ask for them."""
        text = self.works("--quiet", "--costs", self.costs, "--markers", "1", "--graph",
                          "list:length=5K,order=shuffled", "--waits", "3").stdout
        waits = text[text.index("Where the markers wait"):].splitlines()[4:]
        self.assertEqual(len(waits), 3)
        for line in waits:
            self.assertRegex(line, r"list.* bwos +1 +\d+\.\d  memory +\w+ \w+\.[ch]:\d+")
        self.assertGreater(float(waits[0].split()[3]), 10)

    def test_more_threads_than_cores(self):
        rows = self.rows("tree:depth=14", "--markers", "8", "--topology", "core:2 pu:1")
        self.assertEqual(rows[1]["objects"], 32767)
        self.assertLessEqual(rows[1]["bound"], 2)


class Repeat(Case):
    def test_same_seed_same_rows(self):
        again = [self.rows("random:objects=20K", "--markers", "2,8", "--topology", SMALL,
                           "--seed", "7") for _ in range(3)]
        self.assertEqual(again[0], again[1])
        self.assertEqual(again[0], again[2])

    def test_rows_do_not_depend_on_each_other(self):
        """Also where the library tries two ways of marking: in heaps of 16 regions and more."""
        graph = "random:objects=1M,degree=3"
        alone = self.rows(graph, "--markers", "4", "--topology", SMALL)
        listed = self.rows(graph, "--markers", "2,4", "--topology", SMALL)
        self.assertEqual([r["markers"] for r in listed], [1, 2, 4])
        self.assertEqual(alone, [listed[0], listed[2]])

    def test_seeds_make_a_range(self):
        arguments = ("tree:depth=14", "--markers", "4", "--topology", SMALL)
        single = [self.rows(*arguments, "--seed", str(seed))[1] for seed in (5, 6, 7)]
        document = self.simulate(*arguments, "--seed", "5", "--seeds", "3")
        times = sorted(row["mark_ns"] for row in single)
        row = document["rows"][1]
        self.assertEqual([row["mark_ns_least"], row["mark_ns"], row["mark_ns_most"]], times)
        self.assertLess(times[0], times[2])
        self.assertEqual((document["seed"], document["seeds"]), (5, 3))

    def test_costs_cost(self):
        """One marker pays what each instruction costs, and nothing else scales with it."""
        times = []
        for cost in (1, 2, 3):
            with open(self.costs, "w", encoding="utf-8") as file:
                names = ("memory_ns", "line_ns", "load_line_ns", "store_line_ns", "stream_ns",
                         "own_ns", "cache_ns", "cache_line_ns", "remote_ns", "atomic_ns",
                         "clock_ns", "sleep_ns", "wake_call_ns")
                file.write(json.dumps({**dict.fromkeys(names, 0), "instruction_ns": cost}))
            row = self.rows("tree:depth=12", "--markers", "1")[0]
            times.append((row["mark_ns"], row["instructions"]))
        self.assertEqual(times[0][1], times[1][1])
        self.assertAlmostEqual(times[1][0] - times[0][0], times[0][1], delta=0.02 * times[0][0])
        self.assertAlmostEqual(times[2][0] - times[1][0], times[1][0] - times[0][0],
                               delta=0.02 * times[0][0])

    def test_warm_caches_are_faster(self):
        """A heap that fits the last cache is there when it is marked again."""
        cold, warm = (self.rows("tree:depth=14,order=shuffled", "--markers", "1",
                                "--topology", SMALL, *more)[0] for more in ((), ("--warm",)))
        self.assertGreater(cold["memory_lines"], 0)
        self.assertLess(warm["memory_lines"], 0.1 * cold["memory_lines"])
        self.assertLess(warm["mark_ns"], cold["mark_ns"])

    def test_loads_are_waited_for(self):
        """A list cannot be ahead of its loads; leaves that are asked for ahead can."""
        times = {}
        for memory in (100, 1000):
            with open(self.costs, "w", encoding="utf-8") as file:
                json.dump({"memory_ns": memory}, file)
            for graph in ("list:length=5K,order=shuffled", "wide:leaves=50K"):
                times[graph, memory] = self.rows(graph, "--markers", "1")[0]["mark_ns"]
        self.assertGreater(times["list:length=5K,order=shuffled", 1000],
                           4 * times["list:length=5K,order=shuffled", 100])
        self.assertLess(times["wide:leaves=50K", 1000], 3 * times["wide:leaves=50K", 100])

    def test_costs_come_back(self):
        first = self.simulate("tree:depth=10", "--markers", "2", "--topology", SMALL)
        self.costs = self.path("first.json")
        with open(self.costs, "w", encoding="utf-8") as file:
            json.dump(first, file)
        second = self.simulate("tree:depth=10", "--markers", "2", "--topology", SMALL)
        self.assertEqual(first["rows"], second["rows"])
        self.assertEqual(first["costs"], second["costs"])


PARTS = {"usage": Usage, "rows": Rows, "repeat": Repeat}


def main():
    if "--program" in sys.argv and not os.path.exists(sys.argv[sys.argv.index("--program") + 1]):
        print("tidemark-simulate was not built here: skipped")
        return 77
    return program.main(__doc__, PARTS)


if __name__ == "__main__":
    sys.exit(main())
