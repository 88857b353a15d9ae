#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and tests Tidemark with other compilers, for another processor, with another C library.

Usage: matrix.py --root FOLDER [--only ROW]... [--table FILE]

Each row has a build folder build/matrix-ROW, and a line in the table: what was built, how many tests
ran, and what is left out and why. Exit status: 0 all good, 1 not, 2 usage.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

# xxhash.h is a header alone and the same for all processors.
XXHASH = "/usr/include/xxhash.h"
SMALL = ["-DTIDE_XXHASH_FOLDER={folder}/headers", "-DTIDE_GRAPH_FILES=ON", "-DTIDE_PROGRAM=OFF",
         "-DTIDE_EXAMPLES=OFF", "-DTIDE_TESTS=ON", "-DTIDE_TEST_SHIM=ON"]
TOOLCHAIN = "-DCMAKE_TOOLCHAIN_FILE={root}/cmake/%s.cmake"
CONSUMER = "tests/package/consumer/consumer.c"


class Row:
    def __init__(self, name, what, configure, targets, left_out=(), suites=(), why="", single=()):
        self.name, self.what, self.configure, self.targets = name, what, configure, targets
        self.left_out, self.suites, self.why, self.single = left_out, suites, why, single


ROWS = [
    Row("gcc", "GCC 12", ["-DCMAKE_C_COMPILER=gcc-12", "-DCMAKE_CXX_COMPILER=g++-12"], ["test_programs"],
        single=(["gcc-12"], [])),
    Row("clang", "clang 14", ["-DCMAKE_C_COMPILER=clang-14", "-DCMAKE_CXX_COMPILER=clang++-14"],
        ["test_programs"], single=(["clang-14"], [])),
    Row("aarch64", "AArch64, GCC 12, qemu-user", [TOOLCHAIN % "aarch64", *SMALL], ["test_programs"],
        ("fault_no_proc", "stress_ends", "soak", "stress_last", "fault_collector",
         "stress_signals", "stress_signals_verified", "stress_deep", "poison_dead", "stress_queue_abp_sc"),
        ("refused", "far", "resident", "room", "reserve"),
        "the emulator has threads, memory, stacks and a need of /proc of its own, which these tests count, "
        "limit, hide or fill; it fails an assertion of its own when a process with threads forks; "
        "LeakSanitizer does not work under it; and it lets a load-acquire overtake a store-release of the "
        "same thread, which AArch64 forbids and `abp_sc` relies on",
        (["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"])),
    Row("musl", "musl 1.2.3, static", [TOOLCHAIN % "musl", *SMALL], ["test_programs"],
        ("cxx_scopes", "stress_left", "poison_dead", "stress_ends", "fault_configure", "fault_regions"), (),
        "Debian's musl has no C++, no makecontext and no sanitizer; musl 1.2.3 hangs where the first thread of a "
        "forked child ends before others; in a static program the C library's own calls of malloc are "
        "counted too", (["musl-gcc", "-static"], [])),
]
# What a second compiler makes of the library: no part of any row.
NOT_BUILT = ("stress_regions_other_compiler")
REFUSED = (("s390x", ["s390x-linux-gnu-gcc"]), ("i386", ["i686-linux-gnu-gcc"]))


def run(command, log, **keywords):
    """Runs a command; returns its status. What it says goes to the log."""
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False, **keywords).returncode


def counts(report):
    """(passed, failed, skipped) of ctest's JUnit report, and the names of the failed."""
    try:
        with open(report, encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return 0, 0, 0, []
    number = {name: int((re.search(rf'\b{name}="(\d+)"', text) or [0, 0])[1])
              for name in ("tests", "failures", "skipped", "disabled")}
    failed = re.findall(r'<testcase name="([^"]+)"[^>]*status="fail"', text)
    # ctest calls a test skipped whose program could not be built.
    missing = re.findall(r'<testcase name="([^"]+)"[^>]*>\s*<skipped message="Unable to find executable"', text)
    skipped = number["skipped"] + number["disabled"]
    passed = number["tests"] - number["failures"] - skipped
    return passed, number["failures"] + len(missing), skipped - len(missing), failed + missing


def single_file(options, row, folder, log):
    """The single-file edition, compiled by this compiler without a warning, and run."""
    compiler, emulator = row.single
    single, program = os.path.join(folder, "single"), os.path.join(folder, "single_consumer")
    status = run([*compiler, "-std=gnu17", "-Wall", "-Werror", "-O2", "-DSINGLE_FILE", "-I", single,
                  os.path.join(options.root, CONSUMER), os.path.join(single, "tidemark.c"),
                  "-pthread", "-o", program], log)
    return status == 0 and run([*emulator, program], log) == 0


def try_row(options, row):
    """Returns whether all was well, and the line of the table."""
    folder = os.path.join(options.root, "build", f"matrix-{row.name}")
    os.makedirs(folder, exist_ok=True)
    report = os.path.join(folder, "results.xml")
    with open(os.path.join(folder, "matrix.log"), "w", encoding="utf-8") as log:
        os.makedirs(os.path.join(folder, "headers"), exist_ok=True)
        shutil.copy(XXHASH, os.path.join(folder, "headers"))
        words = [word.replace("{root}", options.root).replace("{folder}", folder)
                 for word in row.configure]
        if run(["cmake", "-G", "Ninja", "-S", options.root, "-B", folder, *words], log):
            return False, f"| {row.what} | not configured | | |"
        left_out = "|".join(f"^{name}$" for name in row.left_out + NOT_BUILT)
        # A program that is left out need not link: what does not is seen as a test that fails.
        run(["ninja", "-C", folder, "-k", "0", *row.targets, "single_file"], log)
        if os.path.exists(report):
            os.remove(report)
        run(["ctest", "--test-dir", folder, "-L", "unit|driver", "-E", left_out, "-j", str(os.cpu_count()),
             "--timeout", "900", "--output-on-failure", "--output-junit", report], log,
            env={**os.environ, "TD_LEFT_OUT": f" {' '.join(row.suites)} "})
        passed, failed, skipped, names = counts(report)
        single = single_file(options, row, folder, log)
    left = f"{', '.join(row.left_out + row.suites)}: {row.why}" if row.left_out else ""
    tests = f"{passed} passed, {failed} failed, {skipped} skipped" + (f" ({', '.join(names)})" if names else "")
    line = f"| {row.what} | {tests} | {'works' if single else 'FAILS'} | {left} |"
    return passed > 0 and failed == 0 and single, line


def refused(options):
    source = os.path.join(options.root, "include")
    for name, compiler in REFUSED:
        done = subprocess.run([*compiler, "-fsyntax-only", "-x", "c", "-I", source, "-"], text=True,
                              input='#include "tide/tide.h"\n', capture_output=True, check=False)
        errors = done.stderr.count("error:")
        good = errors == 1 and "Tidemark needs a 64-bit little-endian processor" in done.stderr
        yield good, f"| {name} | {'refused in one line' if good else 'NOT REFUSED'} | | |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", required=True)
    parser.add_argument("--only", action="append", default=[],
                        choices=[row.name for row in ROWS] + ["refused"])
    parser.add_argument("--table")
    options = parser.parse_args()
    options.root = os.path.abspath(options.root)
    results = []
    for row in ROWS:
        if not options.only or row.name in options.only:
            results.append(try_row(options, row))
            print(results[-1][1], flush=True)
    if not options.only or "refused" in options.only:
        for result in refused(options):
            results.append(result)
            print(result[1], flush=True)
    if options.table:
        with open(options.table, "a", encoding="utf-8") as file:
            file.write("| machine | unit tests and drivers | single file | left out |\n|---|---|---|---|\n")
            file.writelines(line + "\n" for _, line in results)
    return 0 if all(good for good, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
