#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tidemark import: packed dumps, standard input, the name of the graph, the progress line.

Usage: import_cli.py --program PROGRAM --root ROOT
"""
import gzip
import os
import pty
import struct
import subprocess
import sys

import program
from program import INPUT, OPTIONS, USAGE


class Import(program.Case):
    def setUp(self):
        super().setUp()
        seeds = os.path.join(OPTIONS.root, "tests", "fuzz", "seeds")
        self.dumps = {}
        for folder, name in (("hprof", "small-segments-8.hprof"),
                             ("heapsnapshot", "small.heapsnapshot")):
            with open(os.path.join(seeds, folder, name), "rb") as file:
                self.dumps[name] = file.read()

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def run_import(self, *arguments, stdin=b""):
        return subprocess.run([OPTIONS.program, "import", *arguments], input=stdin,
                              cwd=self.folder, capture_output=True, timeout=120, check=False)

    def works(self, *arguments, stdin=b""):
        result = self.run_import(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)

    def fails(self, status, word, *arguments, stdin=b""):
        result = self.run_import(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, status, result.stderr)
        lines = result.stderr.decode().strip().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(word, lines[0])

    def test_all_ways_give_the_same(self):
        for name, data in self.dumps.items():
            with self.subTest(name):
                self.write(name, data)
                self.write(name + ".gz", gzip.compress(data))
                self.works(name, "-o", "plain.thg")
                self.works(name + ".gz", "-o", "packed.thg")
                self.works("-", "-o", "piped.thg", stdin=data)
                self.works("-o", "both.thg", "-", stdin=gzip.compress(data))
                for other in ("packed", "piped", "both"):
                    self.assertEqual(self.read("plain.thg"), self.read(other + ".thg"), other)

    def test_more_than_4_gib_in_one_record(self):
        """The record's length has 32 bits. The file has holes, so it takes no place."""
        for count in ((1 << 30) - 18, 1 << 30):  # the length's end is that of a sub-record, or not
            with self.subTest(count), open(os.path.join(self.folder, "large.hprof"), "wb") as file:
                klass = struct.pack(">BQIQQQQQQIHHH", 0x20, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
                roots = b"".join(struct.pack(">BQ", 0xff, 24 + 8 * i) for i in range(4))
                total = len(klass) + len(roots) + 4 * (18 + count)
                file.write(b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 0))
                file.write(struct.pack(">BII", 0x0c, 0, total % (1 << 32)) + klass + roots)
                for i in range(4):
                    file.write(struct.pack(">BQIIB", 0x23, 24 + 8 * i, 0, count, 8))
                    file.seek(count, os.SEEK_CUR)
                file.truncate()
                file.flush()
                result = self.run_import("large.hprof", "-o", "large.thg")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("4 ", self.describe("large.thg"))

    def describe(self, name):
        return subprocess.run([OPTIONS.program, "graph", "file:" + name], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=True).stdout.splitlines()[1]

    def test_android(self):
        self.fails(INPUT, "hprof-conv", "-", "-o", "x.thg", stdin=b"JAVA PROFILE 1.0.3\0" + bytes(40))

    def test_default_name(self):
        name, data = next(iter(self.dumps.items()))
        self.write("dump.hprof.gz", gzip.compress(data))
        self.works("dump.hprof.gz")
        graph = self.read("dump.thg")
        self.assertTrue(graph.startswith(b"\x89THG"))
        self.fails(USAGE, "dump.thg' is there already", "dump.hprof.gz")
        self.fails(USAGE, "-o", "dump.thg")
        self.assertEqual(self.read("dump.thg"), graph)
        self.works("dump.hprof.gz", "-o", "dump.thg")  # asked for, so replaced
        self.fails(USAGE, "-o FILE.thg is missing", "-", stdin=data)
        self.fails(INPUT, "would be overwritten", "dump.hprof.gz", "-o", "dump.hprof.gz")
        self.works("dump.hprof.gz", "-o", "dump.thg")  # it is whole
        self.assertEqual(sorted(os.listdir(self.folder)), ["dump.hprof.gz", "dump.thg"])

    def test_nothing_is_left_after_a_failure(self):
        data = self.dumps["small-segments-8.hprof"]
        for stdin in (b"", b"noise", b"\0\0\0\0", b"   \n", b"\x1f\x8b\x08", data[:-1], data[:60],
                      self.dumps["small.heapsnapshot"].rstrip()[:-1], gzip.compress(data)[:-9]):
            self.fails(INPUT, "standard input", "-", "-o", "x.thg", stdin=stdin)
        self.write("cut.hprof", data[:50])
        self.fails(INPUT, "cut.hprof", "cut.hprof")
        self.assertEqual(os.listdir(self.folder), ["cut.hprof"])

    def test_progress_on_a_terminal(self):
        name, data = next(iter(self.dumps.items()))
        self.write(name, data)
        ours, theirs = pty.openpty()
        result = subprocess.run([OPTIONS.program, "import", name, "-o", "x.thg"], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=theirs, timeout=120, check=False)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                piece = b""
            if not piece:
                break
            shown += piece
        os.close(ours)
        self.assertEqual(result.returncode, 0, shown)
        self.assertIn(b"of 0.0 MiB", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)


if __name__ == "__main__":
    sys.exit(program.main(__doc__, {"all": Import}, "root"))
