# SPDX-License-Identifier: MIT
"""What faults.py runs: every command of the program, the examples and the Scheme, on little."""
import json
import os
import re
import shutil

# The program's statuses: 0 ok, 3 bad input file, 4 out of resources.
GOOD, INPUT, RESOURCES = 0, 3, 4
# Lines that are no error: a noisy machine, and verification that has to do without memory.
NOTES = re.compile(r"^(A NOISY RUN|While measuring|tidemark: TIDE_VERIFY: not enough memory|"
                   r"tidemark: [^\n]*(warning|skipped|left out|note:))[^\n]*\n", re.M)
SMALL = ["--graph", "tree:depth=4", "--markers", "2", "--quiet"]
SCRIPT = """(define (copy from to)
  (let ((in (open-input-file from)) (out (open-output-file to)))
    (let loop ((c (read-char in)))
      (if (eof-object? c) (begin (close-port in) (close-port out))
          (begin (write-char c out) (loop (read-char in)))))))
(define (count n l) (if (= n 0) (length l) (count (- n 1) (cons n l))))
(display (count 20000 '())) (newline)
"""


# What libraries do that are not ours, and why it is not mended here.
KNOWN = {
    ("munmap", 134): "the GNU C library aborts when it cannot unmap the stack of a thread that ended",
}


def without_notes(text):
    return NOTES.sub("", text)


def is_whole(name, data, reference):
    """Whether a file is complete, by its kind and by what it is without a fault."""
    try:
        if name.endswith(".json"):
            return shape(json.loads(data)) == shape(json.loads(reference))
        if name.endswith(".html"):
            return data.rstrip().endswith(b"</html>")
        if name.endswith(".svg"):
            return data.rstrip().endswith(b"</svg>")
    except ValueError:
        return False
    return data == reference


def shape(value):
    """The keys of a document and how many rows it has."""
    if not isinstance(value, dict):
        return None
    return sorted(value), len(value.get("rows", value.get("traceEvents", [])) or [1]) > 0


class Case:
    def __init__(self, name, words, outputs=(), reads=False):
        self.name, self.words, self.outputs, self.reads = name, words, tuple(outputs), reads
        # Measurements differ from run to run, and may be alike by chance.
        self.is_measured = words[0] in ("compare", "mark", "limit", "queue", "gcbench")


class Program(Case):
    """A command of tidemark."""
    speaks_as = "tidemark"
    writes_in_place = False

    def command(self, options, out):
        return [os.path.join(options.build, "tidemark"),
                *(word.replace("{out}", out) for word in self.words)]

    def statuses(self, call):
        if call == "futex":
            return (GOOD,)
        # A file that can't be read is bad input; the table of open files may be full.
        return (GOOD, RESOURCES) + ((INPUT,) if self.reads and call in ("open", "read") else ())

    def same_output(self, expected, found, is_repeatable):
        if is_repeatable:
            return expected == found
        # Notes of a noisy machine come and go.
        return abs(expected.count(b"\n") - found.count(b"\n")) <= 3


class Example(Case):
    """A program of examples/: what fails is told in one line, and any status over 0 will do."""
    writes_in_place = True  # the Scheme's ports, as R7RS has them

    def __init__(self, name, words, outputs=()):
        super().__init__(name, words, outputs)
        # The Scheme names the file of the program in whose line it happens.
        self.speaks_as = {"scheme-tide": ("scheme", words[-1])}.get(
            name, name.removeprefix("example_"))

    def command(self, options, out):
        return [os.path.join(options.build, "examples", self.words[0]), *self.words[1:]]

    def statuses(self, call):
        return (GOOD,) if call == "futex" else tuple(range(0, 125))

    def same_output(self, expected, found, is_repeatable):
        if self.name == "example_server":  # which tells of its collections, as many as there were
            return found.startswith(b"longest request")
        return expected == found if is_repeatable else expected.count(b"\n") == found.count(b"\n")


def cases(options):
    seeds = os.path.join(options.root, "tests", "fuzz", "seeds")
    graph = os.path.join(seeds, "thg", "sample.thg")
    dump = os.path.join(seeds, "hprof", "small-segments-8.hprof")
    snapshot = os.path.join(seeds, "heapsnapshot", "small.heapsnapshot")
    plot = ["--plot", "{out}/p.svg"] if shutil.which("gnuplot") else []
    queue = ["queue", "--rounds", "1", "--run-ms", "1", "--quiet", "--json", "{out}/r.json"]
    script = os.path.join(options.build, "tests", "fault", "copy.scm")
    with open(script, "w", encoding="utf-8") as file:
        file.write(SCRIPT + f'(copy "{script}" "copied.scm")\n')
    small = ["--operations", "2K", "--depth", "6", "--rounds", "1", "--quiet", "--json", "{out}/r.json"]
    found = [
        Program("engines", ["engines"]),
        Program("compare", ["compare", *SMALL, "--engine", "bwos,abp", "--rounds", "2", "--check",
                            "--json", "{out}/r.json", "--report", "{out}/r.html"],
                ["r.json", "r.html"]),
        Program("compare-boehm", ["compare", *SMALL, "--engine", "bwos,boehm", "--rounds", "1",
                                  "--json", "{out}/r.json"], ["r.json"]),
        Program("compare-plot", ["compare", *SMALL, "--engine", "bwos", "--rounds", "1", *plot],
                ["p.svg"] if plot else []),
        Program("mark", ["mark", *SMALL, "--rounds", "1", "--json", "{out}/r.json",
                         "--trace", "{out}/t.json"], ["r.json", "t.json"]),
        Program("limit", ["limit", "--graph", "tree:depth=4", "--rounds", "1", "--bytes", "1M",
                          "--run-ms", "1", "--seconds", "1", "--quiet", "--json", "{out}/r.json"],
                ["r.json"]),
        Program("queue-single", [*queue, "--experiment", "single", "--engine", "bwos"], ["r.json"]),
        Program("queue-stolen", [*queue, "--experiment", "stolen", "--engine", "bwos", "--stolen", "0"],
                ["r.json"]),
        Program("queue-pool", [*queue, "--experiment", "pool", "--engine", "bwos", "--balance", "0",
                               "--threads", "2"], ["r.json"]),
        Program("graph", ["graph", "list:length=100", "--json", "{out}/r.json"], ["r.json"]),
        Program("graph-file", ["graph", f"file:{graph}", "--json", "{out}/r.json"], ["r.json"], reads=True),
        Program("import-hprof", ["import", dump, "-o", "{out}/g.thg", "--quiet"], ["g.thg"], reads=True),
        Program("import-heapsnapshot", ["import", snapshot, "-o", "{out}/g.thg", "--quiet"], ["g.thg"],
                reads=True),
        Program("gcbench", ["gcbench", "--workload", "lru", "--collector", "tide,malloc", *small,
                            "--report", "{out}/r.html"], ["r.json", "r.html"]),
        Program("gcbench-boehm", ["gcbench", "--workload", "gcbench", "--collector", "boehm", *small],
                ["r.json"]),
    ]
    found = [case for case in found if "boehm" not in case.name or
             os.path.exists(os.path.join(options.build, "tidemark-boehm"))]
    for name in ("linked_list", "threads", "handles", "weak_table", "ephemerons", "events", "buffers",
                 "symbols", "server", "cxx"):
        if os.path.exists(os.path.join(options.build, "examples", name)):
            found.append(Example(f"example_{name}", [name]))
    if os.path.exists(os.path.join(options.build, "examples", "scheme", "scheme-tide")):
        found.append(Example("scheme-tide", ["scheme/scheme-tide", script], ["copied.scm"]))
    return found
