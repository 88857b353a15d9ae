#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws which folder of the library uses which, from the sources.

Usage: diagram.py --root FOLDER --out FILE.svg [--check]

A folder stands above all that it uses. An arrow that follows from others (a uses b, b uses c) is
left out; arrows of a circle are red. With --check the file is compared, not written: exit 1 if it
is not what would be drawn. arrows.py says what an arrow is.
"""
import argparse
import collections
import os
import sys

sys.dont_write_bytecode = True
from arrows import Tree, Unreadable, components, folder_of, lifted  # noqa: E402

BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 150, 44, 30, 46, 24
COLOURS = {"inspect": "#f6e3c5", "bdwgc": "#e1d5e7", "gc": "#d5e8d4", "marker": "#dae8fc", "heap": "#f8dcdc",
           "platform": "#e6e6e6"}


def uses_of(tree):
    uses = {folder: set() for folder in map(folder_of, tree.units())}
    for arrow in lifted(tree.arrows, folder_of):
        uses[arrow.source].add(arrow.target)
    return uses


def reachable(uses, start):
    seen, todo = set(), list(uses[start])
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += uses[node]
    return seen


def reduced(uses):
    """Arrows that do not follow from others. Those of circles stay, and one of several into a circle."""
    reach = {node: reachable(uses, node) for node in uses}

    def follows(node, target):
        return any(target in reach[other] and (other not in reach[target] or other < target)
                   for other in uses[node] - {target} if node not in reach[other])

    return {node: {t for t in targets if node in reach[t] or not follows(node, t)}
            for node, targets in uses.items()}


def levels_of(uses, circles):
    """Each folder above what it uses, and as close below its users as it may; circles share a level."""
    group = {node: frozenset(c) for c in circles for node in c}
    levels = {}

    def level(node):
        members = group.get(node, frozenset([node]))
        if node not in levels:
            below = {t for m in members for t in uses[m]} - members
            value = max((level(t) + 1 for t in sorted(below)), default=0)
            levels.update(dict.fromkeys(members, value))
        return levels[node]

    for node in uses:
        level(node)
    for node in sorted(uses, key=levels.get, reverse=True):
        members = group.get(node, frozenset([node]))
        users = [levels[user] for user in uses if user not in members and uses[user] & members]
        if users:
            levels.update(dict.fromkeys(members, min(users) - 1))
    return levels


def places_of(uses, levels):
    """Folder: (x, y). In a row, folders stand in the order of the means of what they use."""
    rows = collections.defaultdict(list)
    for node in sorted(uses):
        rows[levels[node]].append(node)
    widest = max(len(row) for row in rows.values())
    places, top = {}, max(rows)
    for number in sorted(rows):
        def mean(node):
            known = [places[t][0] for t in uses[node] if t in places]
            return (sum(known) / len(known) if known else 0, node)
        row = sorted(rows[number], key=mean)
        left = MARGIN + (widest - len(row)) * (BOX_WIDTH + GAP_X) // 2
        for i, node in enumerate(row):
            places[node] = (left + i * (BOX_WIDTH + GAP_X), MARGIN + (top - number) * (BOX_HEIGHT + GAP_Y))
    width = 2 * MARGIN + widest * (BOX_WIDTH + GAP_X) - GAP_X
    return places, width, 2 * MARGIN + (top + 1) * (BOX_HEIGHT + GAP_Y) - GAP_Y


def line(source, target, in_circle):
    x1, y1, x2, y2 = source[0] + BOX_WIDTH // 2, source[1] + BOX_HEIGHT, target[0] + BOX_WIDTH // 2, target[1]
    if y1 > y2:  # beside or above: only in a circle
        y1, y2 = source[1], target[1] if source[1] > target[1] else target[1] - 2
    bend = max(GAP_Y // 2, (y2 - y1) // 3)
    colour = "#c00000" if in_circle else "#555555"
    return (f'  <path d="M{x1},{y1} C{x1},{y1 + bend} {x2},{y2 - bend} {x2},{y2 - 2}" fill="none" '
            f'stroke="{colour}" stroke-width="1.3" marker-end="url(#tip)"/>')


def draw(tree):
    uses = uses_of(tree)
    circles = components(sorted(uses), lifted(tree.arrows, folder_of))
    group = {node: number for number, c in enumerate(circles) for node in c}
    shown = reduced(uses)
    places, width, height = places_of(uses, levels_of(uses, circles))
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="15">',
            "  <!-- Drawn by docs/tools/diagram.py from the sources. -->",
            "  <title>Folders of libtidemark and what they use</title>",
            "  <desc>" + "; ".join(f"{node} uses {', '.join(sorted(shown[node])) or 'nothing'}"
                                   for node in sorted(shown)) + "</desc>",
            '  <defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0,1 L10,5 L0,9 z" fill="#555555"/></marker></defs>',
            f'  <rect width="{width}" height="{height}" fill="#ffffff"/>']
    for node in sorted(shown):
        for target in sorted(shown[node]):
            text.append(line(places[node], places[target],
                             node in group and group.get(node) == group.get(target)))
    for node, (x, y) in sorted(places.items()):
        text.append(f'  <rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
                    f'fill="{COLOURS[node.split("/")[0]]}" stroke="#555555"/>')
        text.append(f'  <text x="{x + BOX_WIDTH // 2}" y="{y + BOX_HEIGHT // 2 + 5}" '
                    f'text-anchor="middle">{node}</text>')
    return "\n".join(text + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="Draws which folder of the library uses which.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    try:
        drawn = draw(Tree(options.root))
    except Unreadable as error:
        print(error, file=sys.stderr)
        return 2
    if not options.check:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(drawn)
        return 0
    kept = ""
    if os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as file:
            kept = file.read()
    if kept == drawn:
        return 0
    print(f"{options.out} is not what the sources say; draw it again:\n"
          "  python3 docs/tools/diagram.py --root . --out docs/architecture.svg")
    return 1


if __name__ == "__main__":
    sys.exit(main())
