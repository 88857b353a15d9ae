#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-tidy has nothing to say about the library, by the rules of .clang-tidy.

Usage: tidy.py --root FOLDER --build FOLDER [--nodes N] [--later PREFIX]… [--changed]

Checks the sources of platform, heap, marker, gc, inspect and bdwgc that the build folder compiles,
as many at a time as there are CPUs. With --changed only those that the last commit or the working
tree changes, or that include a header so changed; all of them where there is no history. Findings
in files whose path begins with a --later prefix are told but do not count. The analyzer gives a
function up after N states, by default after as many as it likes, which takes several times as long
as 20000.

Exit 0: none; 1: findings; 2: clang-tidy failed; 77: it is not installed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FOLDERS = ("platform/", "heap/", "marker/", "gc/", "inspect/", "bdwgc/")
FINDING = re.compile(r"^(/[^:\n]+:\d+):\d+: (?:warning|error): (.*)$", re.M)


def compiled(root, build):
    """The library's sources in the build folder's list of commands."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        names = {os.path.relpath(entry["file"], root) for entry in json.load(file)}
    return sorted(name for name in names if name.startswith(FOLDERS))


def changed(root, names):
    """Those of the names that differ from the last commit but one, or include what does."""
    done = subprocess.run(["git", "-C", root, "diff", "--name-only", "--relative", "HEAD~1"], text=True,
                          capture_output=True, check=False)
    if done.returncode != 0:
        return names
    differ = set(done.stdout.split())
    some = []
    for name in names:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            included = re.findall(r'^#include "([^"]+)"', file.read(), re.M)
        if differ & {name, *included}:
            some.append(name)
    return some


def main():
    parser = argparse.ArgumentParser(description="Runs clang-tidy over the library.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--later", action="append", default=[], help="tell, but do not fail")
    parser.add_argument("--nodes", type=int, help="states the analyzer looks at in a function")
    parser.add_argument("--changed", action="store_true", help="only what the last commit changes")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    tool = shutil.which("clang-tidy")
    if not tool:
        return SKIPPED
    names = compiled(root, options.build)
    broken = not names
    if options.changed:
        names = changed(root, names)
    bound = ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={options.nodes}")
    extra = [f"--extra-arg={word}" for word in bound] if options.nodes else []

    def check(name):
        return subprocess.run([tool, "--quiet", "-p", options.build, *extra, os.path.join(root, name)],
                              cwd=root, capture_output=True, text=True, check=False)

    found = set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, done in zip(names, pool.map(check, names)):
            some = FINDING.findall(done.stdout)
            found.update(f"{os.path.relpath(place, root)}: {text}" for place, text in some)
            if done.returncode != 0 and not some:
                broken = True
                print(f"{name}: status {done.returncode}\n{done.stdout}{done.stderr}")
    told = {finding for finding in found if finding.startswith(tuple(options.later))}
    for finding in sorted(found):
        print(finding + (" (told only)" if finding in told else ""))
    print(f"tidy: {len(names)} files, {len(found) - len(told)} findings, {len(told)} told only")
    return 2 if broken else 1 if found - told else 0


sys.exit(main())
