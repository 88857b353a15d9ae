#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From a live heap to the program: what the library writes, loaded here by ctypes, is compared,
described and imported. Objects and edges must be the same by every way.

Usage: snapshot_cli.py --program PROGRAM --library LIBRARY
"""
import argparse
import ctypes
import json
import os
import random
import subprocess
import sys
import tempfile

NODES, LEAVES, FIELDS = 20000, 3000, 3
REFERENCES, LEAF = 2, 1  # layouts


def load(path):
    tide = ctypes.CDLL(path)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    for name, result, arguments in (
            ("tide_heap_create", pointer, [pointer, pointer]),
            ("tide_heap_destroy", ctypes.c_int, [pointer]),
            ("tide_attach", pointer, [pointer, pointer, pointer]),
            ("tide_detach", ctypes.c_int, [pointer]),
            ("tide_alloc_slow", pointer, [pointer, ctypes.c_uint16, size]),
            ("tide_collect", ctypes.c_int, [pointer]),
            ("tide_count_marked", ctypes.c_uint64, [pointer]),
            ("tide_heap_snapshot", ctypes.c_int, [pointer, ctypes.c_char_p, pointer]),
            ("tide_heap_snapshot_thg", ctypes.c_int, [pointer, ctypes.c_char_p, pointer]),
            ("tide_root_add_range", ctypes.c_int, [pointer, pointer, size]),
            ("tide_root_remove_range", ctypes.c_int, [pointer, pointer])):
        function = getattr(tide, name)
        function.restype, function.argtypes = result, arguments
    return tide


class Precise(ctypes.Structure):
    """tide_attach_options with TIDE_STACK_PRECISE: the count must not hang on old words."""
    _fields_ = [("struct_size", ctypes.c_size_t), ("stack", ctypes.c_int)]


def write_snapshots(tide, folder):
    """A graph whose every object a root holds; returns its objects and edges."""
    heap = tide.tide_heap_create(None, None)
    options = Precise(ctypes.sizeof(Precise), 1)
    me = tide.tide_attach(heap, ctypes.byref(options), None)
    roots = (ctypes.c_void_p * (NODES + LEAVES))()
    assert tide.tide_root_add_range(heap, roots, len(roots)) == 0
    chance, edges = random.Random(5), 0
    for i in range(LEAVES):
        roots[i] = tide.tide_alloc_slow(me, LEAF, chance.randrange(1, 200))
    for i in range(LEAVES, LEAVES + NODES):
        roots[i] = tide.tide_alloc_slow(me, REFERENCES, 8 * (FIELDS + 1))
        fields = (ctypes.c_void_p * FIELDS).from_address(roots[i])
        for f in range(FIELDS):
            if chance.random() < 0.8:
                fields[f] = roots[chance.randrange(i)]
                edges += 1
    for name, function in (("direct.thg", tide.tide_heap_snapshot_thg),
                           ("heap.heapsnapshot", tide.tide_heap_snapshot)):
        assert function(me, os.path.join(folder, name).encode(), None) == 0
    assert tide.tide_collect(me) == 0
    assert tide.tide_count_marked(me) == len(roots)
    tide.tide_root_remove_range(heap, roots)
    assert tide.tide_detach(me) == 0 and tide.tide_heap_destroy(heap) == 0
    return len(roots), edges


def works(program, *arguments):
    done = subprocess.run([program, *arguments, "--quiet"], capture_output=True, text=True,
                          timeout=200, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def compare(program, path):
    """Objects and edges as the markers count them, checked against the serial marking."""
    text = works(program, "compare", "--graph", f"file:{path}", "--engine", "bwos,abp",
                 "--markers", "1,2", "--rounds", "2", "--check", "--json", "-")
    rows = json.loads(text)["rows"]
    assert len(rows) == 4 and all(row["checked"] for row in rows), rows
    assert len({(row["objects"], row["edges"]) for row in rows}) == 1, rows
    return rows[0]["objects"], rows[0]["edges"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", dest="shared_library", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidemark-snapshot-") as folder:
        objects, edges = write_snapshots(load(options.shared_library), folder)
        direct, packed, imported = (os.path.join(folder, name) for name in
                                    ("direct.thg", "packed.thg", "imported.thg"))
        for source, target in ((direct, packed),
                               (os.path.join(folder, "heap.heapsnapshot"), imported)):
            works(options.program, "import", source, "-o", target)
        # V8's format has a node for the roots, with an edge to each object that one of them holds.
        found = [compare(options.program, path) for path in (direct, packed, imported)]
        assert found[0] == found[1] == (objects, edges), (found, objects, edges)
        assert found[2] == (objects + 1, edges + objects), (found, objects, edges)
        assert str(objects) in works(options.program, "graph", f"file:{direct}").replace(",", "")
        sizes = [os.path.getsize(path) for path in (direct, packed)]
        assert sizes[1] < sizes[0], sizes
        print(f"{objects} objects, {edges} edges; {sizes[0]} bytes as written, {sizes[1]} packed")
    return 0


sys.exit(main())
