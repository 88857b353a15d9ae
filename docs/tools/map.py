#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/map.md: every unit of the library and the drop-in, in the words of its own head comment.

Usage: map.py --root FOLDER [--check]

A unit is a stem, such as heap/check.c with heap/check.h; its line is the first sentence of the header, or
of the source where there is no header, up to what explains its first four words or more. A folder of the program, the examples and the tests has one line:
the first sentence of the header named like it, or of FOLDERS below. With --check nothing is written.
Exit 0: written, or the map is as the sources say; 1: it is not, or a file says nothing of itself.
"""
import argparse
import os
import re
import sys

LAYERS = ("include/tide", "inspect", "gc", "marker", "heap", "platform", "bdwgc")
AROUND = ("bench", "workloads", "examples", "tests")
FOLDERS = {
    "bench/boehm": "Graphs on Boehm GC, in processes of their own.",
    "bench/cli": "What subcommands share: options, tables, JSON, files, charts, noise.",
    "bench/marking": "Measuring several engines on several graphs, round by round.",
    "bench/rivals": "Queues that the library does not carry, and their engines.",
    "bench/simulate": "The program `tidemark-simulate`: marking on simulated processors.",
    "bench/subject": "A graph on a heap, ready to be marked.",
    "bench/threads": "Threads on CPUs of their own, started together.",
    "examples/python": "Tidemark from Python, through ctypes.",
    "examples/scheme": "A Scheme interpreter on Tidemark and on Boehm GC.",
    "workloads/graphs": "Recorded heaps that come with the program.",
    "workloads/java": "Java programs whose heaps were recorded.",
    "workloads/js": "The same for Node.js.",
    "tests/asked": "Which memory the marking loops load without having asked for it.",
    "tests/concurrent": "Full collections that mark beside the program, held at their edges; mutators that race.",
    "tests/bdwgc": "The drop-in: calls, programs, other collectors' own tests.",
    "tests/cli": "The program: options, errors, output files, JSON.",
    "tests/cost": "Bounds on instructions.",
    "tests/bwos": "The queue by itself: typed items, whole and once; the headers alone.",
    "tests/cxx": "The headers in C++.",
    "tests/examples": "The examples print what they should.",
    "tests/fault": "Calls of the system and of malloc that are refused, one after the other.",
    "tests/fuzz": "Readers of files, fed with nonsense.",
    "tests/hygiene": "The text of the sources: names, includes, circles, lengths.",
    "tests/marking": "Marks compared with an independent serial marking.",
    "tests/matrix": "Other compilers, processors and C libraries.",
    "tests/model": "Protocols under model checkers, with mutants that must be found.",
    "tests/package": "What is installed, the single file, the samples of the documents.",
    "tests/poison": "Cells of the dead under AddressSanitizer.",
    "tests/rivals": "The queues and engines of bench/rivals.",
    "tests/scheme": "The Scheme interpreter.",
    "tests/simulate": "The simulation against the machine.",
    "tests/soak": "Hours of use.",
    "tests/stress": "Threads, signals, forks and stops at random.",
    "tests/unit": "One unit after the other.",
    "tests/wild": "Everything at once, at random.",
    "tests/young": "Young collections against a shadow of the heap.",
}
TITLES = {
    "include/tide": "what embedders include", "inspect": "snapshots of a live heap",
    "gc": "the embedder's calls, and collections", "marker": "how live objects are found",
    "heap": "where objects live", "platform": "the operating system",
    "bdwgc": "the drop-in for Boehm GC", "bench": "the program", "workloads": "object graphs",
    "examples": "small programs", "tests": "what is checked",
}
HEAD = """# A map of the sources

Each line is the first sentence of the file's own comment; `docs/tools/map.py --root .` writes this page.
`name` stands for `name.h` and `name.c`.
"""
COMMENT = re.compile(r"\A(?:(?:/\*|//) SPDX-[^\n]*\n)?(?:\s*#(?:include|define|pragma)[^\n]*\n|\s*\n)*\s*(?:/\*(.*?)\*/|((?://[^\n]*\n)+))", re.S)


def sentence(path):
    """The first sentence of the file's head comment, or None."""
    with open(path, encoding="utf-8") as file:
        found = COMMENT.match(file.read())
    if not found:
        return None
    text = found.group(1) or re.sub(r"^//", "", found.group(2), flags=re.M)
    text = re.sub(r"\n[ \t]*\*[ \t]*\n.*", "", "\n" + text, flags=re.S)  # the first paragraph
    text = " ".join(re.sub(r"^[ \t]*\*", "", text, flags=re.M).split())
    end = re.search(r"(?<!\bal)(?<!\be\.g)(?<!\bvs)[.?](?=\s+(?:[A-Z(<]|docs/)|$)", text)
    text = text[:end.end()] if end else text.rstrip(":,;") + "."
    # What explains more than the subject is left to the file.
    short = re.match(r"(?:[^\s:;]+\s+){3,}?[^\s:;]+?(?=[:;]\s|,\s(?:which|so|as|where|because|whatever|until)\s)", text)
    return (short.group() + "." if short else text) if text != "." else None


def sources(folder):
    return sorted(n for n in os.listdir(folder) if n.endswith((".c", ".h", ".hpp")))


def units(root, folder):
    """(unit, sentence) of one folder; sentence is None if neither file says anything."""
    where, stems = os.path.join(root, folder), {}
    for name in sources(where):
        stems.setdefault(os.path.splitext(name)[0], []).append(name)
    for stem, names in sorted(stems.items()):
        names.sort(key=lambda n: not n.endswith((".h", ".hpp")))
        said = [text for text in (sentence(os.path.join(where, name)) for name in names) if text]
        yield (stem, said[0] if said else None)


def subfolders(root, folder):
    inside = os.path.join(root, folder)
    return [f"{folder}/{n}" for n in sorted(os.listdir(inside))
            if os.path.isdir(os.path.join(inside, n)) and n != "__pycache__"]


def draw(root):
    """The page, and the list of what says nothing of itself."""
    lines, silent = [HEAD], []
    for layer in LAYERS:
        lines.append(f"## {layer}/: {TITLES[layer]}\n")
        for where, folders, _ in os.walk(os.path.join(root, layer)):
            folders.sort()
            folder = os.path.relpath(where, root)
            found = list(units(root, folder))
            if not found:
                continue
            if folder != layer:
                lines.append(f"**{folder}/**\n")
            for unit, text in found:
                if text is None:
                    silent.append(f"{folder}/{unit}: no head comment")
                lines.append(f"- `{unit}`: {text}")
            lines.append("")
    for layer in AROUND:
        if not os.path.isdir(os.path.join(root, layer)):
            continue
        lines.append(f"## {layer}/: {TITLES[layer]}\n")
        for folder in subfolders(root, layer):
            header = os.path.join(root, folder, os.path.basename(folder) + ".h")
            text = FOLDERS.get(folder) or (sentence(header) if os.path.exists(header) else None)
            if text is None:
                silent.append(f"{folder}: not in FOLDERS of docs/tools/map.py, and no header of its name")
            lines.append(f"- `{os.path.basename(folder)}/`: {text}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n", silent


def main():
    parser = argparse.ArgumentParser(description="Writes the map of the sources.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    path = os.path.join(options.root, "docs", "map.md")
    drawn, silent = draw(options.root)
    for line in silent:
        print(line)
    if options.check:
        with open(path, encoding="utf-8") as file:
            if file.read() != drawn:
                print("docs/map.md is not what the sources say; write it again:\n"
                      "  python3 docs/tools/map.py --root .")
                return 1
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(drawn)
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
