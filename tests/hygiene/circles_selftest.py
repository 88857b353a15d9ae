#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""circles.py finds each kind of circle in a small tree, names its arrows, and passes trees without."""
import sys

from small_tree import run, small_tree

import circles


def header(path, text):
    guard = "TD_" + path.replace("/", "_").replace(".", "_").upper()
    return f"#ifndef {guard}\n#define {guard}\n{text}#endif\n"


def tree(files):
    return {name: header(name, text) if name.endswith(".h") else text for name, text in files.items()}


BELOW = {"platform/os.h": "int td_os(void);\nextern int td_word;\n",
         "platform/os.c": '#include "platform/os.h"\nint td_word;\nint td_os(void) { return td_word; }\n'}
ABOVE = {"heap/space.h": "struct td_space { int td_os; };\nstatic inline int td_near(void) { return 1; }\n",
         "heap/take.h": '#include "heap/space.h"\nint td_take(void);\n',
         "heap/take.c": '#include "heap/take.h"\n#include "platform/os.h"\n'
                        "int td_take(void) { return td_os() + td_near(); }\n"}

# name: (files besides those two, arguments, exit status, what the output must and must not say)
CASES = {
    "none": ({}, [], 0, ["0 circles"], ["->"]),
    "include circle": (
        {"heap/a.h": '#include "heap/b.h"\n', "heap/b.h": '#include "heap/a.h"\n'}, [], 1,
        ["A circle of 2 units: heap/a heap/b", 'heap/a.h:3: heap/a -> heap/b: includes "heap/b.h"',
         'heap/b.h:3: heap/b -> heap/a: includes "heap/a.h"'], ["folders"]),
    "call circle through a third header": (
        {"heap/all.h": "int td_a(void);\nint td_b(void);\n",
         "heap/a.c": '#include "heap/all.h"\nint td_a(void) {\n  return td_b();\n}\n',
         "heap/b.c": '#include "heap/all.h"\nint td_b(void) { return td_a(); }\n'}, [], 1,
        ["A circle of 2 units: heap/a heap/b", "heap/a.c:3: heap/a -> heap/b: uses td_b",
         "heap/b.c:2: heap/b -> heap/a: uses td_a"], ["heap/all ->", "-> heap/all"]),
    "object declared by hand": (
        {"heap/a.c": "extern int td_b;\nint *td_a = &td_b;\n",
         "heap/b.c": "extern int *td_a;\nint td_b;\nint f(void) { return *td_a; }\n"}, [], 1,
        ["heap/a.c:2: heap/a -> heap/b: uses td_b"], []),
    "circle of folders without one of units": (
        {"marker/low/a.h": "int td_a(void);\n", "marker/low/b.h": '#include "marker/high/c.h"\n',
         "marker/high/c.h": "", "marker/high/d.h": '#include "marker/low/a.h"\n'}, [], 1,
        ["A circle of 2 folders: marker/high marker/low", "marker/low/b.h:3"], ["units:"]),
    "circle of rooms without one of folders": (
        {"marker/low/a.h": "", "heap/b.h": '#include "marker/low/a.h"\n',
         "marker/high/c.h": '#include "heap/b.h"\n'}, [], 1,
        ["A circle of 2 rooms: heap marker"], ["units:", "folders:"]),
    "circle elsewhere is told only": (
        {"gc/a.h": '#include "gc/b.h"\n', "gc/b.h": '#include "gc/a.h"\n'},
        ["--folder", "heap", "--folder", "platform"], 0, ["Told only: A circle of 2 units"], []),
    "a folder stands for those inside": (
        {"gc/in/a.h": '#include "gc/in/b.h"\n', "gc/in/b.h": '#include "gc/in/a.h"\n'},
        ["--folder", "gc"], 1, ["gc/in/a -> gc/in/b"], []),
    "inline function of a header": (
        {"heap/a.h": '#include "heap/space.h"\nstatic inline int td_a(void) { return td_b(); }\n',
         "heap/b.c": '#include "heap/a.h"\nint td_b(void) { return td_a(); }\n'}, [], 1,
        ["heap/a.h:4: heap/a -> heap/b: uses td_b", "heap/b -> heap/a"], []),
    "template and its includer": (
        {"marker/loop.h": "\n", "marker/queue.h": "static inline int td_q_put(void) { return 1; }\n",
         "marker/q.c": '#include "marker/queue.h"\nstatic int own(void) { return 1; }\n'
                       '#define Q(name) td_q_##name\n#include "marker/work.h"\n'
                       "int td_q(void) { return work(); }\n"}, [], 0, ["0 circles"], []),
    "template's parameter from a template": (
        {"marker/q.c": '#define Q(name) td_q_##name\n#include "marker/engine.h"\n'}, [], 0, ["0 circles"], []),
    "paste that leads back": (
        {"marker/q.c": "#define Q(name) td_q_##name\nint td_loop(void) { return Q(put)(); }\n",
         "marker/p.c": "int td_loop(void);\nint td_q_put(void) { return td_loop(); }\n"}, [], 1,
        ["marker/q.c:1: marker/q -> marker/p: uses td_q_##name"], []),
    "paste that defines": (
        {"bdwgc/a.c": "#define GET(name) \\\n  int GC_get_##name(void) { \\\n    return 1; \\\n  }\nGET(x)\nint GC_a(void) { "
                      "return 1; }\n",
         "bdwgc/b.c": "int GC_a(void);\nint GC_get_b(void) { return GC_a(); }\n"}, [], 0, ["0 circles"], []),
    "inline function of a public header": (
        {"include/tide/tide.h": "void *tide_slow(void);\nvoid *tide_other(void);\n"
                                "static inline void *tide_alloc(void) { return tide_slow(); }\n",
         "gc/slow.c": '#include "tide/tide.h"\nvoid *td_b(void);\nvoid *tide_slow(void) { return td_b(); }\n',
         "gc/b.c": '#include "tide/tide.h"\nvoid *td_b(void) { return tide_alloc(); }\n'
                   "void *tide_other(void) { return 0; }\n"}, [], 1,
        ["gc/b.c:2: gc/b -> gc/slow: uses tide_alloc"], []),
    "names that are none": (
        {"heap/a.c": "/* td_b() */\nint td_a(void) { return 1; }\n",
         "heap/b.c": "struct x { int td_a; };\n#define SAY \"td_a()\"\nint td_a(void);\n"
                     "int td_b(struct x *x) { return x->td_a; } // td_a()\n"
                     "int td_c(int td_a) { return td_a; }\nint td_d(void) {\n  int td_a = 1;\n"
                     "  return td_a;\n}\n",
         "heap/c.c": "int td_e(void) { return td_b(0); }\n"}, [], 0, ["0 circles"], []),
    "one of two implementations": (
        {"heap/pool.h": "int td_pool(void);\n",
         "heap/pool.c": '#include "heap/pool.h"\nint td_pool(void) { return 1; }\n',
         "heap/user.c": '#include "heap/pool.h"\nint td_user(void) { return td_pool(); }\n',
         "heap/other/pool.c": '#include "heap/pool.h"\nint td_pool(void) { return 2; }\n'}, [], 0,
        ["0 circles"], []),
    "macros that end a file": (
        {"heap/a.h": "#define TD_MAKE(x) int td_##x(void);\nTD_MAKE(a)\nTD_MAKE(b)\n"}, [], 0,
        ["0 circles"], []),
    "unreadable": ({"heap/a.c": "int f(void) {\n"}, [], 2, ["heap/a.c:1: this bracket is not closed"], []),
    "unknown folder": ({}, ["--folder", "heaps"], 2, ["no such folder: heaps"], []),
}
# The template's two parts, of which the second uses a function of its includer and of the first.
TEMPLATE = {"marker/loop.h": "static int turn(void) { return own(); }\n",
            "marker/engine.h": 'static int own(void) { return 1; }\n#include "marker/work.h"\n'
                               "static int engine(void) { return work(); }\n",
            "marker/work.h": '#include "marker/loop.h"\nstatic int work(void) { return turn() + Q(put)(); }\n'}


def main():
    wrong = 0
    for name, (files, arguments, status, said, unsaid) in CASES.items():
        files = tree({**BELOW, **ABOVE, **files})
        if name.startswith("template"):
            files.update(TEMPLATE)
        with small_tree(files) as root:
            found, output = run(circles, root, *arguments)
        missing = [text for text in said if text not in output]
        surplus = [text for text in unsaid if text in output]
        if found != status or missing or surplus:
            wrong += 1
            print(f"{name}: status {found}, not said {missing}, said {surplus}\n{output}")
    print(f"{len(CASES)} trees, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
