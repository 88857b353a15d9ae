#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of `tidemark queue` from outside: messages, exit statuses, JSON, plots.

Usage: queue_cli.py --program PROGRAM [--sanitizer NAME] PART

Figures are not judged: a machine may be too busy to give any, and then rows hold null.
"""
import json
import os
import shutil
import sys

import program

CHECK, USAGE, RESOURCES = 1, 2, 4
CPUS = len(os.sched_getaffinity(0))
QUEUES = ["bwos", "bwos-paper", "bwos-fifo", "abp", "abp-sc", "chase-lev", "ring", "eigen", "bbq",
          "tokio", "go", "kotlin", "mutex", "pool", "pool-bwos", "serial"]
LIFO = [q for q in QUEUES if q not in ("bwos-fifo", "bbq", "tokio", "go", "kotlin")]
POLICIES = ["random", "sequential", "last", "best-of-two", "best-of-many", "numa", "random+prob",
            "numa+prob"]
FIELDS = {"experiment", "pattern", "engine", "threads", "stolen_percent", "balance_percent",
          "policy", "mops", "ratio_to_seq", "cursor"}
QUICK = ("--rounds", "2", "--run-ms", "0.1")


def run(*arguments):
    return program.run("queue", *arguments)


class Case(program.Case):
    def fails(self, status, words, *arguments):
        result = super().fails(status, words, "queue", *arguments)
        self.assertEqual(result.stdout, "")

    def rows(self, experiment, *arguments):
        """The rows of an experiment, after checks that hold for all of them."""
        result = run("--experiment", experiment, *QUICK, "--json", "-", *arguments)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        document = json.loads(result.stdout)
        self.assertLessEqual({"version", "host", "settings", "rows"}, document.keys())
        self.assertRegex(document["host"]["compiler"], "gcc|clang")
        self.assertIn("ratio", result.stderr, "the table goes to stderr")
        for row in document["rows"]:
            self.assertLessEqual(FIELDS, row.keys())
            self.assertEqual(row["experiment"], experiment)
            self.assertLessEqual(row["runs"], 2)
            self.assertEqual(row["runs"] == 0, row["mops"] is None, row)
            if row["mops"] is not None:
                self.assertGreater(row["mops"], 0)
                self.assertLessEqual(row["mops_spread"]["min"], row["mops"])
                self.assertGreaterEqual(row["mops_spread"]["max"], row["mops"])
            if row["ratio_to_seq"] is not None:
                self.assertGreater(row["ratio_to_seq"], 0)
        return document["rows"]

    def need_two_cpus(self):
        if CPUS < 2:
            self.skipTest("needs two CPUs")


class Usage(Case):
    """Command lines that make no sense: status 2, one line that names what is wrong."""

    def test_experiment(self):
        self.fails(USAGE, "--experiment|missing")
        self.fails(USAGE, "nonesuch|pool", "--experiment", "nonesuch")
        self.fails(USAGE, "unexpected|single", "single")

    def test_capacity(self):
        for words, arguments in (
                ("--blocks|0", ("--blocks", "0")),
                ("--entries|0", ("--entries", "0")),
                ("--entries|-8", ("--entries=-8",)),
                ("powers of two|3", ("--blocks", "3")),
                ("powers of two|100", ("--entries", "100")),
                ("powers of two", ("--blocks", "1")),
                ("powers of two", ("--entries", "1", "--engine", "bwos")),
                ("not too large|8192", ("--entries", "8192", "--engine", "bwos")),
                ("too large", ("--blocks", 2**31, "--entries", "4096")),
                ("too large", ("--blocks", 2**31, "--entries", 2**31, "--engine", "abp")),
                ("--blocks|99999999999", ("--blocks", "99999999999")),
                ("too few", ("--blocks", "2", "--entries", "2", "--pattern", "fill-drain")),
                ("gc-random|1024", ("--blocks", "2", "--entries", "128", "--pattern",
                                    "gc-random"))):
            with self.subTest(arguments):
                self.fails(USAGE, words, "--experiment", "single", *arguments)

    def test_threads(self):
        self.fails(USAGE, "--threads|allowed", "--experiment", "pool", "--threads", CPUS + 1)
        self.fails(USAGE, "--threads|allowed", "--experiment", "pool", "--threads", "100000")
        self.fails(USAGE, "--threads|0", "--experiment", "pool", "--threads", "0")
        self.need_two_cpus()
        self.fails(USAGE, "--threads|not 1", "--experiment", "pool", "--threads", "1")
        self.fails(USAGE, "--threads|not 1", "--experiment", "stolen", "--threads", "1")
        self.fails(USAGE, "--threads|not 2", "--experiment", "single", "--threads", "2")

    def test_percentages(self):
        for option, experiment in (("--stolen", "stolen"), ("--balance", "pool")):
            for text in ("101", "-1", "1e9", "nan", "inf", "ten", "10,", ""):
                with self.subTest((option, text)):
                    self.fails(USAGE, option, "--experiment", experiment, f"{option}={text}")

    def test_names(self):
        self.fails(USAGE, "nonesuch|bwos", "--experiment", "single", "--engine", "nonesuch")
        self.fails(USAGE, "|".join(QUEUES), "--experiment", "single", "--engine", "nonesuch")
        self.fails(USAGE, "boehm|bwos", "--experiment", "single", "--engine", "bwos,boehm")
        self.fails(USAGE, "twice|abp", "--experiment", "single", "--engine", "abp,abp")
        self.fails(USAGE, "serial", "--experiment", "stolen", "--engine", "serial")
        self.fails(USAGE, "nonesuch", "--experiment", "single", "--pattern", "nonesuch")
        self.fails(USAGE, "steals", "--experiment", "single", "--pattern", "steals")
        for text in ("nonesuch", "Random", "random+", "numa+numa"):
            self.fails(USAGE, f"{text}|best-of-two", "--experiment", "pool", "--policy", text)

    def test_options_without_effect(self):
        for option, value, experiment in (
                ("--stolen", "10", "single"), ("--balance", "10", "stolen"),
                ("--policy", "random", "single"), ("--pattern", "fill-drain", "pool"),
                ("--frequency", "10", "stolen"), ("--batch", "8", "single")):
            self.fails(USAGE, f"{option}|{experiment}", "--experiment", experiment, option, value)

    def test_forkjoin(self):
        for words, arguments in (
                ("newest|tokio", ("--engine", "bwos,tokio")), ("nonesuch|bwos", ("--engine", "nonesuch")),
                ("twice|abp", ("--engine", "abp,abp")), ("serial", ("--engine", "serial")),
                ("--task|-1", ("--task=-1",)), ("--task|1e9", ("--task", "1e9")),
                ("--task|nan", ("--task", "nan")), ("--depth|0", ("--depth", "0")),
                ("--depth|25", ("--depth", "25")), ("--threads|0", ("--threads", "0")),
                ("--threads|257|256", ("--threads", "257")), ("--pattern", ("--pattern", "gc-random"))):
            with self.subTest(arguments):
                self.fails(USAGE, words, "--experiment", "forkjoin", *arguments)
        for option in ("--task", "--depth"):
            self.fails(USAGE, f"{option}|single", "--experiment", "single", option, "1")

    def test_other_numbers(self):
        for option, value in (("--batch", "0"), ("--batch", "33"), ("--rounds", "0"),
                              ("--run-ms", "0"), ("--run-ms", "-1")):
            self.fails(USAGE, option, "--experiment", "single", f"{option}={value}")
        self.fails(USAGE, "--frequency", "--experiment", "interference", "--frequency", "2G")

    def test_files_are_refused_before_measuring(self):
        self.fails(USAGE, "FILE.svg", "--experiment", "single", "--plot", self.path("x.gif"))
        self.fails(RESOURCES, "no-such-folder", "--experiment", "single", "--json",
                   self.path("no-such-folder/x.json"))

    def test_help(self):
        result = run("--help")
        self.assertEqual(result.returncode, 0)
        for word in (*POLICIES, "single", "stolen", "pool", "interference", "forkjoin", "tbb", "--json"):
            self.assertIn(word, result.stdout)


class Rows(Case):
    """What the experiments report."""

    def test_single(self):
        rows = self.rows("single")
        patterns = ["fill-drain", "gc-predictable", "gc-random"]
        found = {(r["pattern"], r["engine"], r["cursor"]) for r in rows}
        self.assertEqual(found, {(p, q, c) for p in patterns for q in QUEUES
                                 for c in (False, True)})
        self.assertEqual(len(rows), len(found))
        for row in rows:
            self.assertEqual(row["threads"], 1)
            for absent in ("stolen_percent", "balance_percent", "policy"):
                self.assertIsNone(row[absent])
            if row["engine"] == "serial" and not row["cursor"] and row["mops"] is not None:
                self.assertEqual(row["ratio_to_seq"], 1)

    def test_single_chosen(self):
        rows = self.rows("single", "--engine", "abp", "--pattern", "gc-random", "--blocks", "16",
                         "--entries", "64")
        self.assertEqual({r["engine"] for r in rows}, {"serial", "abp"}, "serial is the base")
        self.assertEqual({r["pattern"] for r in rows}, {"gc-random"})

    def test_stolen(self):
        self.need_two_cpus()
        rows = self.rows("stolen", "--stolen", "0,10", "--run-ms", "1")
        self.assertEqual({r["engine"] for r in rows}, set(QUEUES))
        for row in rows:
            self.assertEqual(row["pattern"], "fill-drain")
            if row["engine"] == "serial":
                self.assertEqual(row["threads"], 1)
                self.assertIsNone(row["stolen_percent"])
            elif row["mops"] is not None:
                self.assertEqual(row["threads"], 2)
                self.assertGreaterEqual(row["stolen_percent"], 0)
                # Paced by what has been put, and a batch more at most.
                self.assertLessEqual(row["stolen_percent"], row["stolen_percent_wanted"] + 0.5)
        self.assertIn(10, {r["stolen_percent_wanted"] for r in rows})

    def test_pool(self):
        self.need_two_cpus()
        rows = self.rows("pool", "--threads", "2", "--policy", ",".join(POLICIES), "--balance",
                         "0,100", "--engine", "bwos,mutex")
        found = {(r["engine"], r["policy"], r["balance_percent"]) for r in rows
                 if r["engine"] != "serial"}
        self.assertEqual(found, {(q, p, b) for q in ("bwos", "mutex") for p in POLICIES
                                 for b in (0, 100)})
        for row in rows:
            if row["balance_percent"] == 0 and row["stolen_percent"] is not None:
                self.assertEqual(row["stolen_percent"], 0)
            if row["policy"] and "numa" not in row["policy"]:
                self.assertEqual(row["policy"], row["policy_in_force"])

    def test_batches_and_rivals(self):
        self.need_two_cpus()
        rows = self.rows("stolen", "--engine", "bwos,abp,mutex,bwos-fifo,tokio", "--stolen", "0,5",
                         "--batch", "1,8", "--run-ms", "1")
        found = {(r["engine"], r["batch"], r["stolen_percent_wanted"], r["cursor"]) for r in rows
                 if r["engine"] != "serial"}
        self.assertEqual(len(found), 5 * 2 * 2 * 2)
        for row in rows:
            rivals = {"bwos": ("abp", "mutex"), "bwos-fifo": ("tokio",)}.get(row["engine"])
            if not rivals:
                self.assertIsNone(row["best_rival"])
                continue
            like = [r for r in rows if r["engine"] in rivals and r["mops"] is not None and all(
                r[k] == row[k] for k in ("batch", "stolen_percent_wanted", "cursor"))]
            if like:
                best = max(like, key=lambda r: r["mops"])
                self.assertEqual(row["best_rival"], best["engine"])
            else:
                self.assertIsNone(row["best_rival"])

    def test_numa_falls_back_aloud(self):
        self.need_two_cpus()
        arguments = ("--experiment", "pool", "--threads", "2", "--policy", "numa", "--balance",
                     "50", "--engine", "bwos", *QUICK)
        result = run(*arguments, "--json", self.path("rows.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [r for r in self.json_of("rows.json")["rows"] if r["policy"]]
        self.assertEqual({r["policy"] for r in rows}, {"numa"})
        # Between two threads there is one victim: nothing to choose by, on any machine.
        self.assertEqual({r["policy_in_force"] for r in rows}, {"random"})
        self.assertIn("numa was random", result.stdout)

    def test_interference(self):
        self.need_two_cpus()
        rows = self.rows("interference", "--engine", "bwos,abp", "--frequency", "0,100K")
        lines = [r for r in rows if r["engine"] is None]
        self.assertEqual({(r["pattern"], r["threads"]) for r in lines},
                         {(p, t) for p in ("store-1-line", "store-64-lines", "add-1-line",
                                           "add-64-lines") for t in (1, 2)})
        for row in rows:
            if row["engine"] in ("bwos", "abp"):
                self.assertIn(row["pattern"], ("steals", "sizes"))
                self.assertIn(row["events_per_second_wanted"], (0, 100000))

    def test_forkjoin(self):
        result = run("--experiment", "forkjoin", *QUICK, "--json", "-", "--threads", "3", "--task", "0,30",
                     "--depth", "8")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        queues = {r["queue"] for r in rows}
        self.assertEqual(queues - {"tbb"}, set(LIFO))
        self.assertEqual("tbb" in queues, "did not find oneTBB" not in result.stderr)
        found = {(r["queue"], r["threads"], r["task_ns"]) for r in rows}
        self.assertEqual(found, {(q, n, t) for q in queues for n in (1, 2, 3) for t in (0, 30)
                                 if q != "serial" or n == 1})
        self.assertEqual(len(rows), len(found))
        for row in rows:
            self.assertLessEqual({"ns_per_task", "speedup", "steals", "ratio_to_first"}, row.keys())
            if row["threads"] == 1 and row["queue"] != "tbb" and row["runs"]:
                self.assertEqual((row["speedup"], row["steals"]), (1, 0))
            if row["queue"] == "bwos" and row["runs"]:
                self.assertEqual(row["ratio_to_first"], 1)

    def test_forkjoin_of_tiny_rings(self):
        result = run("--experiment", "forkjoin", *QUICK, "--json", "-", "--blocks", "2", "--entries", "2",
                     "--threads", "2", "--task", "0", "--depth", "9", "--engine", "bwos,chase-lev,abp")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["rows"]), 6)

    def test_plots(self):
        if not shutil.which("gnuplot"):
            self.skipTest("needs gnuplot")
        experiments = [("single", "--engine", "bwos,abp"),
                       ("forkjoin", "--engine", "bwos,abp", "--threads", "2", "--task", "0")]
        if CPUS >= 2:
            experiments += [("stolen", "--engine", "bwos,abp", "--stolen", "0,5"),
                            ("pool", "--policy", "random,last", "--threads", "2"),
                            ("interference", "--engine", "bwos", "--frequency", "1K,1M")]
        for experiment, *arguments in experiments:
            with self.subTest(experiment):
                path = self.path(f"{experiment}.svg")
                result = run("--experiment", experiment, *QUICK, *arguments, "--plot", path)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("</svg>", self.text_of(path))


PARTS = {"usage": Usage, "rows": Rows}


if __name__ == "__main__":
    sys.exit(program.main(__doc__, PARTS, "sanitizer"))
