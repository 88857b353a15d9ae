#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Units and folders of the library use each other in one direction only.

Usage: circles.py --root FOLDER [--folder NAME]… [--dot]

Prints a line per folder, then every circle of units, folders and rooms with the arrows it is made
of, `file:line: from -> to: what`. Fails if a circle touches one of the folders named (all, if none
is); a folder stands for those inside it as well. arrows.py says what an arrow is.
Exit 0: no such circle; 1: circles; 2: wrong use, or a source that cannot be read.
"""
import argparse
import collections
import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/tools"))
from arrows import ROOMS, Tree, Unreadable, components, folder_of, lifted  # noqa: E402

SHOWN_MAX = 40  # arrows of one circle


def inside(name, folders):
    return not folders or any(name == f or name.startswith(f + "/") for f in folders)


def show_circle(kind, members, arrows):
    print(f"A circle of {len(members)} {kind}: {' '.join(members)}")
    places = collections.defaultdict(list)
    for arrow in arrows:
        if arrow.source in members and arrow.target in members:
            places[arrow.source, arrow.target].append(arrow)
    for (source, target), many in list(places.items())[:SHOWN_MAX]:
        first = min(many, key=lambda a: (a.file, a.line))
        more = f" and {len(many) - 1} more" if len(many) > 1 else ""
        print(f"  {first.file}:{first.line}: {source} -> {target}: {first.what}{more}")
    if len(places) > SHOWN_MAX:
        print(f"  … and {len(places) - SHOWN_MAX} more pairs")


def show_folders(tree, arrows, in_circle):
    lines, units = collections.Counter(), collections.Counter(map(folder_of, tree.units()))
    for file in tree.files.values():
        lines[folder_of(file.unit)] += file.lines
    uses = collections.defaultdict(set)
    for arrow in lifted(arrows, folder_of):
        uses[arrow.source].add(arrow.target)
    for folder in sorted(units):
        bad = sum(folder_of(unit) == folder for unit in in_circle)
        print(f"{folder:18} {units[folder]:3} units {lines[folder]:6} lines, {bad:2} in a circle; uses "
              f"{' '.join(sorted(uses[folder])) or 'nothing'}")


def show_dot(arrows):
    print("digraph units {")
    for source, target in sorted({(a.source, a.target) for a in arrows}):
        print(f'  "{source}" -> "{target}";')
    print("}")


def main():
    parser = argparse.ArgumentParser(description="Looks for circles of units and folders.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--folder", action="append", default=[], help="fail for these only")
    parser.add_argument("--dot", action="store_true", help="print the arrows between units for Graphviz")
    options = parser.parse_args()
    try:
        tree = Tree(options.root)
    except (Unreadable, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    unknown = [f for f in options.folder if not os.path.isdir(os.path.join(options.root, f))]
    if unknown or not tree.units():
        print(f"no such folder: {' '.join(unknown)}" if unknown else f"no sources in {options.root}",
              file=sys.stderr)
        return 2
    arrows = tree.arrows
    if options.dot:
        show_dot(arrows)
        return 0
    levels = (("units", arrows, tree.units()),
              ("folders", lifted(arrows, folder_of), sorted(set(map(folder_of, tree.units())))),
              ("rooms", lifted(arrows, lambda unit: unit.split("/")[0]), ROOMS))
    circles = [(kind, members, some) for kind, some, nodes in levels for members in components(nodes, some)]
    show_folders(tree, arrows, {u for kind, members, _ in circles if kind == "units" for u in members})
    failed = 0
    for kind, members, some in circles:
        counts = any(inside(member, options.folder) for member in members)
        failed += counts
        if not counts:
            print("Told only:", end=" ")
        show_circle(kind, members, some)
    print(f"{len(circles)} circles, {failed} of them in {' '.join(options.folder) or 'the library'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
