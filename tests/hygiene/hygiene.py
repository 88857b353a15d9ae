#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks of the source text that a compiler does not make. One check per run.

Usage: hygiene.py --root FOLDER [--cc COMPILER] [--later PREFIX]… CHECK

A check prints one line per finding, `file:line: what`, and fails if there is any. Findings in files
whose path begins with a --later prefix are told but do not count. Exit 77: the tool that the check
needs is not installed.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
SOURCE_FOLDERS = ("include", "platform", "heap", "marker", "gc", "inspect", "bdwgc", "workloads", "bench", "examples",
                  "tests")
# Which folders a folder may include from (itself always).
MAY_INCLUDE = {
    "include/tide": (),
    "platform": (),
    "heap": ("include/tide", "platform"),
    "marker": ("include/tide", "heap", "platform"),
    "gc": ("include/tide", "marker", "heap", "platform"),
    "inspect": ("include/tide",),
    "bdwgc": ("include/tide",),
    "workloads": ("include/tide", "platform"),
    "examples": ("include/tide",),
    "bench": ("include/tide", "workloads"),
    "tests": ("include/tide", "inspect", "gc", "marker", "heap", "platform", "workloads", "bench", "examples"),
}
# A bench of queues sees the queues, not the collector; the table of its engines stands in for the
# library's. Graph files are written in one place.
ALSO_INCLUDES = {"bench": re.compile(r"marker/(queue/\w+|engine/engines)\.h$"),
                 "workloads": re.compile(r"inspect/(base/whole_file|thg/\w+)\.h$")}
# The simulated machine stands below the library, in place of the system. It also sees phases and idle
# markers go by, to tell where the time goes, and whether the library still tries how to mark; and where the heap's
# tables lie, because what is loaded from them leads to further loads.
SYSTEM = "bench/simulate/machine/"
SYSTEM_INCLUDES = re.compile(r"(platform/platform|heap/view|marker/marker|marker/base/idle|marker/region/regions)\.h$")
COLUMNS_MAX = 100
# They need what a build may lack: a macro that names a header (bench/gcbench/child/memory.h), or
# Boehm GC.
NOT_ALONE = re.compile(r"bench/gcbench/child/(work|boehm|measured)\.h$")
LINES_MAX, FUNCTION_LINES_MAX = 400, 50


class Source:
    """One file of the project."""

    def __init__(self, root, name):
        self.name = name
        with open(os.path.join(root, name), encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.splitlines()

    def folder(self):
        return "include/tide" if self.name.startswith("include/tide/") else self.name.split("/")[0]

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1


def project_files(root):
    """Files under version control; without git or a checkout, all but what builds make."""
    if shutil.which("git") and os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True,
                                check=False)
        if listed.returncode == 0 and listed.stdout:
            names = [name.decode() for name in listed.stdout.split(b"\0") if name]
            return [name for name in names if os.path.isfile(os.path.join(root, name))]
    found = []
    for folder, folders, names in os.walk(root):
        if folder == root:
            folders[:] = [f for f in folders if f not in ("build", "out", ".git")]
        folders[:] = [f for f in folders if f != "__pycache__"]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def sources(root, suffixes=(".c", ".h")):
    names = [n for n in project_files(root) if n.split("/")[0] in SOURCE_FOLDERS]
    return [Source(root, name) for name in sorted(names) if name.endswith(suffixes)]


def without_comments(text):
    """Comments and strings blanked, positions kept."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)


def check_includes(options):
    """Includes flow one way."""
    for source in sources(options.root, (".c", ".h", ".cpp", ".cc")):
        folder = source.folder()
        for number, line in enumerate(source.lines, 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            target = found.group(1)
            home = "include/tide" if target.startswith("tide/") else target.split("/")[0]
            if "/" not in target or home not in MAY_INCLUDE:
                beside = os.path.join(options.root, os.path.dirname(source.name), target)
                if folder in ("examples", "tests") and os.path.exists(beside):
                    continue
                if target == "tidemark.h" and folder in ("examples", "tests"):
                    continue  # the single-file edition
                yield f"{source.name}:{number}: include path is not relative to the root: {target}"
            elif home != folder and home not in MAY_INCLUDE.get(folder, ()):
                also = ALSO_INCLUDES.get(folder)
                system = source.name.startswith(SYSTEM) and SYSTEM_INCLUDES.match(target)
                if not system and not (also and also.match(target)):
                    yield f"{source.name}:{number}: {folder} may not include {target}"


def check_guards(options):
    """A header's guard is its path; one without a guard says that it is a template."""
    for source in sources(options.root, (".h",)):
        path = source.name.removeprefix("include/")
        wanted = re.sub(r"\W", "_", path).upper()
        own_name = source.folder() in ("examples", "tests")  # programs, not parts of the library
        if not path.startswith("tide/") and not own_name:
            wanted = "TD_" + wanted
        code = without_comments(source.text)
        found = re.match(r"\s*#\s*ifndef\s+(\w+)\s+#\s*define\s+(\w+)", code)
        if not found:
            if not re.search(r"template|includes this|once per", source.text[:1500]):
                yield f"{source.name}:1: no include guard, and no word that it is a template"
        elif found.group(1) != found.group(2):
            yield f"{source.name}:1: guard tests {found.group(1)} but defines {found.group(2)}"
        elif found.group(1) not in (wanted, "TD_" + wanted if own_name else wanted):
            yield f"{source.name}:1: guard is {found.group(1)}, its path says {wanted}"


def templates(headers):
    """Names of headers that refuse to be compiled without a parameter, and of those that include one."""
    found = {h.name for h in headers if re.search(r"^#\s*ifndef\s+\w+\s+#\s*error\b", h.text, re.M)}
    while True:
        more = {h.name for h in headers if h.name not in found
                and found.intersection(re.findall(r'#\s*include\s+"([^"]+)"', h.text))}
        if not more:
            return found
        found |= more


def compiled_by_builds(root):
    """Names of headers that a source includes first: when it compiles, they compile alone."""
    first = (re.search(r'^#\s*include\s+(?:"([^"]+)")?', s.text, re.M) for s in sources(root, (".c",)))
    return {found.group(1) for found in first if found}


def check_headers(options):
    """Every header compiles alone, but templates; the public ones as strict C11 and C++ too."""
    common = ["-fsyntax-only", "-I", options.root, "-I", os.path.join(options.root, "include"),
              "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror"]
    headers = sources(options.root, (".h",))
    passed_over = templates(headers) | compiled_by_builds(options.root)
    for source in headers:
        if not re.search(r"#\s*ifndef", source.text) or source.folder() in ("examples", "tests"):
            continue
        if source.name in passed_over or NOT_ALONE.match(source.name):
            continue
        attempts = [[options.cc, "-x", "c", "-std=gnu17", "-Wno-unused-function"]]
        if source.folder() == "include/tide":
            attempts += [[options.cc, "-x", "c", "-std=c11", "-pedantic"],
                         [options.cxx, "-x", "c++", "-std=c++11", "-pedantic"]]
        for attempt in attempts:
            command = attempt + common + ["-"]
            done = subprocess.run(command, input=f'#include "{source.name.removeprefix("include/")}"\n',
                                  cwd=options.root, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                yield f"{source.name}: {' '.join(attempt[1:4])}: {done.stderr.strip()}"


def check_tags(options):
    """A tag on one side of an acquire/release pair stands on the other side as well."""
    sides, where = {}, {}
    for source in sources(options.root):
        if source.folder() == "tests":
            continue
        for found in re.finditer(r"\b(release|acquire|acq_rel|seq_cst)\s+((?:\[[\w.]+\][\s,*]*(?:and\s+)?)+)",
                                 source.text):
            order = found.group(1)
            both = order in ("acq_rel", "seq_cst")
            for tag in re.findall(r"\[([\w.]+)\]", found.group(2)):
                sides.setdefault(tag, set()).update(("release", "acquire") if both else (order,))
                where.setdefault(tag, f"{source.name}:{source.line_of(found.start())}")
    for tag, seen in sorted(sides.items()):
        for side in ("release", "acquire"):
            if side not in seen:
                yield f"{where[tag]}: [{tag}] has no {side} side"


def check_orders(options):
    """Atomics name their order; consume is not used; acquire and release stand by a tag."""
    for source in sources(options.root):
        if source.folder() in ("tests", "examples", "include/tide"):
            continue
        code = without_comments(source.text)
        for found in re.finditer(r"\batomic_(?:load|store|exchange|compare_exchange_(?:weak|strong)"
                                 r"|fetch_\w+?)\s*\(", code):
            if "_explicit" not in found.group():
                yield f"{source.name}:{source.line_of(found.start())}: order not named"
        for found in re.finditer(r"memory_order_consume", code):
            yield f"{source.name}:{source.line_of(found.start())}: consume"
        for found in re.finditer(r"memory_order_(?:acquire|release|acq_rel)\b", code):
            line = source.line_of(found.start())
            near = "\n".join(source.lines[max(0, line - 9):line + 1])
            if "[" not in near or not re.search(r"\[[\w.]+\]", near):
                if not source.lines[line - 1].lstrip().startswith("#"):
                    yield f"{source.name}:{line}: no [tag] near this order"


def function_lengths(source):
    """(name, first line, lines) of the functions that are defined in a file."""
    code = without_comments(source.text)
    code = re.sub(r"^[ \t]*#(?:[^\\\n]|\\\n|\\.)*$", lambda m: re.sub(r"[^\n]", " ", m.group()), code,
                  flags=re.M)
    depth, start, outer = 0, None, 0
    for position, letter in enumerate(code):
        if letter == "{":
            if depth == outer:
                before = code[:position].rstrip()
                start = position if before.endswith(")") else None
                if before.endswith('C') or re.search(r'extern\s*$', before):
                    outer += 1
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth < outer:
                outer = depth
            if depth == outer and start is not None:
                head = code[:start].rstrip()
                names = re.findall(r"(\w+)\s*\(", head[head.rfind("\n\n") + 1:])
                first = source.line_of(start)
                yield (names[0] if names else "?"), first, source.line_of(position) - first + 1
                start = None


def check_lengths(options):
    """Functions and files that one can hold in mind.

    A file may be longer if its head comment says "Longer than 400 lines because …", a function if
    a comment before it says "One case per …", or "long because …": an interpreter's switch.
    """
    for source in sources(options.root):
        head = re.match(r"(?:/\* SPDX[^\n]*)?\s*(?:/\*.*?\*/|(?://[^\n]*\n)+)", source.text, re.S)
        reason = head and re.search(rf"Longer\s+than\s+{LINES_MAX}\s+lines\s+because\s+\w",
                                    re.sub(r"\n *(?:\*|//)", "\n", head.group()))
        if len(source.lines) > LINES_MAX and not reason:
            yield f"{source.name}:1: {len(source.lines)} lines, over {LINES_MAX} without a stated reason"
        for name, first, lines in function_lengths(source):
            before = "\n".join(source.lines[max(0, first - 9):first])
            if lines > FUNCTION_LINES_MAX and not re.search(r"One case per|long\s+because", before):
                yield f"{source.name}:{first}: {name} has {lines} lines, over {FUNCTION_LINES_MAX}"


def check_words(options):
    """Nothing unfinished, and nothing that is true on one machine only."""
    unfinished = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
    machine = re.compile(r"(?<![\w./])/(?:wo" r"rk|home|root|Users|tmp/te" r"am)/\w")
    for name in sorted(project_files(options.root)):
        path = os.path.join(options.root, name)
        with open(path, "rb") as file:
            data = file.read()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            if unfinished.search(line):
                yield f"{name}:{number}: unfinished: {line.strip()[:80]}"
            if machine.search(line):
                yield f"{name}:{number}: a path of one machine: {line.strip()[:80]}"
            if line != line.rstrip() and name.endswith((".c", ".h", ".py", ".sh", ".txt", ".cmake")):
                yield f"{name}:{number}: space at the end of the line"
            if len(line) > COLUMNS_MAX and name.endswith((".c", ".h")):
                yield f"{name}:{number}: {len(line)} columns, over {COLUMNS_MAX}"


def check_format(options):
    """clang-format has nothing to change."""
    tool = shutil.which("clang-format")
    if not tool:
        sys.exit(SKIPPED)
    names = [source.name for source in sources(options.root)]
    done = subprocess.run([tool, "--style=file", "--dry-run", *names], cwd=options.root,
                          capture_output=True, text=True, check=True)
    seen = set()
    for name, line in re.findall(r"^(.*?):(\d+):\d+: warning:", done.stderr, re.M):
        if name not in seen:
            seen.add(name)
            yield f"{name}:{line}: not as clang-format would have it"


def check_shell(options):
    """shellcheck has nothing to say about the shell scripts."""
    tool = shutil.which("shellcheck")
    if not tool:
        sys.exit(SKIPPED)
    for name in sorted(project_files(options.root)):
        with open(os.path.join(options.root, name), "rb") as file:
            head = file.read(30)
        if head.startswith((b"#!/bin/sh", b"# shellcheck shell=sh")):
            done = subprocess.run([tool, "-x", "-e", "SC1091", "-f", "gcc", name], cwd=options.root,
                                  capture_output=True, text=True, check=False)
            yield from done.stdout.splitlines()


def check_links(options):
    """Links between the project's documents lead somewhere."""
    for name in sorted(project_files(options.root)):
        if not name.endswith(".md"):
            continue
        source = Source(options.root, name)
        for found in re.finditer(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)", source.text):
            target = found.group(1)
            if re.match(r"\w+:", target):
                continue
            if not os.path.exists(os.path.join(options.root, os.path.dirname(name), target)):
                yield f"{name}:{source.line_of(found.start())}: no such file: {target}"


def check_figures(options):
    """The README's rows of figures are rows of docs/results.md, with every ? that says how sure they are."""
    source = Source(options.root, "README.md")
    section = source.text.partition("\n## Figures\n")[2].partition("\n## ")[0]
    results = Source(options.root, "docs/results.md").text
    for row in re.findall(r"^\|[^|\n]*(\|.*\d\S*, .*\|)$", section, re.M):
        if row not in results:
            yield f"README.md:{source.line_of(source.text.index(row))}: not a row of docs/results.md: {row}"


def check_licence(options):
    """Every source file says its licence in its first lines."""
    suffixes = (".c", ".h", ".cpp", ".hpp", ".c.in", ".py", ".sh", ".bash", ".cmake", ".cmake.in", ".sed", ".java", ".js",
                "CMakeLists.txt")
    for name in sorted(project_files(options.root)):
        with open(os.path.join(options.root, name), "rb") as file:
            lines = file.read(200).splitlines()[:2]
        script = lines and lines[0].startswith(b"#!") and "." not in os.path.basename(name)
        if (script or name.endswith(suffixes)) and not any(b"SPDX-License-Identifier: MIT" in line for line in lines):
            yield f"{name}:1: no SPDX-License-Identifier"


def check_packages(options):
    """The package lists are sorted and name nothing twice."""
    for name in ("cmake/packages.txt", "cmake/packages-test.txt", "cmake/packages-matrix.txt"):
        listed = [line for line in Source(options.root, name).lines if line and line[0] != "#"]
        if listed != sorted(set(listed)):
            yield f"{name}: not sorted, or a name twice"


def main():
    checks = {name.removeprefix("check_"): function for name, function in globals().items()
              if name.startswith("check_")}
    parser = argparse.ArgumentParser(description="Checks of the source text.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--later", action="append", default=[],
                        help="findings in files whose path begins so are told only")
    parser.add_argument("check", choices=sorted(checks))
    options = parser.parse_args()
    options.root = os.path.abspath(options.root)
    findings = list(checks[options.check](options))
    told = [finding for finding in findings if finding.startswith(tuple(options.later))]
    for finding in findings:
        print(finding + (" (told only)" if finding in told else ""))
    print(f"{options.check}: {len(findings) - len(told)} findings, {len(told)} told only")
    return 1 if len(findings) > len(told) else 0


if __name__ == "__main__":
    sys.exit(main())
