#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every check of hygiene.py finds the fault that it is there for, and nothing in a clean tree."""
import sys

from small_tree import run, small_tree

import hygiene

CLEAN = {
    "heap/heap.h": "/* SPDX-License-Identifier: MIT */\n/* Purpose. */\n#ifndef TD_HEAP_HEAP_H\n#define TD_HEAP_HEAP_H\nint td_x(void);\n#endif\n",
    "heap/heap.c": '/* SPDX-License-Identifier: MIT */\n#include "heap/heap.h"\nint td_x(void) { return 1; }\n',
    "heap/pair.c": "/* SPDX-License-Identifier: MIT */\n/* release [pair.item]: a. */\n/* acquire [pair.item]: b. */\n",
    "README.md": "[a](heap/heap.h) [b](https://example.org)\n## Figures\n\n|graph|ns|\n|a|1, 2? |\n",
    "docs/results.md": "|A|100|1, 2? | more|\n",
    "run": "#!/bin/sh\n# SPDX-License-Identifier: MIT\necho \"$1\"\n",
    "cmake/packages.txt": "# list\na\nb\n",
    "cmake/packages-test.txt": "c\n",
    "cmake/packages-matrix.txt": "d\n",
    ".clang-format": "BasedOnStyle: LLVM\nColumnLimit: 100\n",
}
def function_of(lines):
    return "int f(void) {\n" + "  td_x();\n" * (lines - 2) + "}\n"


LONG_FILE = "int a;\n" * 400
REASON = "/* Purpose. Longer than 400 lines because\n * of reasons. */\n"
# check: (file, its faulty text, what the finding says)
FAULTS = [
    ("includes", "heap/bad.c", '#include "gc/cycle.h"\n', "heap may not include gc/cycle.h"),
    ("includes", "bench/bad.c", '#include "marker/loop.h"\n', "may not include marker/loop.h"),
    ("includes", "heap/bad.c", '#include "heap.h"\n', "not relative to the root"),
    ("guards", "heap/bad.h", "#ifndef BAD_H\n#define BAD_H\n#endif\n", "its path says TD_HEAP_BAD_H"),
    ("guards", "heap/bad.h", "int a;\n", "no include guard"),
    ("headers", "heap/bad.h", "#ifndef TD_HEAP_BAD_H\n#define TD_HEAP_BAD_H\nsize_t n;\n#endif\n",
     "heap/bad.h"),
    ("tags", "marker/bad.c", "/* release [bad.item]: a. */\n", "[bad.item] has no acquire side"),
    ("tags", "marker/bad.c", "/* acquire [bad.a] [bad.b]: a. */\n/* release [bad.a] */\n",
     "[bad.b] has no release side"),
    ("orders", "marker/bad.c", "int f(void) { return atomic_load(&x); }\n", "order not named"),
    ("orders", "marker/bad.c",
     "int f(void) { return atomic_load_explicit(&x, memory_order_acquire); }\n", "no [tag]"),
    ("lengths", "gc/bad.c", function_of(51), "f has 51 lines"),
    ("lengths", "gc/bad.c", "/* Purpose. */\n" + LONG_FILE, "401 lines, over 400"),
    ("lengths", "gc/bad.c", LONG_FILE + REASON, "402 lines"),
    ("lengths", "gc/bad.c", "/* Longer than 400 lines because */\n" + LONG_FILE, "401 lines"),
    ("words", "gc/bad.c", "/* TO" "DO: later */\n", "unfinished"),
    ("words", "gc/bad.c", '"/ho' 'me/me/x"\n', "a path of one machine"),
    ("format", "gc/bad.c", "int   a;\n", "not as clang-format"),
    ("shell", "bad", "#!/bin/sh\necho $1\n", "Double quote"),
    ("links", "bad.md", "[x](none.md)\n", "no such file: none.md"),
    ("figures", "README.md", "#\n\n## Figures\n\n|a|1, 2 |\n", "README.md:5: not a row of docs/results.md"),
    ("licence", "heap/bad.c", "int a;\n", "no SPDX"),
    ("licence", "test", "#!/bin/sh\n", "no SPDX"),
    ("packages", "cmake/packages.txt", "b\na\n", "not sorted"),
]


# Files at the limits, or over them with a reason: (check, file, text, arguments)
GOOD = [
    ("lengths", "gc/good.c", function_of(50), []),
    ("lengths", "gc/good.c", LONG_FILE, []),
    ("lengths", "gc/good.c", REASON + LONG_FILE, []),
    ("lengths", "gc/good.c", "/* One case per instruction. */\n" + function_of(80), []),
    ("lengths", "gc/later.c", function_of(51), ["--later=gc/later.c", "--later=heap/"]),
]


def main():
    clean = [(check, {}, [], None) for check in sorted({fault[0] for fault in FAULTS})]
    faulty = [(check, {name: text}, [], says) for check, name, text, says in FAULTS]
    good = [(check, {name: text}, arguments, None) for check, name, text, arguments in GOOD]
    wrong = 0
    for check, files, arguments, says in clean + faulty + good:
        with small_tree(CLEAN | files) as root:
            status, printed = run(hygiene, root, *arguments, check)
        found = status == 1 and says in printed if says else status == 0
        if not found and status != hygiene.SKIPPED:
            wrong += 1
            print(f"{check}, {'fault' if says else 'none'} in {' '.join(files) or 'the clean tree'}: "
                  f"status {status}\n{printed}")
    print(f"{len(clean + faulty + good)} runs, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
