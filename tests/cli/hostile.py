#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the program under hostile use: odd names, colliding files, signals, no memory, noise.

Usage: hostile.py --program PROGRAM [--refuse LIBRARY] [--sanitizer NAME] PART
"""
import html.parser
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.dom.minidom

from program import INPUT, OPTIONS, RESOURCES, USAGE, Case, children_of, clean_environment, main, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DUMPS = os.path.join(ROOT, "tests", "fuzz", "seeds")
SMALL = ("--engine", "bwos,abp", "--markers", "1", "--rounds", "2", "--quiet")


def find_seed(name):
    for folder, _, names in os.walk(DUMPS):
        if name in names:
            return os.path.join(folder, name)
    raise AssertionError(f"no {name} below {DUMPS}")


class Names(Case):
    """File names are any bytes but zero and slash; what is written stays valid."""

    ODD = (b"latin-\xe9.thg", b"esc-\x1b[31m.thg", b"line\nbreak.thg", b"<b>&'\".thg",
           b"cut-\xe2\x82.thg", b"surrogate-\xed\xa0\x80.thg", b"\xc2\x85next.thg")

    def compare(self, name):
        path = os.path.join(os.fsencode(self.folder), name)
        shutil.copyfile(find_seed("sample.thg"), path)
        outputs = ["--json", self.path("rows.json"), "--report", self.path("page.html")]
        if shutil.which("gnuplot"):
            outputs += ["--plot", self.path("plot.svg")]
        return run("compare", "--graph", b"file:" + path, *SMALL, *outputs)

    def test_all_outputs_are_valid(self):
        for name in self.ODD:
            with self.subTest(name):
                result = self.compare(name)
                self.assertEqual(result.returncode, 0, result.stderr)
                result.stdout.encode("utf-8")  # no byte of it was kept by surrogateescape
                self.assertNotIn("\x1b", result.stdout)
                graph = self.json_of("rows.json")["rows"][0]["graph"]
                if name.startswith(b"line"):
                    self.assertTrue(graph.endswith("line\nbreak.thg"), "JSON keeps it by escapes")
                page = self.text_of("page.html")
                self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", page))
                html.parser.HTMLParser().feed(page)
                for picture in re.findall(r"<svg.*?</svg>", page, re.S):
                    xml.dom.minidom.parseString(picture)
                if os.path.exists(self.path("plot.svg")):
                    xml.dom.minidom.parse(self.path("plot.svg"))

    def test_markup_is_text(self):
        self.compare(b"<b>&'\".thg")
        page = self.text_of("page.html")
        self.assertIn("&lt;b&gt;&amp;&#39;&quot;.thg", page)
        self.assertNotIn("<b>", page)

    def test_errors_and_descriptions(self):
        odd = os.path.join(os.fsencode(self.folder), b"no-\xff\x1b[2J.thg")
        result = run("graph", b"file:" + odd)
        self.assertEqual(result.returncode, INPUT)
        result.stderr.encode("utf-8")
        self.assertNotIn("\x1b", result.stderr)
        shutil.copyfile(find_seed("sample.thg"), odd)
        result = run("graph", b"file:" + odd, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        result.stderr.encode("utf-8")
        self.assertIn("no-\ufffd\x1b[2J.thg", json.loads(result.stdout)["graph"])

    def test_outputs_may_be_called_anything(self):
        for name in (b"odd-\xff'\n.svg", b"-x.svg"):
            path = os.path.join(os.fsencode(self.folder), name)
            if not shutil.which("gnuplot"):
                self.skipTest("no gnuplot")
            result = run("compare", "--graph", "tree:depth=4", *SMALL, b"--plot=" + path)
            self.assertEqual(result.returncode, 0, result.stderr)
            with open(path, encoding="utf-8") as file:
                self.assertIn("</svg>", file.read())


class Collisions(Case):
    """Two options that name one file, however they spell it."""

    def refused(self, first, second):
        self.fails(USAGE, "same file|--report|--json", "compare", "--graph", "tree:depth=4", *SMALL,
                   "--report", first, "--json", second)

    def test_same_file(self):
        os.mkdir(self.path("d"))
        os.symlink(self.folder, self.path("link"))
        plain = self.path("x")
        for other in (plain, self.path("./x"), self.path("d/../x"), self.path("link/x")):
            self.refused(plain, other)
            self.refused(other, plain)
        self.assertEqual(sorted(os.listdir(self.folder)), ["d", "link"])

    def test_links(self):
        with open(self.path("x"), "w", encoding="utf-8") as file:
            file.write("old")
        os.link(self.path("x"), self.path("hard"))
        os.symlink("x", self.path("soft"))
        self.refused(self.path("x"), self.path("hard"))
        self.refused(self.path("x"), self.path("soft"))
        self.assertEqual(self.text_of("x"), "old")

    def test_other_commands(self):
        x = self.path("x.svg")
        self.fails(USAGE, "same file|--trace", "mark", "--graph", "tree:depth=4", "--trace", x,
                   "--json", x)
        self.fails(USAGE, "same file|--plot", "queue", "--experiment", "single", "--plot", x,
                   "--json", x)
        self.fails(USAGE, "same file|--output", "import", "in.hprof", "-o", x, "--json", x)

    def test_standard_output_is_for_json(self):
        self.fails(USAGE, "--report|standard output", "compare", "--graph", "tree:depth=4",
                   "--report", "-")
        self.fails(USAGE, "--trace|standard output", "mark", "--graph", "tree:depth=4", "--trace",
                   "-")
        self.fails(USAGE, "--output|standard output", "import", "in.hprof", "-o", "-")

    def test_different_files_of_one_name(self):
        os.mkdir(self.path("d"))
        self.works("compare", "--graph", "tree:depth=4", *SMALL, "--report", self.path("x"), "--json",
                   self.path("d/x"))


class Signals(Case):
    """A signal leaves neither temporary files nor processes."""

    def end(self, number, process, ready):
        """Sends the signal once `ready` says so; the process must die of it."""
        for _ in range(2000):
            if ready() or process.poll() is not None:
                break
            time.sleep(0.005)
        self.assertIsNone(process.poll(), "it ended by itself")
        children = [child for child, _ in children_of(process.pid)]
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, -number, errors)
        for child in children:
            for _ in range(1000):
                if not os.path.exists(f"/proc/{child}"):
                    break
                time.sleep(0.005)
            self.assertFalse(os.path.exists(f"/proc/{child}"), "a child outlived it")
        return children

    def start(self, *arguments, **environment):
        return subprocess.Popen([OPTIONS.program, *arguments], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env=clean_environment(**environment))

    def test_while_measuring(self):
        if not self.boehm_is_there() or OPTIONS.sanitizer:
            self.skipTest("no boehm here")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("compare", "--graph", "tree:depth=16", "--engine", "bwos,boehm",
                                 "--markers", "1,2", "--rounds", "10000", "--quiet", "--json",
                                 self.path("rows.json"))
            children = self.end(number, process, lambda: len(children_of(process.pid)) == 2)
            self.assertEqual(len(children), 2)
            self.assertEqual(os.listdir(self.folder), [])

    def test_gcbench(self):
        process = self.start("gcbench", "--workload", "lru", "--collector", "malloc",
                             "--operations", "1G", "--rounds", "1", "--quiet")
        # A child that was seen twice is the one that measures.
        def measures():
            seen = children_of(process.pid)
            time.sleep(0.1)
            return seen and children_of(process.pid) == seen
        self.assertEqual(len(self.end(signal.SIGTERM, process, measures)), 1)

    def test_import(self):
        graph = os.path.join(ROOT, "workloads", "graphs", "javac.thg")
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("import", graph, "-o", self.path("out.thg"), "--quiet")
            self.end(number, process, lambda: os.listdir(self.folder))
            self.assertEqual(os.listdir(self.folder), [])

    def test_while_drawing(self):
        """A gnuplot that takes its time, which the program waits for with its file half-written."""
        fake = self.path("gnuplot")
        with open(fake, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho half\nexec sleep 600\n")
        os.chmod(fake, 0o755)
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("compare", "--graph", "tree:depth=4", *SMALL, "--plot",
                                 self.path("x.svg"), PATH=self.folder + ":" + os.environ["PATH"])

            def is_drawing(pid=process.pid):
                return any(name == "sleep" for _, name in children_of(pid))
            self.assertEqual(len(self.end(number, process, is_drawing)), 1)
            self.assertEqual(os.listdir(self.folder), ["gnuplot"])

    def test_ignored_signals_stay_ignored(self):
        done = subprocess.run([OPTIONS.program, "queue", "--experiment", "single", "--engine",
                               "abp", "--rounds", "1", "--run-ms", "0.1", "--quiet"],
                              preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0)

    def test_file_size_limit(self):
        """The kernel's signal for files that grow too large is an error to report."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        done = subprocess.run([OPTIONS.program, "compare", "--graph", "tree:depth=4", *SMALL,
                               "--report", self.path("page.html")], preexec_fn=limit,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, RESOURCES, done.stderr)
        self.assertIn("page.html", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class Memory(Case):
    """A file is whole or not there, whichever allocation fails while it is written."""

    def refuse(self, arguments, option, name, whole):
        path = self.path(name)
        refused, failed = True, 0
        for at in range(2000):
            result = run(*arguments, option, path, LD_PRELOAD=OPTIONS.refuse, REFUSE_FILE=name,
                         REFUSE_AT=str(at))
            refused = "refused\n" in result.stderr
            if result.returncode == 0:
                self.assertTrue(whole(self.text_of(path)), (at, result.stderr))
                os.unlink(path)
            else:
                self.assertEqual(result.returncode, RESOURCES, (at, result.stderr))
                self.assertRegex(result.stderr, "tidemark: .*(memory|write)")
                failed += 1
            self.assertEqual(os.listdir(self.folder), [], at)
            if not refused:
                self.assertGreater(failed, 0, "nothing was refused")
                return
        self.fail("it allocates without end")

    def setUp(self):
        super().setUp()
        if not OPTIONS.refuse or OPTIONS.sanitizer:
            self.skipTest("needs an allocator that can be replaced")

    BASE = ("--graph", "tree:depth=5;list:length=9", "--markers", "2", "--rounds", "2", "--quiet")

    def test_report(self):
        arguments = ("compare", *self.BASE, "--engine", "bwos,abp")
        self.works(*arguments, "--report", self.path("whole.html"))
        pictures = self.text_of("whole.html").count("<svg")
        os.unlink(self.path("whole.html"))
        self.assertGreater(pictures, 4)
        self.refuse(arguments, "--report", "page.html",
                    lambda text: text.count("<svg") == pictures and text.endswith("</html>\n"))

    def test_trace(self):
        def whole(text):
            names = {event["name"] for event in json.loads(text)["traceEvents"]}
            return {"collection", "trace", "active markers"} <= names
        self.refuse(("mark", "--graph", "tree:depth=5", "--markers", "2", "--rounds", "1", "--quiet"),
                    "--trace", "trace.json", whole)

    def test_plot(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")
        self.refuse(("compare", *self.BASE, "--engine", "bwos,abp"), "--plot", "plot.svg",
                    lambda text: text.rstrip().endswith("</svg>"))


class Noise(Case):
    """What a run cannot tell, it says."""

    def compare(self, rounds):
        result = self.works("compare", "--graph", "tree:depth=8", "--engine", "bwos,abp,mutex",
                            "--markers", "1", "--rounds", rounds, "--quiet", "--report",
                            self.path("page.html"), "--json", self.path("rows.json"))
        document = self.json_of("rows.json")
        return result.stdout, document, self.text_of("page.html")

    def test_machine_is_recorded(self):
        text, document, page = self.compare(2)
        noise = document["host"]["noise"]
        self.assertGreater(noise["seconds"], 0)
        for key in ("load_before", "load_after", "involuntary_switches"):
            self.assertGreaterEqual(noise[key], 0, key)
        self.assertIn("stolen_ms", noise)
        for row in document["rows"]:
            self.assertGreaterEqual(row["involuntary_switches"], 0)
            self.assertIn("stolen_ms", row)
        self.assertIn("While measuring: ", text)
        self.assertIn("While measuring: ", page)
        for words in (("gcbench", "--workload", "strings", "--collector", "malloc", "--operations",
                       "100", "--rounds", "1"),
                      ("queue", "--experiment", "single", "--engine", "abp", "--rounds", "1",
                       "--run-ms", "0.1")):
            result = self.works(*words, "--quiet", "--json", "-")
            self.assertIn("noise", json.loads(result.stdout)["host"])
            self.assertIn("While measuring: ", result.stderr)

    def test_few_rounds_tell_nothing(self):
        text, document, page = self.compare(4)
        first, *others = document["rows"]
        self.assertIsNone(first["differs_from_first"])
        self.assertEqual(first["cannot_be_told_from"], ["abp", "mutex"])
        self.assertEqual([row["differs_from_first"] for row in others], [False, False])
        self.assertEqual(len(re.findall(r"\) ~", text)), 2)
        self.assertIn("Fewer than 5 rounds tell nothing apart", text)
        self.assertIn("too few to tell any two engines apart", page)

    def test_rows_agree_with_the_table(self):
        text, document, page = self.compare(9)
        alike = [row for row in document["rows"] if row["differs_from_first"] is False]
        self.assertEqual(len(re.findall(r"\) ~", text)), len(alike))
        for row in document["rows"]:
            for other in row["cannot_be_told_from"]:
                (twin,) = [r for r in document["rows"] if r["engine"] == other]
                self.assertIn(row["engine"], twin["cannot_be_told_from"])
            spread = row["ratio_to_first_spread"]
            self.assertTrue(spread["min"] <= spread["low_quartile"] <= spread["median"] <=
                            spread["high_quartile"] <= spread["max"])
        pairs = sum(len(row["cannot_be_told_from"]) for row in document["rows"]) // 2
        self.assertEqual(page.count(" on tree:depth=8, 1 marker</li>"), pairs)
        self.assertIn("quartiles", page, "whiskers in the chart of ratios")


class Hints(Case):
    """Words that were meant otherwise: the error says what to write."""

    def test_graph_file_without_its_word(self):
        self.fails(USAGE, "file:x.thg", "graph", "x.thg")
        self.fails(USAGE, "file:x.thg", "compare", "--graph", "tree:depth=3;x.thg")
        odd = self.path("graph")
        shutil.copyfile(find_seed("sample.thg"), odd)
        self.fails(USAGE, f"file:{odd}", "graph", odd)
        self.works("graph", f"file:{odd}")

    def test_dumps(self):
        for name in ("small-whole-8.hprof", "small.heapsnapshot"):
            dump = find_seed(name)
            self.fails(USAGE, f"tidemark import|{name}", "graph", dump)
            self.fails(INPUT, f"tidemark import|{name}", "graph", f"file:{dump}")
            self.fails(INPUT, f"tidemark import|{name}", "mark", "--graph", f"file:{dump}")
        self.fails(USAGE, "tidemark import", "graph", "not-there.hprof")

    def test_others_stay(self):
        self.fails(USAGE, "unknown graph|tree", "graph", "nonesuch")
        self.fails(INPUT, "No such file", "graph", "file:not-there.thg")

    def test_lists_are_joined(self):
        rows = json.loads(self.works("compare", "--graph", "tree:depth=3", "--graph",
                                     "list:length=5", "--engine", "bwos", "--engine", "abp",
                                     "--markers", "1", "--rounds", "1", "--json", "-").stdout)["rows"]
        self.assertEqual([(r["graph"], r["engine"]) for r in rows],
                         [(g, e) for g in ("tree:depth=3", "list:length=5") for e in ("bwos", "abp")])
        self.assertIn("may be given again", self.works("compare", "--help").stdout)

    def test_help_shows_defaults_in_force(self):
        for command, words in (("compare", "(default: 5)"), ("gcbench", "(default: 4M)"),
                               ("queue", "(default: 15)"), ("limit", "(default: 20)")):
            self.assertIn(words, self.works(command, "--help").stdout)

    def test_ranges_are_readable(self):
        self.fails(USAGE, "--heap-max|from 1M to 128T", "compare", "--heap-max", "10")
        self.fails(USAGE, "--rounds|whole number|from 1 to 10K", "compare", "--rounds", "2.5")


PARTS = {"names": Names, "collisions": Collisions, "signals": Signals, "memory": Memory,
         "noise": Noise, "hints": Hints}


if __name__ == "__main__":
    sys.exit(main(__doc__, PARTS, "refuse", "sanitizer"))
