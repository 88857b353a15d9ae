#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an example says, and how it ends, when the system fails it.

Usage: failures.py PROGRAM [ARGUMENT…] [--refuse LIBRARY]

Whatever goes wrong, the program ends with a number over 0 and one line on standard error that
begins with its name (of scheme-tide, scheme). With LIBRARY (tests/examples/refuse.c) each of its
requests for memory and threads fails once, alone and with all later ones: then it may also succeed.
The heap is verified where one fails alone; verifying would fail itself where all later ones do.
"""
import argparse, os, re, subprocess, sys, tempfile

# Of more requests, the first ones, by which the program starts, and some of the others, evenly.
FIRST_MOST, OTHERS_MOST = 40, 40
# Verifying takes memory of its own. Without it the program goes on, and this line says so; a
# thread may write it into the middle of another's line.
UNVERIFIED = re.compile("tidemark: TIDE_VERIFY: not enough memory[^\n]*\n")
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
    return done.returncode, UNVERIFIED.sub("", done.stderr.decode(errors="replace"))


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


def chosen(requests):
    others = range(FIRST_MOST + 1, requests + 1, (requests - FIRST_MOST) // OTHERS_MOST + 1)
    return [*range(1, min(FIRST_MOST, requests) + 1), *others]


def refusals(command, library):
    with tempfile.TemporaryDirectory() as folder:
        count = os.path.join(folder, "count")
        for later in ("0", "1"):
            settings = {"LD_PRELOAD": library, "TIDE_VERIFY": "10"[int(later)]}
            code, text = run(command, {**settings, "REFUSE_COUNT": count})
            if code != 0:
                yield f"with nothing refused: exit {code}, said: {text!r}"
                return
            with open(count, encoding="ascii") as file:
                requests = int(file.read())
            if requests < 10:
                yield f"only {requests} requests were seen"
            for at in chosen(requests):
                asked = {"REFUSE_AT": str(at), "REFUSE_LATER": later}
                code, text = run(command, {**settings, **asked})
                if wrong(command, code, text) and (code, text) != (0, ""):
                    yield f"{asked} of {requests}: exit {code}, said: {text!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", nargs="+")
    parser.add_argument("--refuse")
    options = parser.parse_args()
    os.environ["TIDE_VERIFY"] = "1"
    failures = 0
    found = refusals(options.command, options.refuse) if options.refuse else \
        plain_failures(options.command)
    for failures, failure in enumerate(found, 1):
        print(failure, flush=True)
    return 1 if failures else 0


sys.exit(main())
