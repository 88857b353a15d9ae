#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every name of ours in a comment or document is one that the sources have.

Usage: names.py --root FOLDER [--later PREFIX]…

Looks at the comments of C and C++ sources, at Markdown documents and at manual pages, but not at
CHANGELOG.md, which speaks of the past. Checked are
 - names that begin with td_, tide_, TD_ or TIDE_: some source has them outside of comments, or a
   CMake file has them, or a public header's manual page is called so. A name that ends in _ stands
   for all that begin so (tide_object_…, td_plat_*);
   a part of capitals stands for any word (td_Q_put), as do Q and X alone in a macro's name;
 - files named with their folder (heap/space/space.h): they exist; a word of capitals (marker/queue/Q.h)
   stands for any.
The title line of a manual page, `.Dt`, is left out: it repeats the page's name in capitals.
Findings in files whose path begins with a --later prefix are told but do not count.
Exit 0: all resolve; 1: some do not.
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/tools"))
from arrows import blank  # noqa: E402

SOURCE_FOLDERS = ("include", "platform", "heap", "marker", "gc", "inspect", "bdwgc", "workloads",
                  "bench", "examples", "tests")
C_SUFFIXES = (".c", ".h", ".cpp", ".cc", ".hpp")
IGNORED_FOLDERS = {"build", "out", ".git", "__pycache__"}
# What the selftests of this folder name exists in their small trees only.
OWN_FOLDER = "tests/hygiene/"
NAME = re.compile(r"(?<![\w./-])(?:td|tide|TD|TIDE)_\w*")
PATH = re.compile(r"(?<![\w./<>-])(?:include/tide|tide|platform|heap|marker|gc|inspect|bdwgc|workloads|bench|examples"
                  r"|tests|docs|cmake|man)/[\w./-]*\w\.(?:cpp|c|h|md|py|sh|txt|cmake|[13])\b(?![\w-]|\.\w)")
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def all_files(root):
    for where, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in IGNORED_FOLDERS)
        for name in sorted(names):
            yield os.path.relpath(os.path.join(where, name), root)


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def is_source(name):
    return name.startswith(tuple(f + "/" for f in SOURCE_FOLDERS)) and name.endswith(C_SUFFIXES)


def is_build_file(name):
    return name.endswith((".cmake", ".cmake.in", ".pc.in", "CMakeLists.txt", "CMakePresets.json"))


def is_document(name):
    return name.endswith(".md") and name != "CHANGELOG.md" or re.fullmatch(r"man/.*\.[1-9]", name)


def comments_only(text):
    """The text with all but comments blanked, positions kept."""
    kept, at = [], 0
    for found in COMMENT_OR_STRING.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[at:found.start()]))
        kept.append(found.group() if found.group()[0] == "/" else blank(found))
        at = found.end()
    return "".join(kept) + re.sub(r"[^\n]", " ", text[at:])


def code_only(text):
    """The text without comments; strings stay, they name the environment's variables."""
    return COMMENT_OR_STRING.sub(lambda m: blank(m) if m.group()[0] == "/" else m.group(), text)


def known_names(root, names):
    known = set()
    for name in names:
        if name.startswith(OWN_FOLDER):
            continue
        if is_source(name):
            known.update(NAME.findall(code_only(read(root, name))))
            if name.startswith("include/tide/"):  # its manual page: cmake/manual.py
                known.add("tide_" + os.path.basename(name).removesuffix(".h"))
        elif is_build_file(name):
            known.update(re.findall(r"(?:td|tide|TD|TIDE)_\w*", re.sub(r"#[^\n]*", "", read(root, name))))
    return known


def pattern_of(name):
    """A regular expression of the names that a name with placeholders stands for; None without."""
    parts = name.split("_")
    lower = parts[0].islower()
    holes = [i for i, part in enumerate(parts) if i > 0 and part
             and (part.isupper() if lower else part in ("Q", "X"))]
    if not holes and parts[-1]:
        return None
    shown = [r"\w+" if i in holes else re.escape(part) for i, part in enumerate(parts)]
    return "_".join(shown) + (r"\w+" if not parts[-1] else "")


def resolves(name, known, cache):
    if name not in cache:
        pattern = pattern_of(name)
        cache[name] = name in known or pattern is not None and any(re.fullmatch(pattern, k) for k in known)
    return cache[name]


def exists(path, names):
    path = "include/" + path if path.startswith("tide/") else path
    pattern = re.sub(r"(?<![A-Za-z])[A-Z]+(?![A-Za-z])", lambda _: r"\w+", re.escape(path))
    return path in names or pattern != re.escape(path) and any(re.fullmatch(pattern, n) for n in names)


def findings(root):
    names = set(all_files(root))
    known, cache = known_names(root, names), {}
    for name in sorted(names):
        if is_source(name) and not name.startswith(OWN_FOLDER):
            text = comments_only(read(root, name))
        elif is_document(name):
            text = re.sub(r"^\.Dt [^\n]*", "", read(root, name), flags=re.M)
        else:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for found in NAME.finditer(line):
                if not resolves(found.group(), known, cache):
                    yield name, f"{name}:{number}: no such name: {found.group()}"
            for found in PATH.finditer(line):
                if not exists(found.group(), names):
                    yield name, f"{name}:{number}: no such file: {found.group()}"


def main():
    parser = argparse.ArgumentParser(description="Looks for names in comments that nothing has.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--later", action="append", default=[], help="tell, but do not fail")
    options = parser.parse_args()
    failed = told = 0
    for name, text in findings(options.root):
        later = name.startswith(tuple(options.later))
        told += later
        failed += not later
        print(text + (" (told only)" if later else ""))
    print(f"names: {failed} findings, {told} told only")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
