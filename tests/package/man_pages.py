#!/usr/bin/env python3
"""Keeps the library's manual pages in step with the public headers.

Usage: man_pages.py --root FOLDER [--update]

Every public function is named by exactly one page of section 3, and the page's SYNOPSIS shows it
as the headers declare it. Every variable that the library reads is in the ENVIRONMENT of tidemark.3. --update writes the SYNOPSIS of every page anew from the headers.
"""
import argparse
import glob
import os
import re
import sys


def public_functions(root):
    """{name: (result, [parameters], header)} of what include/tide declares."""
    functions = {}
    with open(os.path.join(root, "include", "tide", "tide.h"), encoding="utf-8") as file:
        within = set(re.findall(r'#include "(tide/\w+\.h)"', file.read()))
    for path in sorted(glob.glob(os.path.join(root, "include", "tide", "*.h"))):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
        for found in re.finditer(r"^(?:TIDE_API|static inline)\s+([^;{}]*?)\b(tide_\w+)\s*\(", text, re.M):
            end, depth = found.end(), 1
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            inside = " ".join(text[found.end():end - 1].split())
            parameters = [p.strip() for p in re.split(r",(?![^(]*\))", inside)]
            header = "tide/" + os.path.basename(path)
            functions[found.group(2)] = (" ".join(found.group(1).split()), parameters,
                                         "tide/tide.h" if header in within else header)
    return functions


def unknown_variables(root):
    """The variables that the library reads and its page does not tell of."""
    known = set()
    with open(os.path.join(root, "man", "tidemark.3"), encoding="utf-8") as file:
        known.update(re.findall(r"^\.It Ev (TIDE_\w+)", file.read(), re.M))
    read = set()
    for path in glob.glob(os.path.join(root, "gc", "**", "*.c"), recursive=True):
        with open(path, encoding="utf-8") as file:
            read.update(re.findall(r'(?:getenv|read_flag)\("(TIDE_\w+)"', file.read()))
    return sorted(read - known)


def synopsis(names, functions):
    lines = [f".In {header}" for header in sorted({functions[n][2] for n in names if n in functions},
                                                   reverse=True)]
    for name in names:
        if name in functions:
            result, parameters, _ = functions[name]
            lines += [f".Ft {result}", f".Fo {name}"]
            lines += [f'.Fa "{parameter}"' for parameter in parameters] + [".Fc"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Manual pages against headers.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    functions = public_functions(options.root)
    if len(functions) < 10:
        sys.exit("man_pages: the headers declare next to nothing; they were not understood")
    pages, findings = {}, []
    for path in sorted(glob.glob(os.path.join(options.root, "man", "*.3"))):
        page = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names = re.findall(r"^\.Nm (tide_\w+)", text[:text.index(".Sh SYNOPSIS")], re.M)
        for name in names:
            pages.setdefault(name, []).append(page)
            if name not in functions:
                findings.append(f"{page}: {name} is not in the headers")
        parts = re.match(r"(.*?^\.Sh SYNOPSIS\n)(.*?)(^\.Sh DESCRIPTION\n.*)", text, re.S | re.M)
        if names and parts.group(2) != synopsis(names, functions):
            if options.update:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(parts.group(1) + synopsis(names, functions) + parts.group(3))
            else:
                findings.append(f"{page}: SYNOPSIS is not what the headers declare (see --update)")
    for name in sorted(functions):
        if len(pages.get(name, [])) != 1:
            findings.append(f"{name}: described by {len(pages.get(name, []))} pages, not by one")
    for name in unknown_variables(options.root):
        findings.append(f"tidemark.3: ENVIRONMENT does not tell of {name}")
    for finding in findings:
        print(finding)
    print(f"{len(functions)} functions, {len(findings)} findings")
    return 1 if findings else 0


sys.exit(main())
