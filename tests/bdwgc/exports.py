#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares our libgc.so.1 with Debian's: the names and kinds of what programs see, the sizes of
variables (programs may hold copies of them), the name of the library, and what it needs. And looks
whether a test calls each function in a thread that is cancelled."""
import argparse
import re
import subprocess
import sys

# What Debian's library shows and ours does not, and why.
LEFT_OUT = {
    "GC_arrays": "the inside of the other collector: no program can use it without its sources",
}
VARIABLES = "BDRV"
# What such a thread does not call, and why.
NOT_CANCELLED = {
    "GC_abort_on_oom": "ends the process",
    "GC_pthread_exit": "ends the thread", "GC_pthread_join": "is a point of cancellation",
    "GC_mark_and_push": "for mark procedures, in a collection, as the next",
    "GC_push_all": "", "GC_push_all_eager": "", "GC_push_conditional": "",
}


def symbols(path):
    out = subprocess.run(["nm", "-D", "-S", "--defined-only", path], check=True,
                         capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        cells = line.split()
        if cells[-1].startswith("GC_"):
            size = int(cells[1], 16) if len(cells) == 4 else 0
            found[cells[-1]] = (cells[-2] in VARIABLES, size)
    return found


def strangers(path):
    out = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True,
                         text=True).stdout
    return [line.split()[-1] for line in out.splitlines() if not line.split()[-1].startswith("GC_")]


def dynamic(path, tag):
    out = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", out)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--debian", required=True)
    parser.add_argument("--cancelled", required=True, help="the source of that test")
    arguments = parser.parse_args()
    ours, theirs = symbols(arguments.ours), symbols(arguments.debian)
    wrong = [f"{name} is missing" for name in sorted(theirs) if name not in ours
             and name not in LEFT_OUT]
    wrong += [f"{name} is said to be left out, and is not" for name in LEFT_OUT if name in ours]
    for name, (variable, size) in sorted(theirs.items()):
        if name not in ours:
            continue
        if ours[name][0] != variable:
            wrong.append(f"{name} is a {'variable' if variable else 'function'} in Debian's")
        elif variable and ours[name][1] != size:
            wrong.append(f"{name} has {ours[name][1]} bytes instead of {size}")
    wrong += [f"{name} is in Debian's library by no such name" for name in ours
              if name not in theirs]
    wrong += [f"{name} is seen, and is none of GC_" for name in strangers(arguments.ours)]
    if dynamic(arguments.ours, "SONAME") != dynamic(arguments.debian, "SONAME"):
        wrong.append(f"SONAME is {dynamic(arguments.ours, 'SONAME')}")
    more = set(dynamic(arguments.ours, "NEEDED")) - set(dynamic(arguments.debian, "NEEDED"))
    if more:
        wrong.append(f"it needs {sorted(more)} besides what Debian's needs")
    with open(arguments.cancelled, encoding="utf-8") as file:
        called = set(re.findall(r"\w+", file.read()))
    wrong += [f"{name} is not called in a thread that is cancelled" for name, (variable, _)
              in sorted(ours.items()) if not variable and name not in NOT_CANCELLED
              and not {name, re.sub("^GC_[gs]et_", "", name)} & called]
    for line in wrong:
        print(line)
    print(f"{len(theirs)} names in Debian's libgc.so.1, {len(ours)} in ours, {len(wrong)} findings")
    sys.exit(1 if wrong or len(theirs) < 100 else 0)


if __name__ == "__main__":
    main()
