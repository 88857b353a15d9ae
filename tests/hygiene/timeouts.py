#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every registered test has a time limit: one that waits for ever in a loop would hold up all others.

Usage: timeouts.py --ctest PROGRAM --build FOLDER
"""
import argparse
import json
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description="Looks for tests without a time limit.")
    parser.add_argument("--ctest", required=True)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    told = subprocess.run([options.ctest, "--show-only=json-v1"], cwd=options.build, check=True,
                          capture_output=True, text=True)
    tests = json.loads(told.stdout)["tests"]
    unlimited = [test["name"] for test in tests
                 if "TIMEOUT" not in (entry["name"] for entry in test["properties"])]
    for name in unlimited:
        print(f"{name} has no TIMEOUT")
    print(f"{len(tests)} tests, {len(unlimited)} without a limit")
    return 1 if unlimited or not tests else 0


sys.exit(main())
