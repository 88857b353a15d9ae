#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the promise about the ABI (docs/install.md): libraries with one soname are compatible.

Usage: abi.py --root FOLDER --library FILE.so --cc COMPILER

The library is compared by abidiff with that of the last tag vMAJOR.MINOR.PATCH, if the tag has the
same soname: it is built anew. First, small libraries show that the comparison tells compatible
changes from others. Exit 77: abidiff is not installed.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
INCOMPATIBLE = 8  # abidiff's bit for what surely breaks programs
FAILED = 1 | 2    # its bits for errors of its own

HEADER = """#include <stddef.h>
struct figures { size_t count; %s };
%s
"""
SOURCE = """#include "api.h"
size_t tide_a(const struct figures *f) { return f->count; }
%s
"""


def run(*command, **keywords):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **keywords)
    if done.returncode != 0:
        sys.exit(f"abi: failed with {done.returncode}: {' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def soname(library):
    return re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", library)).group(1)


def compare(before, after, headers_before, headers_after):
    """(do programs made for `before` go on with `after`?, what abidiff says)."""
    done = subprocess.run(["abidiff", "--no-show-locs", "--drop-private-types", "--headers-dir1",
                           headers_before, "--headers-dir2", headers_after, before, after],
                          capture_output=True, text=True, check=False)
    if done.returncode & FAILED:
        sys.exit(f"abi: abidiff failed: {done.stderr}")
    removed = re.search(r"^(?:Functions|Variables) changes summary: [1-9]\d* Removed", done.stdout, re.M)
    sizes = re.search(r"type size changed|offset changed", done.stdout)
    return not (done.returncode & INCOMPATIBLE or removed or sizes), done.stdout


def small_library(folder, name, member, declarations, definitions, cc):
    place = os.path.join(folder, name)
    os.mkdir(place)
    prototypes = "size_t tide_a(const struct figures *f);\n" + declarations
    for file, text in (("api.h", HEADER % (member, prototypes)), ("api.c", SOURCE % definitions)):
        with open(os.path.join(place, file), "w", encoding="utf-8") as out:
            out.write(text)
    library = os.path.join(place, "libx.so")
    run(cc, "-g", "-shared", "-fPIC", "-o", library, os.path.join(place, "api.c"))
    return library, place


def show_that_it_bites(folder, cc):
    b = "size_t tide_b(void) { return 1; }"
    base = small_library(folder, "base", "", "size_t tide_b(void);", b, cc)
    for name, member, declarations, definitions, wanted in (
            ("same", "", "size_t tide_b(void);", b, True),
            ("added", "", "size_t tide_b(void); size_t tide_c(void);",
             b + " size_t tide_c(void) { return 2; }", True),
            ("removed", "", "", "", False),
            ("grown", "size_t more;", "size_t tide_b(void);", b, False)):
        other = small_library(folder, name, member, declarations, definitions, cc)
        good, text = compare(base[0], other[0], base[1], other[1])
        if good != wanted:
            sys.exit(f"abi: the change '{name}' is taken for {'' if good else 'in'}compatible:\n{text}")


def last_tag(root):
    found = subprocess.run(["git", "-C", root, "describe", "--tags", "--abbrev=0", "--match", "v*"],
                           capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else None


def build_tag(root, tag, folder):
    source = os.path.join(folder, "source")
    os.mkdir(source)
    archive = os.path.join(folder, "tag.tar")
    run("git", "-C", root, "archive", "-o", archive, tag)
    run("tar", "-xf", archive, "-C", source)
    build = os.path.join(folder, "build")
    run("cmake", "-S", source, "-B", build, "-DTIDE_PROGRAM=OFF", "-DTIDE_TESTS=OFF",
        "-DTIDE_EXAMPLES=OFF")
    run("cmake", "--build", build, "--target", "tidemark_shared")
    return os.path.join(build, "libtidemark.so"), os.path.join(source, "include")


def main():
    parser = argparse.ArgumentParser(description="The ABI against that of the last tag.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--library", dest="shared_library", required=True)
    parser.add_argument("--cc", required=True)
    options = parser.parse_args()
    if not shutil.which("abidiff"):
        print("abi: abidiff (Debian: abigail-tools) is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        show_that_it_bites(folder, options.cc)
        tag = last_tag(options.root)
        if not tag:
            print("abi: there is no tag vMAJOR.MINOR.PATCH yet to compare with")
            return 0
        if not soname(options.shared_library).endswith(".so." + ".".join(tag[1:].split(".")[:2])):
            print(f"abi: {tag} has another soname than {soname(options.shared_library)}: no promise to keep")
            return 0
        before, headers = build_tag(options.root, tag, folder)
        good, text = compare(before, options.shared_library, headers, os.path.join(options.root, "include"))
        print(text)
        print(f"abi: {'compatible' if good else 'not compatible'} with {tag}")
        return 0 if good else 1


sys.exit(main())
