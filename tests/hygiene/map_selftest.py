#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""map.py writes a unit's first sentence, and notices what is missing, changed or silent.

Usage: map_selftest.py MAP.py
"""
import os
import sys

from small_tree import run, small_tree, write

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import map as the_map  # noqa: E402

TREE = {"docs/map.md": "", "heap/a.h": "/* Where objects live. More.\n */\n", "heap/b.c": '#include "heap/a.h"\n',
        "heap/b.h": "// Blocks of one size: each has cells.\n", "bench/x/x.h": "/* The command x. */\n"}
# What is done to a tree whose map is right: file, new text (None: gone), status, what is said
CHANGES = [("heap/a.c", "/* Not the header. */\n", 0, ""), ("heap/c.c", "/* A new unit. */\n", 1, "is not what the sources say"),
           ("heap/b.h", "// Blocks.\n", 1, "is not what the sources say"), ("heap/a.h", None, 1, "is not what the sources say"),
           ("heap/c.c", "int a;\n", 1, "heap/c: no head comment"), ("bench/y/z.h", "/* Z. */\n", 1, "bench/y: not in FOLDERS")]


def main():
    wrong = 0
    for name, text, status, said in CHANGES:
        with small_tree(TREE) as root:
            written, complaint = run(the_map, root)
            with open(os.path.join(root, "docs/map.md"), encoding="utf-8") as file:
                right = "- `a`: Where objects live.\n- `b`: Blocks of one size.\n" in file.read()
            if text is None:
                os.remove(os.path.join(root, name))
            else:
                write(root, {name: text})
            found, printed = run(the_map, root, "--check")
        if written or not right or found != status or said not in printed:
            wrong += 1
            print(f"{name}: {complaint}\n{found}: {printed}")
    print(f"{len(CHANGES)} changes, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
