# SPDX-License-Identifier: MIT
"""What the tests of the program share: running it, and looking at what it says."""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
import unittest

USAGE, INPUT, RESOURCES = 2, 3, 4

OPTIONS = argparse.Namespace()  # what the command line says


def main(description, parts, *names):
    """Runs the tests of a part, by default of the first. `names` are options besides --program."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True, type=os.path.abspath)
    for name in names:
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("part", nargs="?", choices=parts, default=next(iter(parts)))
    parser.parse_args(namespace=OPTIONS)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(parts[OPTIONS.part])
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


def clean_environment(**more):
    """Without the variables that steer the collectors, unless they are given."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TIDE_", "GC_"))}
    return {**kept, **more}


def run(*arguments, timeout=240, **environment):
    """Arguments may be bytes, as file names may be."""
    words = [a if isinstance(a, bytes) else str(a) for a in arguments]
    return subprocess.run([OPTIONS.program, *words], capture_output=True, text=True,
                          errors="surrogateescape", timeout=timeout, check=False,
                          env=clean_environment(**environment))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def json_of(self, name):
        return json.loads(self.text_of(name))

    def fails(self, status, words, *arguments, **environment):
        """The program returns `status` and says `words` in one line on stderr."""
        result = run(*arguments, **environment)
        lines = result.stderr.strip().splitlines()
        self.assertEqual(result.returncode, status, (arguments, result.stderr))
        self.assertEqual(len(lines), 1, (arguments, result.stderr))
        self.assertTrue(lines[0].startswith("tidemark: "), lines[0])
        for word in words.split("|"):
            self.assertIn(word, lines[0], arguments)
        return result

    def works(self, *arguments, **environment):
        result = run(*arguments, **environment)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return result

    def boehm_is_there(self):
        found = json.loads(self.works("engines", "--json", "-").stdout)["engines"]
        return any(e["name"] == "boehm" and e["available"] for e in found)


def children_of(pid):
    """(number, name) of each child process."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)
            if name.isdigit() and int(fields[1].split()[1]) == pid:
                found.append((int(name), fields[0].split("(", 1)[1]))
        except (OSError, IndexError, ValueError):
            continue
    return found
