#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py finds each kind of name that nothing has, and passes the kinds that something has."""
import re
import sys

from small_tree import run, small_tree

import names

TREE = {
    "include/tide/tide.h": "void *tide_object_find(void);\n#define TIDE_OK 0\n",
    "heap/space.h": "struct td_space { int td_field; };\nint td_space_find(void);\n",
    "marker/queue/bwos.h": "int td_bwos_put(void);\n#define TD_BWOS_MAX_ITEMS 3\n",
    "gc/log.c": 'const char *name(void) { return "TIDE_LOG"; }\n',
    "CMakeLists.txt": "option(TIDE_PROGRAM \"the program\" ON) # TIDE_REMARK\n",
    "CHANGELOG.md": "td_gone went.\n",
    "tests/hygiene/selftest.py": "td_gone = 'tide_gone'\n",
}
RESOLVE = ["td_space", "td_field", "td_space_find", "tide_object_find", "TIDE_OK", "TIDE_LOG", "TIDE_PROGRAM",
           "tide_object_…", "td_space_*", "td_Q_put", "TD_Q_MAX_ITEMS", "td_Q", "heap/space.h", "tide/tide.h",
           "include/tide/tide.h", "marker/queue/Q.h", "marker/queue/NAME.h", "libtd_gone", "x/td_gone"]
FAIL = ["td_gone", "tide_gone", "TD_GONE", "TIDE_REMARK", "td_gone_*", "td_Q_get", "TD_Q_MIN", "heap/gone.h",
        "tide/gone.h", "marker/queue_Q.h", "td_spaces", "td_space_fin"]
# How a name is written: file and text; the last two are places that are not read.
PLACES = [("heap/a.c", "/* See\n * %s. */\n"), ("heap/a.h", "// %s\n"), ("docs/a.md", "Call `%s` here.\n"),
          ("man/a.3", ".Nm %s\n"), ("man/a.3", ".Dt %s 3\n"), ("docs/a.txt", "%s\n")]


def main():
    wrong = 0
    cases = [(RESOLVE, place, 0) for place in PLACES[:4]]
    cases += [(FAIL, place, 1) for place in PLACES[:4]]
    cases += [(FAIL, place, 0) for place in PLACES[4:]]
    for words, (name, pattern), status in cases:
        text = "".join(pattern % word for word in words)
        with small_tree({**TREE, name: text}) as root:
            found, printed = run(names, root)
            later, _ = run(names, root, "--later", name.split("/")[0] + "/")
        named = not status or f"{name}:" in printed and all(
            re.search(rf": {re.escape(word.rstrip('…*'))}(?!\w)", printed) for word in words)
        if found != status or not named or later != 0:
            wrong += 1
            print(f"{name}, {words}: status {found}, later {later}\n{printed}")
    print(f"{len(cases)} runs, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
