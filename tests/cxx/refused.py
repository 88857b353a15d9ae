#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the headers let a compiler refuse: roots that are no addresses of slots. And that they
themselves compile without a warning.

Usage: refused.py --include FOLDER --cc COMPILER --cxx COMPILER
"""
import argparse
import subprocess
import sys

PROGRAM = """#include <tide/tide.h>
struct cons { struct cons *car, *cdr; };
struct opaque;
int main(void) {
  struct tide_heap *heap = 0;
  struct cons *list = 0;
  struct opaque *hidden = 0;
  char *text = 0;
  uintptr_t tagged = 0;
  void *array[4];
  (void)hidden, (void)text, (void)list, (void)tagged, (void)array;
  return %s;
}
"""
GOOD = ["tide_root_add(heap, &list)", "tide_root_add(heap, &hidden)", "tide_root_add(heap, &tagged)",
        "tide_root_add(heap, (void *)&list)", "tide_root_add(heap, &array[1])",
        "tide_root_add(heap, array)", "tide_root_remove(heap, &list)",
        "tide_root_add_range(heap, array, 4)"]
BAD = ["tide_root_add(heap, list)", "tide_root_add(heap, hidden)", "tide_root_add(heap, text)",
       "tide_root_remove(heap, list)", "tide_root_add(heap, tagged)"]


def compiles(command, call):
    done = subprocess.run(command + ["-"], input=PROGRAM % call, capture_output=True, text=True,
                          check=False)
    return done.returncode == 0, done.stderr


HEADERS = "".join(f"#include <tide/{name}>\n" for name in (
    "tide.h", "stats.h", "inspect.h", "advanced.h", "foreign.h", "dropin.h"))
STRICT = ["-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-Wundef"]


def warnings(options, common):
    """Returns what compilers say of the headers where a program has more warnings on than usual."""
    for command in ([options.cc, "-x", "c", "-std=c11", *common, *STRICT],
                    [options.cxx, "-x", "c++", "-std=c++11", *common, *STRICT]):
        done = subprocess.run(command + ["-"], input=HEADERS, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            yield f"{command[0]}: the headers: {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description="What must not compile.")
    parser.add_argument("--include", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    common = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", options.include]
    findings = list(warnings(options, common))
    for command in ([options.cc, "-x", "c", "-std=c11"] + common,
                    [options.cxx, "-x", "c++", "-std=c++11"] + common):
        for call in GOOD:
            good, text = compiles(command, call)
            if not good:
                findings.append(f"{command[0]}: {call} is refused: {text}")
        for call in BAD:
            good, text = compiles(command, call)
            if good:
                findings.append(f"{command[0]}: {call} compiles")
    for finding in findings:
        print(finding)
    print(f"{2 * (len(GOOD) + len(BAD))} programs, {len(findings)} findings")
    return 1 if findings else 0


sys.exit(main())
