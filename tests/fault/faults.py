#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program, the examples and the Scheme when the system refuses them a call.

Usage: faults.py --build FOLDER [--seconds S [--seed N] | --most N] [--case NAME]... [--table FILE]

Each call of CALLS fails at its n-th time, alone and with all later ones, in every case of
faults_cases.py. Afterwards the status must be 0 with everything right, or one that stands for what
happened with a line that says so; no file may be damaged or left over, and nothing may crash or hang.
With --seconds it is a sample, chosen by a seed that is printed. Else every n is tried, or with --most
as many of each kind, spread evenly. --table adds the counts to a file, as a table for the documents.
Exit status: 0 all good, 1 not, 2 usage, 77 nothing may be traced here.
"""
import argparse
import collections
import contextlib
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import faults_cases  # noqa: E402

SYSTEM = ("mmap", "mprotect", "madvise", "munmap", "pthread_create", "fork", "open", "read", "write",
          "close", "rename", "futex")
MEMORY = ("malloc", "calloc", "realloc")
CALLS = MEMORY + SYSTEM
HANG_SECONDS = 60
BEFORE = b"what was there before\n"


class Place:
    """A folder for one run: outputs that are there already, and one for temporary files."""

    def __init__(self, case, root):
        self.case, self.root = case, root
        self.out, self.tmp = os.path.join(root, "out"), os.path.join(root, "tmp")
        os.mkdir(self.out)
        os.mkdir(self.tmp)
        for name in case.outputs:
            with open(os.path.join(self.out, name), "wb") as file:
                file.write(BEFORE)

    def read(self, name):
        with open(os.path.join(self.out, name), "rb") as file:
            return file.read()


Run = collections.namedtuple("Run", "status stdout stderr counts files left")


def run(options, case, call=None, at=0, later=False):
    """Runs a case with a refusal; returns what came of it. Status None: it hung."""
    with tempfile.TemporaryDirectory(prefix="tidemark-fault-") as root:
        place = Place(case, root)
        page = os.path.join(root, "page")
        with open(page, "wb") as file:
            number = MEMORY.index(call) + 1 if call in MEMORY else 0
            file.write(struct.pack("7Q", number, at, later, 0, 0, 0, 0))
        command = [options.inject, "--counts", os.path.join(root, "counts")]
        if call in SYSTEM:
            command += ["--call", call, "--at", str(at)] + ["--later"] * later
        command += ["--", *case.command(options, place.out)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("TIDE_", "GC_"))}
        environment |= {"LD_PRELOAD": options.memory, "INJECT_PAGE": page, "TMPDIR": place.tmp,
                        "INJECT_ONLY": os.path.basename(command[command.index("--") + 1]),
                        "TIDE_VERIFY": "1", "TERM": "dumb"}
        try:
            done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, cwd=place.out,
                                  capture_output=True, timeout=HANG_SECONDS, check=False)
            status, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as ended:
            status, stdout, stderr = None, ended.stdout or b"", ended.stderr or b""
        counts = collections.Counter()
        with contextlib.suppress(OSError), open(os.path.join(root, "counts"), encoding="ascii") as file:
            counts.update({name: int(n) for name, n in (line.split() for line in file)})
        with open(page, "rb") as file:
            counts.update(dict(zip(MEMORY, struct.unpack("7Q", file.read())[4:])))
        files = {name: place.read(name) for name in os.listdir(place.out)}
        return Run(status, stdout, stderr.decode(errors="replace"), counts, files,
                   os.listdir(place.tmp))


class Reference:
    """What a case does when nothing is refused."""

    def __init__(self, options, case):
        first, second = run(options, case), run(options, case)
        if first.status == 125 and "Operation not permitted" in first.stderr:
            print("SKIPPED: programs may not be traced here")
            sys.exit(77)
        if first.status != 0 or second.status != 0:
            sys.exit(f"{case.name}: with nothing refused the status is {first.status}: {first.stderr}")
        self.counts, self.stdout = first.counts, first.stdout
        self.is_repeatable = not case.is_measured and first.stdout == second.stdout
        self.repeatable_files = {name for name in case.outputs if not case.is_measured and
                                 first.files[name] == second.files[name]}
        self.files = first.files


def complaints(case, reference, call, result):
    """What is wrong with a run."""
    said = faults_cases.without_notes(result.stderr)
    if result.status is None:
        yield "hangs"
    elif (call, result.status) in faults_cases.KNOWN:
        return
    elif result.status >= 126 or result.status < 0:
        yield f"ended with {result.status}"
    elif result.status not in case.statuses(call):
        yield f"status {result.status}"
    elif result.status != 0 and call != "write" and not any(
            line.startswith(case.speaks_as) for line in said.splitlines()):
        yield "no line that says why"
    if any(word in said for word in ("Traceback", "core dumped", "ssertion")):
        yield "an assertion"
    for name, data in result.files.items():
        if name not in case.outputs:
            yield f"left {name}"
        elif data == BEFORE:
            if result.status == 0:
                yield f"status 0 without {name}"
        elif case.writes_in_place and result.status != 0:
            continue
        elif name in reference.repeatable_files and data != reference.files[name]:
            yield f"{name} is not what it should be"
        elif not faults_cases.is_whole(name, data, reference.files[name]):
            yield f"{name} is damaged"
    for name in set(case.outputs) - set(result.files):
        yield f"{name} is gone"
    if result.left:
        yield f"left {result.left} among temporary files"
    if result.status == 0 and not case.same_output(reference.stdout, result.stdout,
                                                   reference.is_repeatable):
        yield "status 0, and its output is not whole"


class Tally:
    def __init__(self):
        self.runs, self.wrong = collections.Counter(), 0
        self.statuses = collections.Counter()

    def try_once(self, options, case, reference, call, at, later):
        result = run(options, case, call, at, later)
        self.runs[case.name, call] += 1
        self.statuses[case.name, result.status] += 1
        wrong = list(complaints(case, reference, call, result))
        if wrong:
            self.wrong += 1
            print(f"{case.name}: {call} {at}{' and later' if later else ''}: {'; '.join(wrong)}: "
                  f"{result.stderr.strip()[-300:]!r}", flush=True)

    def write(self, path, cases, references):
        """A row for each case: how often it makes each call, and how many faults were tried."""
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"| case | {' | '.join(CALLS)} | faults | ended with |\n")
            file.write("|---" * (len(CALLS) + 3) + "|\n")
            for case in cases:
                made = references[case.name].counts
                tried = sum(self.runs[case.name, call] for call in CALLS)
                ends = sorted(("hang" if s is None else str(s), n) for (name, s), n in self.statuses.items()
                              if name == case.name)
                file.write(f"| `{case.name}` | {' | '.join(str(made[call]) for call in CALLS)} | {tried} | "
                           f"{', '.join(f'{s}: {n}' for s, n in ends)} |\n")


def places(count, most):
    """The numbers of the calls to refuse: all, or some spread evenly, the first and the last too."""
    if not most or count <= most:
        return range(1, count + 1)
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})


def sample(options, cases, tally):
    chance = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    end, references = time.monotonic() + options.seconds, {}
    while time.monotonic() < end or not tally.runs:
        case = chance.choice(cases)
        reference = references.setdefault(case.name, None) or Reference(options, case)
        references[case.name] = reference
        for call in chance.sample(CALLS, 4):
            if reference.counts[call]:
                tally.try_once(options, case, reference, call,
                               chance.randint(1, reference.counts[call]), chance.random() < 0.5)


def everything(options, cases, tally):
    references = {}
    for case in cases:
        reference = references[case.name] = Reference(options, case)
        for call in CALLS:
            for at in places(reference.counts[call], options.most):
                for later in (False, True):
                    tally.try_once(options, case, reference, call, at, later)
        tried = sum(n for (name, _), n in tally.runs.items() if name == case.name)
        print(f"{case.name}: {tried} faults", flush=True)
    if options.table:
        tally.write(options.table, cases, references)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--table")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    options.inject = os.path.join(options.build, "tests/fault/fault_inject")
    options.memory = os.path.join(options.build, "tests/fault/fault_inject_memory.so")
    cases = faults_cases.cases(options)
    unknown = set(options.case) - {case.name for case in cases}
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(c.name for c in cases)}")
    cases = [case for case in cases if not options.case or case.name in options.case]
    tally = Tally()
    if options.seconds:
        sample(options, cases, tally)
    else:
        everything(options, cases, tally)
    print(f"{sum(tally.runs.values())} faults in {len({name for name, _ in tally.runs})} cases, "
          f"{tally.wrong} wrong")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
