#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an example says, and how it ends, when the system fails it.

Usage: failures.py PROGRAM [ARGUMENT…]

Whatever goes wrong, the program ends with a number over 0 and one line on standard error that
begins with its name (of scheme-tide, scheme). Calls that the system refuses are tests/fault's.
"""
import argparse, os, subprocess, sys

# What is set, and what the line names.
CASES = [
    ({"TIDE_ENGINE": "none"}, "TIDE_ENGINE=none"),
    ({"TIDE_HEAP_MAX": "1"}, "TIDE_HEAP_MAX=1"),
    ({"TIDE_MARKERS": "many"}, "TIDE_MARKERS=many"),
]


def run(command, settings, to=subprocess.PIPE):
    environment = {**os.environ, **settings}
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=to,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    return done.returncode, done.stderr.decode(errors="replace")


def wrong(command, code, text):
    """Whether that is not how a program fails."""
    name = os.path.basename(command[1] if "python" in command[0] else command[0])
    return code <= 0 or text.count("\n") != 1 or not text.startswith(name.split("-")[0])


def plain_failures(command):
    for settings, message in CASES:
        code, text = run(command, settings)
        if wrong(command, code, text) or message not in text:
            yield f"{settings}: exit {code}, said: {text!r}"
    with open("/dev/full", "wb") as full:
        code, text = run(command, {}, full)
    if wrong(command, code, text) or "No space left on device" not in text:
        yield f"standard output is full: exit {code}, said: {text!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    os.environ["TIDE_VERIFY"] = "1"
    failures = 0
    for failures, failure in enumerate(plain_failures(options.command), 1):
        print(failure, flush=True)
    return 1 if failures else 0


sys.exit(main())
