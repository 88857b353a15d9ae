#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `tidemark limit`, `compare --limit`, `mark --trace` and the library's probes from
outside, on tiny graphs. Figures hang together; none is judged.

Usage: limit_trace_cli.py --program PROGRAM [--library LIBRARY] [--sanitizer NAME] PART
"""
import json
import os
import re
import shutil
import subprocess
import sys

import program
from program import OPTIONS

USAGE, INPUT, RESOURCES = 2, 3, 4
CPUS = len(os.sched_getaffinity(0))
QUICK = ("--bytes", "1M", "--run-ms", "0.1", "--rounds", "2", "--quiet")


class Case(program.Case):
    def fails(self, status, words, *arguments):
        super().fails(status, words, *arguments)
        self.assertEqual(os.listdir(self.folder), [])


class Limit(Case):
    def test_help(self):
        text = self.works("limit", "--help").stdout
        for word in ("--graph", "--json", "--seconds", "oracle"):
            self.assertIn(word, text)

    def test_bad_input(self):
        for status, words, arguments in (
                (USAGE, "--rounds|0", ("--rounds", "0")),
                (USAGE, "--bytes|10", ("--bytes", "10")),
                (USAGE, "--run-ms|x", ("--run-ms", "x")),
                (USAGE, "--seconds|-1", ("--seconds=-1",)),
                (USAGE, "unexpected|surplus", ("surplus",)),
                (USAGE, "nonesuch", ("--graph", "tree:depth=3;nonesuch:x=1")),
                (USAGE, "one kind", ("--objects", "precise,conservative")),
                (USAGE, "banana", ("--graph", "tree:depth=banana")),
                (INPUT, "nope.thg", ("--graph", "file:nope.thg")),
                (RESOURCES, "too small", ("--graph", "tree:depth=24", "--heap-max", "8M")),
                (RESOURCES, "nowhere", ("--json", self.path("nowhere/x.json")))):
            with self.subTest(arguments):
                self.fails(status, words, "limit", *QUICK, *arguments)

    def test_rows(self):
        graphs = {"tree:depth=8": 511, "wide:leaves=300": 301, "list:length=100,order=shuffled": 100}
        result = self.works("limit", *QUICK, "--graph", ";".join(graphs), "--json", "-")
        document = json.loads(result.stdout)
        self.assertLessEqual({"version", "host", "bytes", "rows", "graphs"}, document.keys())
        names = []
        for row in document["rows"]:
            self.assertGreater(row["value"], 0, row)
            self.assertTrue(row["min"] <= row["value"] <= row["max"], row)
            self.assertIn(row["unit"], ("ns", "ns/object"))
            names.append((row.get("graph"), row["name"]))
        self.assertEqual(len(names), len(set(names)), "names are unique")
        plain = " ".join(name for graph, name in names if graph is None)
        for word in ("dependent random load", "independent random load", "sequential line", "store"):
            self.assertIn(word, plain)
        self.assertEqual("core to core" in plain, CPUS > 1)
        self.assertIn("oracle, depth-first order, 1 thread", result.stderr)
        self.assertIn("replay, 1 thread", result.stderr)
        found = {g["graph"]: g["objects"] for g in document["graphs"]}
        self.assertEqual(found, graphs)
        for graph in document["graphs"]:
            rows = [r for r in document["rows"] if r.get("graph") == graph["graph"]]
            self.assertEqual({r["order"] for r in rows}, {"depth-first", "address", "replay"})
            one = {r["order"]: r["value"] for r in rows if r["threads"] == 1}
            self.assertEqual(graph["replay_ns_per_object"], one.pop("replay"))
            self.assertEqual(graph["oracle_ns_per_object"], min(one.values()))

    def test_lines(self):
        """What is read: a line for a small node, all lines of an array, none of a leaf."""
        def lines(graph, *more):
            result = self.works("limit", *QUICK, "--graph", graph, "--json", "-", *more)
            return json.loads(result.stdout)["graphs"][0]["lines_read"]
        self.assertEqual(lines("list:length=50"), 50)
        graph = "file:" + os.path.abspath(__file__ + "/../../../workloads/graphs/ast.thg")
        self.assertGreater(lines(graph, "--objects", "conservative"), 1.1 * lines(graph))
        array = lines("wide:leaves=8000")  # 64000 bytes of slots, from a line's beginning
        self.assertTrue(1000 <= array <= 1001, array)

    def test_time_is_up(self):
        result = self.works("limit", "--bytes", "1M", "--run-ms", "0.1", "--rounds", "9", "--graph",
                            "tree:depth=6", "--seconds", "0", "--json", "-")
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual({r["rounds"] for r in rows if "graph" in r}, {1})
        self.assertEqual({r["rounds"] for r in rows if "graph" not in r}, {9})


class Compare(Case):
    BASE = ("compare", "--graph", "tree:depth=9;map:entries=200", "--engine", "bwos,serial",
            "--markers", "1,2", "--rounds", "2", "--quiet", "--json", "-")

    def test_with_limit(self):
        result = self.works(*self.BASE, "--limit", "--check")
        self.assertIn("to oracle", result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual(len(rows), 6)
        for row in rows:
            self.assertGreater(row["oracle_ns_per_object"], 0)
            self.assertGreater(row["ratio_to_oracle"], 0)
            self.assertGreater(row["ratio_to_replay"], 0)
            self.assertIs(row["checked"], True)
            self.assertTrue(row["instructions_per_object"] is None or
                            row["instructions_per_object"] > 1)
        oracles = {(r["graph"], r["markers"]): r["oracle_ns_per_object"] for r in rows}
        for row in rows:
            self.assertEqual(row["oracle_ns_per_object"], oracles[row["graph"], row["markers"]])

    def test_without(self):
        result = self.works(*self.BASE)
        self.assertNotIn("oracle", result.stderr)
        for row in json.loads(result.stdout)["rows"]:
            self.assertIsNone(row["ratio_to_oracle"])
            self.assertIsNone(row["ratio_to_replay"])
            self.assertIsNone(row["oracle_ns_per_object"])


class Trace(Case):
    def trace(self, graph, engine, markers):
        path = self.path("trace.json")
        result = self.works("mark", "--graph", graph, "--engine", engine, "--markers", markers,
                            "--rounds", "2", "--quiet", "--trace", path, "--json", "-")
        return self.json_of(path), json.loads(result.stdout)["rows"][0]

    def test_bad_input(self):
        base = ("mark", "--graph", "tree:depth=4", "--markers", "1")
        self.fails(RESOURCES, "nowhere", *base, "--trace", self.path("nowhere/t.json"))
        self.fails(USAGE, "--trace|empty", *base, "--trace", "")
        engines = json.loads(self.works("engines", "--json", "-").stdout)["engines"]
        if any(e["name"] == "boehm" and e["available"] for e in engines):
            self.fails(USAGE, "boehm", *base, "--engine", "boehm", "--trace", self.path("t.json"))

    def check(self, document, markers):
        """What holds for every trace: fields, names, spans that nest."""
        events = document["traceEvents"]
        lanes = {}
        for event in events:
            self.assertLessEqual({"name", "ph", "pid", "tid", "ts"}, event.keys())
            self.assertGreaterEqual(event["ts"], 0)
            self.assertIn(event["ph"], "XiCM")
            self.assertLessEqual(event["tid"], markers)
            if event["ph"] == "X":
                self.assertGreaterEqual(event["dur"], 0)
                lanes.setdefault(event["tid"], []).append(event)
        for spans in lanes.values():
            stack = []
            for span in sorted(spans, key=lambda s: (s["ts"], -s["dur"])):
                begin = round(span["ts"] * 1000)
                end = begin + round(span["dur"] * 1000)
                while stack and stack[-1] <= begin:
                    stack.pop()
                if stack:
                    self.assertLessEqual(end, stack[-1], span)
                stack.append(end)
        return events

    def test_one_marker(self):
        document, row = self.trace("map:entries=300", "bwos", 1)
        events = self.check(document, 1)
        self.assertEqual(document["otherData"]["events_lost"], 0)
        spans = [e for e in events if e["ph"] == "X"]
        traced = [e for e in spans if e["name"] == "trace"]
        self.assertEqual(len(traced), document["otherData"]["collections"])
        for span in traced:
            self.assertEqual(span["args"]["objects"], row["objects"])
        names = {e["name"] for e in spans}
        self.assertLessEqual({"collection", "stop", "mark", "weak", "sweep", "roots"}, names)
        cycles = [e["args"] for e in spans if e["name"] == "collection"]
        self.assertEqual([(c["kind"], c["cause"]) for c in cycles], 3 * [("full", "call")])
        self.assertEqual([c["number"] - cycles[0]["number"] for c in cycles], [0, 1, 2])
        self.assertEqual([e for e in events if e["ph"] == "i"], [], "nobody to steal from")

    def test_two_markers(self):
        for engine in ("bwos", "abp", "mutex"):
            document, _ = self.trace("tree:depth=16", engine, 2)
            events = self.check(document, 2)
            active = [e["args"]["active markers"] for e in events
                      if e["ph"] == "C" and e["name"] == "active markers"]
            self.assertLessEqual(max(active), 2)
            self.assertEqual(active[-1], 0, "all have left")

    def test_testing(self):
        document, row = self.trace("random:objects=60K,degree=4,roots=20K", "bwos", 1)
        events = self.check(document, 1)
        tested = sum(e["args"]["objects"] for e in events if e["name"] == "test")
        in_stats = row["fastest_round"]["marker"][0]["test_objects"]
        self.assertGreater(tested, 0)
        self.assertGreater(in_stats, 0)

    def test_times_add_up(self):
        result = self.works("mark", "--graph", "random:objects=50K,degree=4,roots=1K", "--markers",
                            "2", "--rounds", "3", "--json", "-")
        cycle = json.loads(result.stdout)["rows"][0]["fastest_round"]
        for marker in cycle["marker"]:
            parts = sum(marker[k] for k in ("roots_ns", "trace_ns", "idle_ns"))
            self.assertEqual(parts, marker["ended_ns"] - marker["started_ns"])
            self.assertLessEqual(marker["ended_ns"], cycle["mark_ns"])
        self.assertGreater(cycle["marker"][0]["roots_ns"], 0)


class Probes(Case):
    WANTED = {"cycle__begin", "cycle__end", "stopped", "mark__begin", "mark__end", "weak__end",
              "sweep__end", "join", "leave", "steal", "grant", "park", "wake", "heap__grew", "heap__shrank", "stop__late"}

    def test_notes(self):
        if not OPTIONS.library or not shutil.which("readelf"):
            self.skipTest("needs readelf and the shared library")
        compiler = shutil.which("cc") or shutil.which("gcc")
        header = compiler and subprocess.run(
            [compiler, "-E", "-x", "c", "-"], input="#include <sys/sdt.h>\n", text=True,
            capture_output=True, check=False).returncode == 0
        if not header:
            self.skipTest("<sys/sdt.h> is not there: built without probes")
        notes = subprocess.run(["readelf", "-nW", OPTIONS.library], capture_output=True, text=True,
                               check=True).stdout
        found = set(re.findall(r"Provider: tidemark\s+Name: (\w+)", notes))
        self.assertEqual(found, self.WANTED)
        begin = re.search(r"Name: cycle__begin\s.*?Arguments: (.*)", notes, re.DOTALL)
        self.assertEqual(len(begin[1].split("\n")[0].split()), 3, "heap, kind, cause")


PARTS = {"limit": Limit, "compare": Compare, "trace": Trace, "probes": Probes}


if __name__ == "__main__":
    sys.exit(program.main(__doc__, PARTS, "library", "sanitizer"))
