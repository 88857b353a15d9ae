#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps the library's manual in step with the public headers, from which cmake/manual.py writes it.

Usage: man_pages.py --root FOLDER

Every function that a header declares has a page, and a comment that says something of it. Every
variable that the library reads is in the ENVIRONMENT of tidemark.3, which names every page.
"""
import argparse
import glob
import os
import re
import sys


def unknown_variables(root, known):
    """The variables that the library reads and its page does not tell of."""
    read = set()
    for path in glob.glob(os.path.join(root, "gc", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as file:
            read.update(re.findall(r'(?:getenv|read_flag)\("(TIDE_\w+)"', file.read()))
    return sorted(read - known)


def silent_functions(manual, path):
    """Those of a header whose declaration no comment precedes."""
    with open(path, encoding="utf-8") as file:
        _, found = manual.parts(file.read())
    return [name for comment, code in found if not "".join(comment).strip()
            for name, _, _ in manual.functions_in(code)]


def main():
    parser = argparse.ArgumentParser(description="Manual pages against headers.")
    parser.add_argument("--root", required=True)
    options = parser.parse_args()
    sys.path.insert(0, os.path.join(options.root, "cmake"))
    import manual
    pages, findings, declared = manual.manual(options.root), [], 0
    with open(os.path.join(options.root, "man", "tidemark.3"), encoding="utf-8") as file:
        overview = file.read()
    for path in manual.headers(options.root):
        with open(path, encoding="utf-8") as file:
            names = re.findall(r"\b(tide_\w+)\(", "\n".join(
                re.findall(r"^(?:TIDE_API|static inline)[^;{]*", file.read(), re.M)))
        declared += len(names)
        page = manual.page_of(path)
        findings += [f"{name}: has no page" for name in names
                     if f".Fo {name}\n" not in pages[page] or name not in pages]
        findings += [f"{path}: nothing is said of {name}" for name in silent_functions(manual, path)]
        if f"Xr {page} 3\n" not in overview:
            findings.append(f"tidemark.3: does not name {page}(3)")
    known = set(re.findall(r"^\.It Ev (TIDE_\w+)", overview, re.M))
    findings += [f"tidemark.3: ENVIRONMENT does not tell of {name}"
                 for name in unknown_variables(options.root, known)]
    if declared < 100:
        findings.append(f"the headers declare {declared} functions; they were not understood")
    for finding in findings:
        print(finding)
    print(f"{declared} functions, {len(findings)} findings")
    return 1 if findings else 0


sys.exit(main())
