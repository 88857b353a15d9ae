#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins the library into two files, tidemark.h and tidemark.c.

Usage: amalgamate.py --root FOLDER --out FOLDER --version VERSION SOURCE.c…

tidemark.h holds the public headers. tidemark.c holds every internal header once, in the order in
which the sources need them, then every source. Two things have to be mended on the way, because
what was file-local now shares one translation unit:
  - names: a static function or variable, a tag, a typedef or an enumerator that two sources
    define is renamed FILE_NAME in each (--verbose lists them);
  - macros: those that a source defines are undefined at its end.
A template is a header that is compiled anew in each source. It counts as part of the source and is
expanded there: wherever it is included if it has no include guard, else once. A header is a template
if it has no guard, if it refuses to be compiled alone (#ifndef PARAMETER, #error), or if it includes
a template.
"""
import argparse
import os
import re
import sys

TOKEN = re.compile(
    r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r'|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<space>\s+)|(?P<other>->|.)',
    re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)".*$', re.M)
DEFINE = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', re.M)
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\\\n]|\\\n|\\.)*)$', re.M)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\\\n]|\\\n|\\.)*$', re.M)
# Words followed by parentheses that do not declare anything.
QUALIFIERS = {"__attribute__", "_Alignas", "_Atomic", "__typeof__", "typeof", "alignas"}


class Tree:
    """Reads files of the project by the names that #include gives them."""

    def __init__(self, root):
        self.root = root
        self.templates = {}

    def path(self, name):
        for folder in ("", "include"):
            path = os.path.join(self.root, folder, name)
            if os.path.exists(path):
                return path
        sys.exit(f"amalgamate: no file '{name}' in the project")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def guard(self, name):
        found = re.match(r'(?:\s|/\*.*?\*/|//[^\n]*)*#[ \t]*ifndef[ \t]+(\w+)\s+#[ \t]*define[ \t]+\1\b',
                         self.text(name), re.S)
        return found and found.group(1)

    def template(self, name):
        if name not in self.templates:
            self.templates[name] = self.is_template(name)
        return self.templates[name]

    def is_template(self, name):
        text = self.text(name)
        return bool(not self.guard(name) or re.search(r'^#[ \t]*ifndef[ \t]+\w+\s+#[ \t]*error\b', text, re.M)
                    or any(self.template(other) for other in INCLUDE.findall(text) if not is_public(other)))

    def unguarded(self, name):
        """The text without its include guard."""
        text, guard = self.text(name), self.guard(name)
        if not guard:
            return text
        text = re.sub(rf'^#[ \t]*ifndef[ \t]+{guard}\s+#[ \t]*define[ \t]+{guard}\b', "", text, 1, re.M)
        return text[:text.rindex("#endif")]


def system_includes(text, guarded):
    """Unconditional #include <…> lines; an include guard is no condition."""
    depth, found = -1 if guarded else 0, []
    for line in text.splitlines():
        directive = re.match(r'[ \t]*#[ \t]*(\w+)', line)
        word = directive.group(1) if directive else ""
        if word in ("if", "ifdef", "ifndef"):
            depth += 1
        elif word == "endif":
            depth -= 1
        elif word == "include" and "<" in line and depth <= 0:
            found.append(line.strip())
    return found


def is_public(name):
    """Of tidemark.h. The queue is a header to copy, and here one of the marker's."""
    return name.startswith("tide/") and name != "tide/bwos.h"


def headers_in_order(tree, name, done, order):
    """Appends the guarded internal headers that `name` needs, each after those it needs."""
    for included in INCLUDE.findall(tree.text(name)):
        if is_public(included) or included in done:
            continue
        template = tree.template(included)
        if not template or tree.guard(included):
            done.add(included)
        headers_in_order(tree, included, done, order)
        if not template:
            order.append(included)


def expand(tree, text, seen=None):
    """Replaces includes: ordinary headers are there already, templates come in place."""
    seen = set() if seen is None else seen

    def replace(match):
        name = match.group(1)
        if is_public(name) or name in seen or not tree.template(name):
            return ""
        if tree.guard(name):
            seen.add(name)
        return expand(tree, tree.unguarded(name), seen)
    return INCLUDE.sub(replace, text)


def code_tokens(text):
    """Tokens that the compiler proper sees: no comments, space or directives."""
    bare = DIRECTIVE.sub("", re.sub(r'/\*.*?\*/', lambda m: "\n" * m.group().count("\n"), text, flags=re.S))
    for match in TOKEN.finditer(bare):
        if match.lastgroup not in ("comment", "space"):
            yield match.group()


def statements(tokens):
    """Splits a file into its outermost declarations; each is a list of (token, depth)."""
    statement, depth, function = [], 0, False
    for token in tokens:
        if token == "{":
            if depth == 0:
                function = bool(statement) and statement[-1][0] == ")"
            depth += 1
        statement.append((token, depth))
        if token == "}":
            depth -= 1
        if depth == 0 and (token == ";" or (token == "}" and function)):
            yield statement
            statement, function = [], False


def declared_by(statement, static):
    """The file-scope names that one declaration gives meaning to in this file only."""
    names, before, enumerators = set(), ["", ""], False
    for token, depth in statement:
        if token == "{" and depth == 1:
            if before[0] in ("struct", "union", "enum"):
                names.add(before[1])
            enumerators = "enum" in before
        elif enumerators and depth == 1 and before[1] in ("{", ",") and token != "}":
            names.add(token)
        before = [before[1], token]
    flat = [token for token, depth in statement if depth == 0]
    if flat and (flat[0] == "typedef" or static.intersection(flat[:flat.index("(")]
                                                             if "(" in flat else flat)
                 or flat[0] == "__attribute__" and static.intersection(flat)):
        names |= declarators(flat)
    return names


def pointer_declarator(tokens, at):
    """NAME of `(*NAME)` or `(*NAME[` that opens at tokens[at], else None."""
    window = tokens[at:at + 4]
    if len(window) == 4 and window[1] == "*" and window[3] in (")", "["):
        return window[2]
    return None


def declarators(tokens):
    """Declared names of `T a, *b = 0, c[4]` or `T f(…)` or `T (*p)(…)`."""
    names, last, depth, waiting = set(), None, 0, True
    for i, token in enumerate(tokens):
        if token == "(":
            if depth == 0 and waiting and tokens[i - 1] not in QUALIFIERS:
                names.add(pointer_declarator(tokens, i) or last)
                waiting = False
            depth += 1
        elif token == ")":
            depth -= 1
        elif depth > 0:
            continue
        elif token in ("=", "[", ";", ",") and waiting:
            names.add(last)
            waiting = False
        elif waiting and re.match(r'[A-Za-z_]', token) and token not in QUALIFIERS:
            last = token
        if token == "," and depth == 0:
            waiting, last = True, None
    return names - {None}


def static_words(text):
    """`static`, and the macros that stand for it."""
    words = {"static"}
    for name, body in MACRO.findall(text):
        if re.search(r"\bstatic\b", body):
            words.add(name)
    return words


def pasting_macros(text):
    """Macros whose arguments become parts of other names."""
    return {name for name, body in MACRO.findall(text) if "##" in body}


def local_names(text, static):
    names = set()
    for statement in statements(code_tokens(text)):
        names |= declared_by(statement, static)
    return names


def rename(text, names, prefix, pasting):
    """Renames identifiers, but neither uses of members (after . or ->) nor their declarations, nor
    what a macro pastes into another name."""
    tokens = [(m.group(), m.lastgroup) for m in TOKEN.finditer(text)]
    code = [i for i, (_, kind) in enumerate(tokens) if kind not in ("space", "comment")]
    following = {a: tokens[b][0] for a, b in zip(code, code[1:])}
    before, bodies = ["", ""], []
    for i in code:
        token, kind = tokens[i]
        if token == "{":
            bodies.append("struct" in before or "union" in before)
        elif token == "}" and bodies:
            bodies.pop()
        elif kind == "name" and token in names and before[1] not in (".", "->") \
                and not (before[1] == "(" and before[0] in pasting):
            after = following.get(i)
            member = bodies and bodies[-1] and (
                after in (";", ",", "[", ":") or (after == ")" and before[1] == "*"))
            if not member:
                tokens[i] = (prefix + token, kind)
        before = [before[1], token]
    return "".join(token for token, _ in tokens)


def banner(name):
    return f"\n/* ======== {name} ======== */\n\n"


def public_headers(tree, name, done):
    """The public headers that `name` needs, each before those that include it, and itself."""
    if name in done:
        return []
    done.add(name)
    text = tree.text(name)
    found, own = [], text.find("\nTIDE_BEGIN\n")
    for match in INCLUDE.finditer(text):
        if match.start() < own:
            found += public_headers(tree, match.group(1), done)
    found.append(name)
    for match in INCLUDE.finditer(text):  # those at a header's end come with it, but need it
        found += public_headers(tree, match.group(1), done)
    return found


def library_header(tree, version):
    folder = os.path.join(tree.root, "include", "tide")
    names, done = [], set()
    for name in sorted(os.listdir(folder), key=lambda name: (name != "tide.h", name)):
        if name.endswith(".h") and is_public("tide/" + name):
            names += public_headers(tree, "tide/" + name, done)
    parts = [f"/* Tidemark {version}, single-file edition: public interface. Generated; see LICENSE. */\n"]
    for name in names:
        parts += [banner(name), INCLUDE.sub("", tree.text(name))]
    return "".join(parts)


HEAD = """/* Tidemark {version}, single-file edition. Generated.
 *
 * Compile it as C, with -std=gnu17 -pthread, and link it with your program.
 *   -DTIDE_GRAPH_FILES  tide_heap_snapshot_thg, which needs xxhash.h.
 *   -DTIDE_WITHOUT_ABP, -DTIDE_WITHOUT_CHASE_LEV, -DTIDE_WITHOUT_SERIAL, -DTIDE_WITHOUT_BWOS
 *                       not this marking engine: less code, sooner compiled. The first that is
 *                       left of bwos, abp, chase-lev and serial is the default.

{licence} */
#ifdef __cplusplus
#error "tidemark.c is C: compile it by itself with a C compiler (cc -std=gnu17 -c tidemark.c) and include tidemark.h in C++"
#else
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#define TD_SINGLE_FILE 1
#ifdef __clang__ /* which has functions of headers used where they are not headers any more */
#pragma clang diagnostic ignored "-Wunused-function"
#endif
"""


def library_source(tree, sources, version, verbose, optional):
    """optional: {source: macro}; such a source is there only where the macro is defined."""
    done, order = set(), []
    for source in sources:
        headers_in_order(tree, source, done, order)
    parts = [HEAD.format(version=version, licence=tree.text("LICENSE").strip()),
             '#include "tidemark.h"\n\n']
    # Before the pragma: the system's functions are not ours to hide.
    system = {line for name in order for line in system_includes(tree.text(name), True)}
    system |= {line for name in sources if name not in optional
               for line in system_includes(expand(tree, tree.text(name)), False)}
    parts += [line + "\n" for line in sorted(system)]
    parts.append("\n#pragma GCC visibility push(hidden)\n")
    def body(name):
        """Without what stands before the pragma; assert.h declares anew at every inclusion."""
        return re.sub(r'^[ \t]*#[ \t]*include[ \t]+<.*>.*$',
                      lambda m: "" if m.group().strip() in system else m.group(),
                      expand(tree, tree.text(name)), flags=re.M)
    for header in order:
        parts += [banner(header), body(header)]
    units = {source: body(source) for source in sources}
    everything = "\n".join([tree.text(header) for header in order] + list(units.values()))
    static, pasting, owners = static_words(everything), pasting_macros(everything), {}
    for source, text in units.items():
        for name in local_names(text, static):
            owners.setdefault(name, []).append(source)
    shared = {name: files for name, files in owners.items() if len(files) > 1}
    for source, text in units.items():
        stem = re.sub(r'\W', "_", os.path.splitext(source)[0]) + "_"
        mine = {name for name, files in shared.items() if source in files}
        macros = sorted(set(DEFINE.findall(text)) - {"_GNU_SOURCE"})
        parts += [banner(source)]
        parts += [f"#ifdef {optional[source]}\n"] if source in optional else []
        parts += [rename(text, mine, stem, pasting)]
        parts += [f"#undef {macro}\n" for macro in macros]
        parts += ["#endif\n"] if source in optional else []
    parts.append("\n#pragma GCC visibility pop\n#endif\n")
    if verbose:
        for name, files in sorted(shared.items()):
            print(f"{name}: {', '.join(files)}")
    return "".join(parts)


def write(path, text):
    """Whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description="Joins the library into tidemark.h and tidemark.c.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only-if", nargs=2, action="append", default=[], metavar=("MACRO", "REGEX"),
                        help="sources that are left out unless the macro is defined")
    parser.add_argument("sources", nargs="+", help="relative to the root")
    options = parser.parse_args()
    tree = Tree(options.root)
    os.makedirs(options.out, exist_ok=True)
    optional = {name: macro for macro, regex in options.only_if for name in options.sources
                if re.match(regex, name)}
    source = library_source(tree, options.sources, options.version, options.verbose, optional)
    write(os.path.join(options.out, "tidemark.h"), library_header(tree, options.version))
    write(os.path.join(options.out, "tidemark.c"), source)


main()
