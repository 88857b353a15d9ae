#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of the Bash completion: what it offers for a line, with the cursor at its end.

Usage: completion.py --program PROGRAM --script SCRIPT
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

OPTIONS = None
SKIPPED = 77


def complete(line, folder=None):
    """The words offered. COMP_WORDS is not used by the script: Bash breaks it at colons."""
    script = (f"source {shlex.quote(OPTIONS.script)}\n"
              f"COMP_LINE={shlex.quote(line)}\nCOMP_POINT=${{#COMP_LINE}}\n"
              f"_tidemark {shlex.quote(OPTIONS.program)}\n"
              "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True,
                          timeout=60, check=False, cwd=folder)
    assert done.returncode == 0 and done.stderr == "", (line, done.stderr)
    return sorted(word for word in done.stdout.split("\n") if word)


class Completion(unittest.TestCase):
    def test_commands(self):
        offered = complete("tidemark ")
        for command in ("compare", "mark", "limit", "queue", "graph", "import", "gcbench", "engines",
                        "exec", "bdwgc-bench", "help"):
            self.assertIn(command, offered)
        self.assertEqual(complete("tidemark gc"), ["gcbench"])
        self.assertEqual(complete("tidemark help gc"), ["gcbench"])
        self.assertEqual(complete("tidemark x"), [])

    def test_options(self):
        self.assertEqual(complete("tidemark compare --r"), ["--report", "--rounds"])
        self.assertEqual(complete("tidemark mark --tr"), ["--trace"])
        for command in ("compare", "mark", "limit", "queue", "graph", "import", "gcbench",
                        "engines"):
            self.assertIn("--json", complete(f"tidemark {command} --"))

    def test_engines(self):
        offered = complete("tidemark compare --engine ")
        for engine in ("bwos", "bwos-paper", "abp", "chase-lev", "serial", "boehm"):
            self.assertIn(engine, offered)
        self.assertEqual(complete("tidemark mark --engine mu"), ["mutex"])
        self.assertEqual(complete("tidemark compare --engine bwos,abp-"), ["bwos,abp-sc"])
        self.assertEqual(complete("tidemark compare --engine=mu"), ["mutex"])

    def test_graphs(self):
        self.assertEqual(complete("tidemark graph tr"), ["tree:"])
        self.assertEqual(complete("tidemark compare --graph wi"), ["wide:"])
        self.assertEqual(complete("tidemark compare --graph 'wide:leaves=4;ma"),
                         ["wide:leaves=4;map:"])
        self.assertIn("file:", complete("tidemark compare --graph "))
        for command in ("graph", "mark", "compare"):
            self.assertEqual(complete(f"tidemark {command} ma"), ["map:"])

    def test_files(self):
        with tempfile.TemporaryDirectory(prefix="tidemark-completion-") as folder:
            for name in ("one.thg", "one.txt", "two.hprof"):
                with open(os.path.join(folder, name), "w", encoding="utf-8"):
                    pass
            os.mkdir(os.path.join(folder, "onward"))
            self.assertEqual(complete("tidemark graph file:on", folder), ["one.thg", "onward/"])
            self.assertEqual(complete("tidemark graph 'file:on", folder),
                             ["file:one.thg", "file:onward/"])
            self.assertEqual(complete("tidemark import tw", folder), ["two.hprof"])
            self.assertEqual(complete("tidemark compare --json one.", folder),
                             ["one.thg", "one.txt"])

    def test_names(self):
        self.assertEqual(complete("tidemark queue --experiment p"), ["pool"])
        self.assertEqual(complete("tidemark queue --engine tb"), ["tbb"])
        self.assertEqual(complete("tidemark mark --engine tb"), [])
        self.assertEqual(complete("tidemark gcbench --workload st"), ["strings"])
        self.assertIn("malloc", complete("tidemark gcbench --collector tide,m")[0])
        self.assertEqual(complete("tidemark compare --objects precise,c"), ["precise,conservative"])
        self.assertEqual(complete("tidemark gcbench --quiet "), [], "a flag takes no value")
        self.assertEqual(complete("tidemark compare --check ma"), ["map:"], "a graph follows")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--script", required=True)
    OPTIONS, rest = parser.parse_known_args()
    if not shutil.which("bash"):
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *rest])


main()
