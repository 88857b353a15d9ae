#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processors that Tidemark does not run on: the headers and the single file say so in one error.

Usage: targets.py --root FOLDER --single FOLDER --cc COMPILER

Compilers are asked for such a processor where they can be: with -m32 and --target, and GCC's cross
compilers if they are installed. Headers of the C library for it are not needed. And each compiler is
told that its own processor were another, by its macros.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

MESSAGE = "Tidemark needs a 64-bit little-endian processor"
PROGRAM = '#include "{header}"\nint main(void) {{ return 0; }}\n'
BIG = ["-w", "-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__"]
SHORT = ["-w", "-U__LP64__"]


def commands(options):
    """(what it is, a compiler and its arguments) for processors that are refused."""
    for compiler in sorted({options.cc, *filter(None, map(shutil.which, ("gcc", "clang")))}):
        yield "big-endian by macro", [compiler, *BIG]
        yield "32 bits by macro", [compiler, *SHORT]
    if shutil.which("gcc"):
        yield "i386", ["gcc", "-m32", "-ffreestanding"]
        yield "x32", ["gcc", "-mx32", "-ffreestanding"]
    if shutil.which("clang"):
        for target in ("s390x", "powerpc64", "i686", "mips", "armv7", "aarch64_be"):
            yield target, ["clang", f"--target={target}-linux-gnu", "-ffreestanding"]
    for compiler in ("s390x-linux-gnu-gcc", "i686-linux-gnu-gcc"):
        if shutil.which(compiler):
            yield compiler, [compiler, "-ffreestanding"]


def errors_of(command, folder, source):
    done = subprocess.run([*command, "-std=gnu17", "-I", folder, "-fsyntax-only", source],
                          capture_output=True, text=True, check=False)
    return done.returncode, re.findall(r"\berror: (.*)", done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--root", required=True)
    parser.add_argument("--single", required=True)
    parser.add_argument("--cc", required=True)
    options = parser.parse_args()
    wrong = tried = 0
    with tempfile.TemporaryDirectory() as build:
        for folder, header in ((os.path.join(options.root, "include"), "tide/tide.h"),
                               (options.single, "tidemark.h")):
            source = os.path.join(build, "program.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(PROGRAM.format(header=header))
            code, errors = errors_of([options.cc], folder, source)
            if code != 0:
                sys.exit(f"not even this processor is taken: {errors}")
            for name, command in commands(options):
                code, errors = errors_of(command, folder, source)
                tried += 1
                if code == 0 or len(errors) != 1 or MESSAGE not in errors[0]:
                    wrong += 1
                    print(f"{name}, {header}: exit {code}, {errors}")
        # The rest of the single file must not come before its header's refusal.
        code, errors = errors_of([options.cc, *BIG], options.single,
                                 os.path.join(options.single, "tidemark.c"))
        if code == 0 or not errors or MESSAGE not in errors[0]:
            wrong += 1
            print(f"tidemark.c: exit {code}, {errors[:3]}")
    print(f"{tried} processors and headers were tried, {wrong} were not refused as they should be")
    return 1 if wrong else 0


sys.exit(main())
