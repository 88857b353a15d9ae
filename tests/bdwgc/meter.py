#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tidemark-meter tells what a command took itself, whatever its parents have in memory."""
import subprocess
import sys
import unittest

METER = sys.argv.pop(1)
MIB = 1024  # peaks are told in KiB
BALLAST = bytearray(b"x") * (100 << 20)  # in this process, from which the meter is started


def measure(*command):
    """Returns (user µs, system µs, wall µs, peak KiB, status)."""
    told = subprocess.run([METER, *command], stdout=subprocess.PIPE, check=True).stdout
    return [int(word) for word in told.split()]


class Meter(unittest.TestCase):
    def test_a_small_program_is_small(self):
        peak = measure("true")[3]
        self.assertGreater(peak, MIB // 2)
        self.assertLess(peak, 4 * MIB)

    def test_what_a_program_takes_is_told(self):
        user, system, wall, peak, status = measure(
            sys.executable, "-c", "import time; x = b'x' * (60 << 20); time.sleep(0.2)")
        self.assertEqual(status, 0)
        self.assertGreater(peak, 60 * MIB)
        self.assertLess(peak, 90 * MIB)
        self.assertGreater(wall, 200000)
        self.assertGreater(user + system, 1000)

    def test_children_of_the_command_count(self):
        peak = measure("sh", "-c", f"{sys.executable} -c \"x = b'x' * (60 << 20)\"; true")[3]
        self.assertGreater(peak, 60 * MIB)

    def test_the_status_is_told(self):
        self.assertEqual(measure("sh", "-c", "exit 3")[4], 3 << 8)
        self.assertEqual(measure("sh", "-c", "kill -9 $$")[4], 9)

    def test_output_of_the_command_goes_nowhere(self):
        self.assertEqual(len(measure("echo", "1 2 3")), 5)

    def test_no_command_and_no_such_command(self):
        run = subprocess.run([METER], stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count(b"\n"), 1)
        self.assertEqual(measure("/no/such/program")[4], 127 << 8)


if __name__ == "__main__":
    unittest.main()
