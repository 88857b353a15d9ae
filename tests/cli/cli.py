#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the tidemark program from outside: exit statuses, messages, files and JSON.

Usage: cli.py --program PROGRAM --root SOURCE_TREE [--sanitizer NAME] PART
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from program import INPUT, OPTIONS, RESOURCES, USAGE, Case, children_of, main, run


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Usage(Case):
    """Command lines that make no sense: status 2, one line that names what is wrong."""

    def test_no_command(self):
        result = run()
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("Commands:", result.stderr)

    def test_unknown_command(self):
        self.fails(USAGE, "frobnicate", "frobnicate")
        self.fails(USAGE, "frobnicate", "help", "frobnicate")

    def test_help(self):
        for arguments in (("--help",), ("-h",), ("help",)):
            self.assertIn("compare", self.works(*arguments).stdout)
        for command in ("compare", "mark", "graph", "import", "engines"):
            text = self.works(command, "--help").stdout
            self.assertIn(f"Usage: tidemark {command}", text)
            self.assertIn("--json", text)
            self.assertEqual(self.works("help", command).stdout, text)

    def test_version(self):
        self.assertRegex(self.works("--version").stdout, r"^tidemark \d+\.\d+\.\d+\n$")

    def test_options(self):
        for words, arguments in (
                ("--colour", ("--colour", "red")),
                ("-x", ("-x",)),
                ("--rounds|needs a value", ("--rounds",)),
                ("--check|no value", ("--check=yes",)),
                ("surplus", ("surplus",)),
                ("--rounds|0", ("--rounds", "0")),
                ("--rounds|-1", ("--rounds", "-1")),
                ("--rounds|banana", ("--rounds", "banana")),
                ("--rounds|3.5", ("--rounds", "3.5")),
                ("--rounds|99999999999999999999", ("--rounds", "99999999999999999999")),
                ("--markers|0", ("--markers", "0")),
                ("--markers|100000", ("--markers", "1,100000")),
                ("--markers|empty", ("--markers", "1,,2")),
                ("--engine|empty", ("--engine", "")),
                ("nonesuch|bwos", ("--engine", "nonesuch")),
                ("nonesuch|best-of-many|numa+prob", ("--policy", "nonesuch")),
                ("more than 64", ("--markers", ",".join("1" * 65))),
                ("--heap-max|1Q", ("--heap-max", "1Q")),
                ("--heap-max|10", ("--heap-max", "10")),
                ("nonesuch|precise conservative", ("--objects", "nonesuch")),
                ("--objects|boehm are always conservative", ("--engine", "boehm", "--objects", "precise")),
                ("--objects|boehm-typed are always precise",
                 ("--engine", "boehm-typed,boehm", "--objects", "conservative")),
                ("--seconds|0", ("--seconds", "0")),
                ("--seconds|-1", ("--seconds", "-1")),
                ("--seconds|1e9", ("--seconds", "1e9")),
                ("--seconds|soon", ("--seconds", "soon")),
                ("serial|nothing to do", ("--engine", "serial", "--markers", "2"))):
            with self.subTest(arguments):
                self.fails(USAGE, words, "compare", "--graph", "tree:depth=4", *arguments)

    def test_nearest_names(self):
        for meant, arguments in (("compare", ("comapre",)), ("bdwgc-bench", ("bdwgc",)), ("bwos", ("mark", "tree:depth=4",
                                 "--engine", "bwso")), ("--rounds", ("compare", "--ruonds", "3"))):
            with self.subTest(arguments):
                self.fails(USAGE, "did you mean '" + (meant if meant[0] != "-" else meant[2:]), *arguments)
        self.assertNotIn("did you mean", run("xyzzy").stderr)

    def test_numbers_with_a_point(self):
        self.assertIn("objects     1", self.works("graph", "random:objects=1.5K").stdout)
        for spec in ("random:objects=1.5", "random:objects=1.0005K", "random:objects=1.K", "random:objects=1..5K"):
            self.fails(USAGE, "not a number", "graph", spec)
        self.fails(USAGE, "--heap-max", "mark", "tree:depth=4", "--heap-max", "1.00000001M")
        self.works("mark", "tree:depth=4", "--heap-max", "1.5M", "--markers", "1")

    def test_specs_without_an_option(self):
        table = self.works("compare", "tree:depth=8", "list:length=200", "--engine", "bwos", "--markers", "1",
                           "--rounds", "1").stdout
        self.assertIn("list:length=200", table)
        self.assertIn("tree:depth=8", self.works("mark", "tree:depth=8", "--markers", "1").stdout)

    def test_narrow_tables(self):
        for more in ((), ("--limit",)):
            table = self.works("compare", "random:objects=20K,degree=16", "--markers", "1,2", "--rounds", "2", *more)
            self.assertLessEqual(max(map(len, table.stdout.splitlines()[:8])), 100)

    def test_graphs(self):
        for words, spec in (("nonesuch", "nonesuch:x=1"), ("banana", "tree:depth=banana"),
                            ("width", "tree:width=4"), ("depth", "tree:depth=99"),
                            ("empty", "tree:depth=4;"), ("empty", "")):
            with self.subTest(spec):
                self.fails(USAGE, words, "compare", "--engine", "bwos", "--graph", spec)

    def test_mark(self):
        self.fails(USAGE, "--graph", "mark")
        self.fails(USAGE, "2", "mark", "--graph", "tree:depth=4;tree:depth=5")
        self.fails(USAGE, "serial", "mark", "--graph", "tree:depth=4", "--engine", "serial",
                   "--markers", "2")
        self.fails(USAGE, "--objects|one kind", "mark", "--graph", "tree:depth=4", "--objects",
                   "precise,conservative")
        self.fails(USAGE, "--objects|boehm are always", "mark", "--graph", "tree:depth=4", "--engine",
                   "boehm", "--objects", "conservative")

    def test_mark_out_of_range(self):
        for words, arguments in (
                ("--markers|'0'", ("--markers", "0")), ("--markers|'257'", ("--markers", "257")),
                ("--markers|'1.5'", ("--markers", "1.5")), ("--markers|'2,3'", ("--markers", "2,3")),
                ("--markers|'18446744073709551617'", ("--markers", "18446744073709551617")),
                ("--rounds|'0'", ("--rounds", "0")), ("--rounds|'10001'", ("--rounds", "10001")),
                ("--heap-max|'0'", ("--heap-max", "0")), ("--heap-max|'-5'", ("--heap-max", "-5")),
                ("--heap-max|'1E'", ("--heap-max", "1E")),
                ("--heap-max|128T", ("--heap-max", "99999999T")),
                ("--objects", ("--objects", "")), ("--objects", ("--objects",)),
                ("bwos,abp", ("--engine", "bwos,abp"))):
            with self.subTest(arguments):
                self.fails(USAGE, words, "mark", "--graph", "tree:depth=4", *arguments)
        for words, spec in (
                ("local=101|0 to 100", "clustered:local=101"), ("-1", "clustered:local=-1"),
                ("50%", "clustered:local=50%"), ("objects=0", "clustered:objects=0"),
                ("degree=1001", "clustered:degree=1001"), ("roots=0", "powerlaw:roots=0"),
                ("objects=99999999999", "powerlaw:objects=99999999999"),
                ("local", "powerlaw:local=5")):
            with self.subTest(spec):
                self.fails(USAGE, words, "mark", "--graph", spec)

    def test_missing_words(self):
        self.fails(USAGE, "SPEC", "graph")
        self.fails(USAGE, "unexpected", "graph", "tree:depth=4", "tree:depth=5")
        self.fails(USAGE, "FILE", "import")
        self.fails(USAGE, "-o", "import", "-")

    def test_environment(self):
        for name, value in (("TIDE_ENGINE", "nonesuch"), ("TIDE_POLICY", "nonesuch"),
                            ("TIDE_MARKING", "nonesuch"), ("TIDE_MARKERS", "many"),
                            ("TIDE_HEAP_MAX", "lots")):
            with self.subTest(name):
                self.fails(USAGE, f"{name}|{value}", "mark", "--graph", "tree:depth=4",
                           "--markers", "1", **{name: value})


class Input(Case):
    """Input files that cannot be read or are damaged: status 3, nothing left behind."""

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def test_missing(self):
        for arguments in (("graph", "file:does-not-exist.thg"),
                          ("compare", "--engine", "bwos", "--graph",
                           "tree:depth=4;file:does-not-exist.thg"),
                          ("import", "does-not-exist.hprof", "-o", self.path("out.thg"))):
            with self.subTest(arguments):
                self.fails(INPUT, "does-not-exist", *arguments)
        self.assertEqual(os.listdir(self.folder), [])

    def test_damaged_dumps(self):
        for name, data in (("cut.hprof", b"JAVA PROFILE 1.0.2\0\0\0\0\x08"),
                           ("empty.heapsnapshot", b""), ("noise.hprof", os.urandom(4096)),
                           ("text.heapsnapshot", b'{"snapshot":{"meta":')):
            with self.subTest(name):
                self.fails(INPUT, name, "import", self.write(name, data), "-o",
                           self.path("out.thg"))
                self.assertFalse(os.path.exists(self.path("out.thg")))

    def test_damaged_graphs(self):
        for name, data in (("empty.thg", b""), ("noise.thg", os.urandom(4096))):
            with self.subTest(name):
                self.fails(INPUT, name, "graph", "file:" + self.write(name, data))
        shipped = os.path.join(OPTIONS.root, "workloads", "graphs", "ast.thg")
        with open(shipped, "rb") as file:
            whole = file.read()
        for name, data in (("cut.thg", whole[:len(whole) // 2]),
                           ("flipped.thg", whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])):
            with self.subTest(name):
                self.fails(INPUT, name, "mark", "--markers", "1", "--graph",
                           "file:" + self.write(name, data))

    def test_folder(self):
        self.fails(INPUT, self.folder, "graph", "file:" + self.folder)


class Outputs(Case):
    """Files appear whole or not at all, and only where asked for."""

    BASE = ("compare", "--graph", "tree:depth=8;list:length=200", "--engine", "bwos,abp", "--markers",
            "1", "--rounds", "2", "--quiet")

    def test_json_has_stdout_to_itself(self):
        result = self.works(*self.BASE, "--json", "-")
        json.loads(result.stdout)
        self.assertIn("tree:depth=8", result.stderr)

    def test_table_on_stdout(self):
        result = self.works(*self.BASE, "--json", self.path("rows.json"))
        self.assertIn("tree:depth=8", result.stdout)
        self.assertEqual(result.stderr, "")
        self.assertEqual(len(self.json_of("rows.json")["rows"]), 4)
        self.assertEqual(os.listdir(self.folder), ["rows.json"])

    def test_every_command_writes_json(self):
        for arguments in (("engines",), ("graph", "tree:depth=8"),
                          ("mark", "--graph", "tree:depth=8", "--markers", "1")):
            with self.subTest(arguments):
                self.assertIn("version", json.loads(self.works(*arguments, "--json", "-").stdout))

    def page_with(self, *words):
        """The report, which has these words, and no links."""
        page = self.text_of("report.html")
        for word in (*words, "<svg", "<h2>The machine</h2>", "</html>"):
            self.assertIn(word, page)
        for word in ("src=", "href=", "http:", "https:"):
            self.assertNotIn(word, page)
        self.assertIn("prefers-color-scheme:dark", page)
        self.assertNotRegex(page, r"min-width|#[0-9a-f]{3,6}[^;}0-9a-f]", "a colour outside of the style")
        return page

    def test_report(self):
        self.works(*self.BASE, "--check", "--report", self.path("report.html"))
        page = self.page_with("<h2>In short</h2>", "tree:depth=8", "list:length=200", "all equal")
        self.assertNotRegex(page, r"(\d+\.\d\d)–\1 \(\1\)")

    def test_report_of_latency(self):
        """The curves tell what the JSON does: their ends, and a figure on the way."""
        self.works("gcbench", "--workload", "latency,lru", "--operations", "1000", "--live", "2M", "--factor",
                   "9", "--seconds", "0.05", "--rounds", "2", "--quiet", "--collector", "tide,malloc",
                   "--report", self.path("report.html"), "--json", self.path("rows.json"))
        page = self.page_with("<h3>latency, 1 mutator</h3>", "<h3>lru, 1 mutator</h3>", "Total time, ms",
                              ">99.9</text>", "<th>CPUs</th>", "<th>stop µs</th>", "<th>peak MiB</th>")
        rows = self.json_of("rows.json")["rows"]
        names = ["tide, stopped", "tide, young", "malloc"]
        self.assertEqual(page.count('class="curve"'), len(names))
        self.assertEqual(page.count("<tr><td"), 2 * len(rows))  # a line of figures, one of pauses
        pauses = re.split("<h2>", page.split("<h2>Pauses</h2>")[1])[0]
        for row, line in zip(rows, re.findall("<tr>(<td.*)</tr>", pauses)):
            told = sum(int(n) for cell in re.findall("<td>([0-9 +]+)</td>", line)[1:] for n in cell.split(" + "))
            self.assertEqual(told, sum(p["young"] + p["full"] for p in row["pauses"]), line)
        for name, row in zip(names, rows):
            longest = re.search(f"<title>{name}: the longest ([0-9.]+) µs</title>", page).group(1)
            most = row["latency_us"]["max"]  # in six digits
            self.assertAlmostEqual(float(longest), most, delta=0.1 + most * 1e-5)
            within = re.findall(f"<title>{name}: ([0-9.]+) % within ([0-9.]+) µs</title>", page)
            self.assertEqual(within, sorted(within, key=lambda pair: [float(x) for x in pair]))
            percent, us = (float(x) for x in within[1])
            slower = sum(b["operations"] for b in row["latency_histogram"] if b["up_to_ns"] > us * 1000 + 60)
            self.assertLessEqual(slower, row["operations"] * (1 - percent / 100) * 1.001 + 1)
        self.assertEqual(len(set(re.findall(r'<svg class="mark"[^>]*><path d="(.*?)"', page))), len(names))

    def test_report_contrast(self):
        """Text on the page, light and dark: 4.5 to 1; what is drawn: 3 to 1."""
        self.works(*self.BASE, "--report", self.path("report.html"))
        style = re.search(r"<style>(.*?)</style>", self.text_of("report.html"), re.S).group(1)
        light, dark = re.findall(r":root{(.*?)}", style)
        for text in (light, light + ";" + dark):
            colours = dict(re.findall(r"--(\w+):(#[0-9a-f]+)", text))
            for name, colour in colours.items():
                least = 4.5 if name in ("ink", "soft") else 3
                if name in ("paper", "line", "bad", "away"):
                    continue
                self.assertGreaterEqual(contrast(colour, colours["paper"]), least, name)
            self.assertGreaterEqual(contrast(colours["ink"], colours["bad"]), 4.5)
            self.assertEqual(len([name for name in colours if re.fullmatch(r"e\d", name)]), 10)

    def test_report_tells_engines_apart_without_colour(self):
        self.works("compare", "tree:depth=8", "--engine", "bwos,abp,chase-lev,ring", "--markers", "1", "--rounds",
                   "2", "--report", self.path("report.html"))
        page = self.text_of("report.html")
        key = re.search(r'<p class="key small">(.*?)</p>', page, re.S).group(1)
        self.assertEqual(len(set(re.findall(r' d="(.*?)"', key))), 4)

    def test_same_bytes_everywhere(self):
        self.works(*self.BASE, "--report", self.path("report.html"), "--json", self.path("rows.json"))
        rows = self.json_of("rows.json")["rows"]
        told = re.findall(r"([0-9.]+) MiB on a Tidemark heap", self.text_of("report.html"))
        self.assertEqual(len(told), len({row["graph"] for row in rows}))
        for row in rows:
            self.assertIn(f"{row['live_bytes'] / 2**20:.1f}", told)

    def test_plots(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        self.works(*self.BASE, "--plot", self.path("plot.svg"))
        self.works(*self.BASE, "--plot", self.path("plot.png"))
        self.assertIn("</svg>", self.text_of("plot.svg"))
        with open(self.path("plot.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.folder)), ["plot.png", "plot.svg"])

    def test_gnuplot_missing(self):
        self.fails(RESOURCES, "gnuplot", *self.BASE, "--json", self.path("rows.json"), "--plot",
                   self.path("plot.svg"), PATH=self.folder)
        self.assertNotIn("plot.svg", "".join(os.listdir(self.folder)))

    def test_bad_places(self):
        self.fails(USAGE, "plot.pdf", *self.BASE, "--plot", "plot.pdf")
        for option in ("--json", "--report", "--plot"):
            with self.subTest(option):
                self.fails(RESOURCES, "nowhere", *self.BASE, option, self.path("nowhere/x.svg"))
                self.fails(RESOURCES, self.folder, *self.BASE, option,
                           os.path.join(self.folder, "d.svg"), **self.make_folder("d.svg"))
        self.fails(RESOURCES, "nowhere", "import", "x.hprof", "-o", self.path("nowhere/x.thg"))

    def make_folder(self, name):
        os.makedirs(self.path(name), exist_ok=True)
        return {}

    def test_nothing_on_failure(self):
        run("compare", "--graph", "tree:depth=8;tree:depth=24", "--engine", "bwos", "--heap-max", "8M",
            "--json", self.path("rows.json"), "--report", self.path("report.html"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            result = subprocess.run([OPTIONS.program, "engines"], stdout=full,
                                    stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, RESOURCES)
        self.assertIn("standard output", result.stderr)

    def test_no_progress_without_a_terminal(self):
        self.assertNotIn("\r", self.works(*self.BASE[:-1]).stderr)


class Results(Case):
    """The figures hang together."""

    def rows(self, *arguments):
        result = self.works("compare", *arguments, "--json", "-", "--quiet")
        return json.loads(result.stdout)["rows"]

    def test_rows(self):
        rows = self.rows("--graph", "tree:depth=10;wide:leaves=500", "--engine", "abp,serial,bwos",
                         "--markers", "1,2", "--rounds", "3", "--check")
        self.assertEqual([(r["engine"], r["markers"]) for r in rows[:5]],
                         [("abp", 1), ("abp", 2), ("serial", 1), ("bwos", 1), ("bwos", 2)])
        self.assertEqual(len(rows), 10)
        for row in rows:
            tree = row["graph"].startswith("tree")
            self.assertEqual(row["objects"], 2047 if tree else 501)
            self.assertEqual(row["edges"], 2046 if tree else 500)
            self.assertEqual(row["rounds"], 3)
            self.assertIs(row["checked"], True)
            self.assertEqual(row["objects_more"], 0)
            times, spread = row["mark_ns_per_object"], row["ratio_to_first_spread"]
            self.assertTrue(0 < times["min"] <= times["median"] <= times["max"])
            self.assertTrue(spread["min"] <= row["ratio_to_first"] <= spread["max"])
            if row["engine"] == "abp":
                self.assertEqual(set(spread.values()), {1})
                self.assertIsNone(row["differs_from_first"])
                self.assertEqual(row["ratio_to_first"], 1)

    def test_unchecked_is_null(self):
        for row in self.rows("--graph", "tree:depth=6", "--engine", "bwos", "--markers", "1"):
            self.assertIsNone(row["checked"])

    def test_policy(self):
        base = ("--graph", "tree:depth=8", "--engine", "bwos", "--markers", "3", "--rounds", "1", "--check")
        self.assertEqual([r["policy"] for r in self.rows(*base)], ["random"])
        for name in ("random", "sequential", "last", "best-of-two", "best-of-many", "random+prob"):
            with self.subTest(name):
                rows = self.rows(*base, "--policy", name)
                self.assertEqual([(r["policy"], r["checked"]) for r in rows], [(name, True)])
        said = self.works("mark", "--graph", "tree:depth=8", "--json", "-", TIDE_POLICY="numa+prob")
        self.assertEqual(json.loads(said.stdout)["rows"][0]["policy"], "numa+prob")
        self.assertIn("numa+prob chooses like random+prob", said.stderr)

    def test_objects(self):
        """The same graph, whatever the marker knows of its objects; the ratios are to the first kind."""
        graphs = "random:objects=5K,degree=3,roots=8;map:entries=1K;list:length=1K"
        rows = self.rows("--graph", graphs, "--engine", "bwos,serial", "--markers", "1,2", "--rounds",
                         "2", "--check", "--objects", "conservative,precise")
        self.assertEqual([(r["engine"], r["object_kind"], r["markers"]) for r in rows[:6]],
                         [("bwos", "conservative", 1), ("bwos", "conservative", 2),
                          ("bwos", "precise", 1), ("bwos", "precise", 2),
                          ("serial", "conservative", 1), ("serial", "precise", 1)])
        self.assertEqual(len(rows), 18)
        for row in rows:
            self.assertIs(row["checked"], True)
        for graph in graphs.split(";"):
            found = {(r["objects"], r["edges"]) for r in rows if r["graph"] == graph}
            self.assertEqual(len(found), 1)
        self.assertEqual(rows[1]["ratio_to_first"], 1)
        self.assertGreater(rows[3]["ratio_to_first"], 0)

    def test_rounds_until_ratios_are_known(self):
        """Known: the interval lies within 5 % of the median. Not known: the time was over."""
        arguments = ("compare", "--graph", "tree:depth=10;tree:depth=0", "--engine", "bwos,serial,abp",
                     "--markers", "1,2", "--seconds", "2")
        began = time.monotonic()
        document = json.loads(self.works(*arguments, "--json", "-").stdout)
        self.assertLess(time.monotonic() - began, 60)
        late = document["repeat"]["out_of_time"]
        self.assertEqual(document["repeat"]["seconds"], 2)
        for graph in arguments[2].split(";"):
            rows = [r for r in document["rows"] if r["graph"] == graph]
            self.assertEqual(len({r["rounds"] for r in rows}), 1)
            self.assertGreaterEqual(rows[0]["rounds"], 6)
            self.assertEqual(graph in late, any(r["ratio_is_known"] is False for r in rows))
            for row in rows:
                if row["engine"] == "bwos":
                    self.assertIsNone(row["ratio_is_known"])
                    continue
                interval, ratio = row["ratio_to_first_interval"], row["ratio_to_first"]
                self.assertTrue(interval["low"] <= ratio <= interval["high"])
                width = max(interval["high"] - ratio, ratio - interval["low"]) / ratio
                self.assertEqual(row["ratio_is_known"], width < 0.05, (row, width))

    def test_seconds_are_over(self):
        """So little time that nothing can be known: the least rounds, and the table says so."""
        arguments = ("compare", "--graph", "tree:depth=8", "--engine", "bwos,abp", "--markers", "1",
                     "--seconds", "0.001", "--rounds", "3")
        document = json.loads(self.works(*arguments, "--json", "-").stdout)
        self.assertGreaterEqual(document["rows"][0]["rounds"], 3)
        if document["rows"][0]["rounds"] < 6:
            self.assertEqual(document["repeat"]["out_of_time"], ["tree:depth=8"])
            self.assertEqual(document["rows"][1]["ratio_to_first_interval"], {"low": None, "high": None})
        self.assertRegex(self.works(*arguments).stdout, "until every median ratio is known to 5 %")

    def test_rounds_alone_are_kept_to(self):
        document = json.loads(self.works("compare", "--graph", "tree:depth=8", "--engine", "bwos,abp",
                                         "--markers", "1", "--rounds", "3", "--json", "-").stdout)
        self.assertEqual({r["rounds"] for r in document["rows"]}, {3})
        self.assertEqual(document["repeat"]["out_of_time"], [])

    def test_objects_are_named(self):
        for asked in ("precise", "conservative", "precise,conservative"):
            arguments = ("compare", "--graph", "tree:depth=8", "--engine", "abp", "--markers", "1",
                         "--rounds", "1", "--objects", asked)
            document = json.loads(self.works(*arguments, "--json", "-").stdout)
            self.assertEqual(document["objects"], asked)
            self.assertEqual([r["object_kind"] for r in document["rows"]], asked.split(","))
            table = self.works(*arguments).stdout
            for kind in asked.split(","):
                self.assertRegex(table, r"abp +1 " if kind == "precise" else r"abp \(conservative\) +1 ")
        page = self.path("out.html")
        self.works("compare", "--graph", "tree:depth=8", "--engine", "abp", "--markers", "1",
                   "--rounds", "1", "--objects", "precise,conservative", "--report", page)
        text = self.text_of(page)
        self.assertIn("abp (conservative)", text)
        self.assertIn("are conservative in <code>boehm</code>", text)
        row = json.loads(self.works("mark", "--graph", "tree:depth=8", "--markers", "1", "--check",
                                    "--objects", "conservative", "--json", "-").stdout)["rows"][0]
        self.assertEqual((row["object_kind"], row["checked"]), ("conservative", True))

    def test_no_base_no_ratio(self):
        rows = self.rows("--graph", "tree:depth=6", "--engine", "serial,bwos", "--markers", "1,2",
                         "--rounds", "5")
        self.assertEqual({r["rounds"] for r in rows}, {5})
        self.assertEqual({r["ratio_is_known"] for r in rows if r["markers"] == 2}, {None})
        ratios = {(r["engine"], r["markers"]): r["ratio_to_first"] for r in rows}
        self.assertIsNone(ratios[("bwos", 2)])
        self.assertIsNotNone(ratios[("bwos", 1)])

    def test_boehm(self):
        if not self.boehm_is_there():
            self.skipTest("Boehm GC is not built in")
        if OPTIONS.sanitizer:
            self.skipTest("Boehm GC scans stacks, which sanitizers object to")
        rows = self.rows("--graph", "tree:depth=10;random:objects=20K,degree=2,roots=4;map:entries=1K",
                         "--engine", "bwos,boehm,boehm-typed", "--markers", "1,2", "--rounds", "2",
                         "--check")
        self.assertEqual(len(rows), 18)
        by_graph = {}
        for row in rows:
            self.assertIs(row["checked"], True, row)
            by_graph.setdefault(row["graph"], set()).add((row["objects"], row["edges"]))
            kind = "conservative" if row["engine"] == "boehm" else "precise"
            self.assertEqual(row["object_kind"], kind)
            if row["engine"].startswith("boehm"):
                self.assertIsNone(row["steals"])
                self.assertGreaterEqual(row["live_bytes"], 16 * row["objects"])
        for found in by_graph.values():
            self.assertEqual(len(found), 1)

    def test_boehm_on_a_real_heap(self):
        """Large objects that are not live: Boehm GC gives their blocks back at once."""
        if not self.boehm_is_there() or OPTIONS.sanitizer:
            self.skipTest("no boehm here")
        graph = "file:" + os.path.join(OPTIONS.root, "workloads", "graphs", "ast.thg")
        rows = self.rows("--graph", graph, "--engine", "bwos,boehm,boehm-typed", "--markers", "1",
                         "--rounds", "1", "--check")
        self.assertEqual([r["checked"] for r in rows], [True] * 3)
        self.assertEqual(len({r["objects"] for r in rows}), 1)

    def test_mark(self):
        document = json.loads(self.works("mark", "--graph", "tree:depth=14", "--markers", "2",
                                         "--check", "--json", "-").stdout)
        (row,) = document["rows"]
        self.assertIs(row["checked"], True)
        cycle = row["fastest_round"]
        self.assertEqual(len(cycle["marker"]), 2)
        self.assertGreaterEqual(sum(m["objects"] for m in cycle["marker"]), row["objects"])
        for marker in cycle["marker"]:
            self.assertLessEqual(marker["started_ns"], marker["ended_ns"])

    def test_graph(self):
        found = json.loads(self.works("graph", "list:length=1000", "--json", "-").stdout)
        self.assertEqual((found["objects"], found["edges"], found["levels"]), (1000, 999, 1000))


class Limits(Case):
    """What does not fit is refused with the figures, before memory is full."""

    def test_heap_max(self):
        self.fails(RESOURCES, "tree:depth=20|too small|4 MiB", "compare", "--engine", "bwos",
                   "--graph", "tree:depth=20", "--heap-max", "4M")
        self.fails(RESOURCES, "tree:depth=20|too small", "mark", "--graph", "tree:depth=20",
                   "--markers", "1", TIDE_HEAP_MAX="4M")

    def test_recorded_graph(self):
        graph = os.path.join(OPTIONS.root, "workloads", "graphs", "ast.thg")
        self.fails(RESOURCES, "ast.thg|too small", "mark", "--graph", "file:" + graph, "--markers",
                   "1", "--heap-max", "2M")

    def test_larger_than_the_machine(self):
        self.fails(RESOURCES, "MiB", "compare", "--engine", "bwos", "--graph",
                   "random:objects=4G,degree=1K")

    def test_address_space(self):
        if OPTIONS.sanitizer:
            self.skipTest("a sanitizer needs address space of its own")

        def limited(bytes_):
            return subprocess.run(
                [OPTIONS.program, "compare", "--engine", "bwos", "--graph", "tree:depth=10",
                 "--markers", "1", "--rounds", "1", "--quiet"], capture_output=True, text=True,
                timeout=240, check=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_)))
        # However much there is, something is left of it for what comes after the heap.
        for mib in (150, 400, 600, 900, 1500, 2048):
            less = limited(mib << 20)
            self.assertEqual(less.returncode, 0, (mib, less.stderr))
            self.assertRegex(less.stderr,
                             r"note: the system gave \d+ MiB of address space .* instead")
        none = limited(40 << 20)
        self.assertEqual(none.returncode, RESOURCES, none.stderr)
        self.assertIn("address space", none.stderr)

    def test_boehm_limit(self):
        if not self.boehm_is_there() or OPTIONS.sanitizer:
            self.skipTest("no boehm here")
        # Boehm GC has its own idea of what fits: this fits a Tidemark heap only.
        self.fails(RESOURCES, "Boehm", "compare", "--engine", "boehm", "--graph", "wide:leaves=700K",
                   "--markers", "1", "--heap-max", "28M")


class Children(Case):
    """Boehm GC's processes die with their parent, and their deaths are told."""

    def setUp(self):
        super().setUp()
        if not self.boehm_is_there() or OPTIONS.sanitizer:
            self.skipTest("no boehm here")

    def start(self):
        parent = subprocess.Popen(
            [OPTIONS.program, "compare", "--graph", "tree:depth=18", "--engine", "boehm", "--markers",
             "1", "--rounds", "10000", "--quiet"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(600):
            children = children_of(parent.pid)
            if children and children[0][1].startswith("tidemark-boehm"):
                return parent, children[0][0]
            time.sleep(0.05)
        parent.kill()
        raise AssertionError("no child appeared")

    def test_dies_with_the_parent(self):
        parent, child = self.start()
        parent.send_signal(signal.SIGKILL)
        parent.communicate(timeout=60)
        for _ in range(200):
            if not os.path.exists(f"/proc/{child}"):
                return
            time.sleep(0.05)
        self.fail("the child outlived its parent")

    def test_death_is_told(self):
        parent, child = self.start()
        os.kill(child, signal.SIGKILL)
        errors = parent.communicate(timeout=60)[1]
        self.assertEqual(parent.returncode, RESOURCES, errors)
        self.assertEqual(len(errors.strip().splitlines()), 1, errors)
        self.assertIn("signal 9", errors)

    def answers(self, spec, kind, markers, requests):
        """What the child answers to each request, the first being that the graph is built."""
        program = os.path.join(os.path.dirname(OPTIONS.program), "tidemark-boehm")
        result = subprocess.run([program, spec, str(markers), kind, "0", str(os.getpid())], text=True,
                                input="".join(request + "\n" for request in requests),
                                capture_output=True, timeout=120, check=False)
        return [line for line in result.stdout.splitlines() if not line.startswith("progress")]

    def test_only_roots_lead_into_the_graph(self):
        """A stray word on a stack or in static data lets a second marker begin in the middle of a
        list. Without the graph's roots, nothing of it is marked."""
        for spec in ("list:length=100K,order=shuffled", "list:length=100K", "lists:count=10,length=1K",
                     "tree:depth=15,order=shuffled", "random:objects=50K", "map:entries=20K",
                     "comb:teeth=100,length=100", "records:length=20K"):
            for kind in ("conservative", "typed"):
                for markers in (1, 2):
                    for before in ((), ("mark", "count", "mark")):
                        with self.subTest((spec, kind, markers, before)):
                            said = self.answers(spec, kind, markers, (*before, "strays"))
                            self.assertRegex(said[0], "^ready ")
                            self.assertEqual(said[-1], "strays 0")

    def test_strays_would_be_seen(self):
        """With the roots, all is marked; after that request, the graph is gone."""
        said = self.answers("list:length=1K", "conservative", 1, ("mark", "count", "strays", "count"))
        self.assertRegex(said[2], "^count 1000 ")
        self.assertEqual(said[3], "strays 0")
        self.assertRegex(said[4], "^count 0 ")

    def test_not_for_people(self):
        program = os.path.join(os.path.dirname(OPTIONS.program), "tidemark-boehm")
        result = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(result.returncode, USAGE)
        self.assertIn("tidemark compare", result.stderr)


PARTS = {"usage": Usage, "input": Input, "outputs": Outputs, "results": Results, "limits": Limits,
         "children": Children}


if __name__ == "__main__":
    sys.exit(main(__doc__, PARTS, "root", "sanitizer"))
