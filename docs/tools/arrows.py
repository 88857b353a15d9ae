# SPDX-License-Identifier: MIT
"""Who uses whom, read from C sources: includes, and calls of functions or uses of objects.

A unit is a file stem: heap/check.c and heap/check.h are the unit heap/check. A unit has an arrow
to another for each header of it that it includes, and for each function or object of it that it
names in a function body, an initializer or a macro's body, whichever header declares that name.

What is read and what is not:
 - Comments, strings and #if lines are taken out; both sides of an #if are read. A file whose
   braces do not match then is refused.
 - A name with external linkage belongs to the unit that defines it. If several units define it,
   one of them is linked by choice of the build; then it belongs to the unit that declares it.
 - A static function in a header belongs to the header's unit, and is known to the files that
   include the header. Templates (headers without an include guard) see what their includers
   include. What an includer itself defines for a template, or sets by a macro such as Q(put), is a
   parameter of the template: a use of it is no arrow of the template. The macro counts for the file
   that defines it: `td_abp_##name` stands for all functions that begin with td_abp_.
 - Public headers hold declarations of what is defined above; an arrow to them is none, and a call
   of an inline function there counts as a use of all that the function uses.
 - Calls through function pointers are not followed, and functions that a macro defines are not known.
   Types, fields and macros are not calls: whoever uses them has an include arrow.
"""
import collections
import os
import re

ROOMS = ("platform", "heap", "marker", "gc", "inspect", "bdwgc")
PUBLIC = "include/tide"

Arrow = collections.namedtuple("Arrow", "source target file line what")

WORD = re.compile(r"[A-Za-z_]\w*")
NO_FUNCTION = {"__attribute__", "_Alignas", "_Atomic", "__declspec", "_Static_assert", "static_assert",
               "__asm__", "if", "while", "for", "switch", "return", "sizeof", "_Alignof", "__typeof__",
               "defined"}


class Unreadable(Exception):
    """A source that these rules cannot read."""


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(text):
    """Comments and strings blanked, positions kept; names of included files stay."""
    def keep_includes(match):
        if match.group().startswith('"'):
            line = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
            if re.fullmatch(r"\s*#\s*include\s*", line):
                return match.group()
        return blank(match)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', keep_includes, text,
                  flags=re.S)


STATIC_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t](?:[^\\\n]|\\\n)*\bstatic\b", re.M)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:[^\\\n]|\\\n|\\.)*)$", re.M)
AROUND = re.compile(r"^TIDE_(?:BEGIN|END)$", re.M)  # the declarations of a public header


class File:
    """One C source or header: what it includes, defines, declares and uses."""

    def __init__(self, name, text, static_words):
        self.name = name
        self.static_words = static_words
        self.unit = os.path.splitext(name)[0]
        self.is_header = name.endswith(".h")
        self.line_starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.lines = text.count("\n")
        self.includes = []  # (name as written, line)
        self.external = set()  # functions and objects defined here with external linkage
        self.internal = set()  # static ones, and all that a header defines
        self.declared = set()
        self.words_of = collections.defaultdict(set)  # function: the words in its body
        self.uses = []  # (word, position)
        self.pastes = []  # (pattern, shown, position)
        code = without_comments(text)
        self.is_template = self.is_header and not re.match(r"\s*#\s*ifndef\s+(\w+)\s+#\s*define\s+\1\b", code)
        for found in DIRECTIVE.finditer(code):
            self.read_directive(found)
        self.code = AROUND.sub(blank, DIRECTIVE.sub(blank, code))
        self.read_code()

    def line_of(self, position):
        low, high = 0, len(self.line_starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.line_starts[middle] <= position else (low, middle)
        return low + 1

    # ---- Directives ----

    def read_directive(self, found):
        word, rest = found.group(1), found.group(2)
        if word == "include":
            named = re.match(r'\s*"([^"]+)"', rest)
            if named:
                self.includes.append((named.group(1), self.line_of(found.start())))
        elif word == "define":
            macro = re.match(r"\s*\w+(\([^)]*\))?", rest)
            start = found.start(2) + macro.end()
            self.read_macro_body(rest[macro.end():], start, macro.group(1) or "")

    def read_macro_body(self, body, start, parameters):
        parameters = set(WORD.findall(parameters))
        for paste in re.finditer(r"\w+(?:\s*##\s*\w+)+", body):
            if re.match(r"(?:\s|\\\n)*\([^()]*\)(?:\s|\\\n)*\{", body[paste.end():]):
                continue  # the macro defines that function
            parts = re.split(r"\s*##\s*", paste.group())
            if sum(len(part) for part in parts if part not in parameters) >= 4:
                pattern = "".join(r"\w+" if part in parameters else part for part in parts)
                self.pastes.append((re.compile(pattern), paste.group(), start + paste.start()))
        self.add_uses(re.sub(r"\w+(?:\s*##\s*\w+)+", blank, body), start)

    # ---- Code ----

    def add_uses(self, code, start, hidden=()):
        for found in WORD.finditer(code):
            if found.group() in hidden:
                continue
            before = code[:found.start()].rstrip()[-8:]
            if before.endswith((".", "->")) or re.search(r"\b(?:struct|union|enum|goto)$", before):
                continue
            self.uses.append((found.group(), start + found.start()))

    def chunks(self):
        """(start, end, [(from, to) of bodies in braces]) of each declaration of file scope."""
        code, at, start, bodies = self.code, 0, 0, []
        while at < len(code):
            if code[at] == "{":
                if re.search(r"\bextern\s*$", code[start:at]):  # extern "C" {
                    at, start = at + 1, at + 1
                    continue
                end = self.close(at)
                bodies.append((at, end))
                head = code[start:at]
                is_function = re.search(r"\)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?$", head, re.S) \
                    and "=" not in re.sub(r"\([^()]*\)", "", head)
                at = end
                if is_function:
                    yield start, at, bodies
                    start, bodies = at, []
            elif code[at] == "(":
                at = self.close(at)
            elif code[at] in ";}":  # } ends extern "C"
                at += 1
                yield start, at, bodies
                start, bodies = at, []
            else:
                at += 1
        if not re.fullmatch(r"(\s*[A-Z]\w*\s*\([^()]*\))*\s*", code[start:]):  # macros without ";"
            raise Unreadable(f"{self.name}:{self.line_of(start)}: the file ends in the middle of this")

    def close(self, at):
        """The position behind the bracket that closes the one at `at`."""
        pairs, stack = {"{": "}", "(": ")", "[": "]"}, []
        for position in range(at, len(self.code)):
            letter = self.code[position]
            if letter in pairs:
                stack.append(pairs[letter])
            elif letter in "})]":
                if not stack or stack.pop() != letter:
                    break
                if not stack:
                    return position + 1
        raise Unreadable(f"{self.name}:{self.line_of(at)}: this bracket is not closed")

    def read_code(self):
        for start, end, bodies in self.chunks():
            self.read_chunk(start, end, bodies)

    def read_chunk(self, start, end, bodies):
        head = self.code[start:bodies[0][0]] if bodies else self.code[start:end]
        is_function = bodies and not self.code[start:end].rstrip().endswith(";")
        words = WORD.findall(head)
        if is_function:
            self.define(function_name(head), words)
            for low, high in bodies:
                body = self.code[low:high]
                self.words_of[function_name(head)].update(WORD.findall(body))
                self.add_uses(body, low, local_names(head, body))
            return
        if not words or words[0] in NO_FUNCTION or "typedef" in words:
            return
        whole = self.code[start:end]
        for low, high in bodies:
            whole = whole[:low - start] + " " * (high - low) + whole[high - start:]
        equals = re.search(r"(?<![=!<>])=(?!=)", whole)
        if equals:
            self.add_uses(self.code[start + equals.end():end], start + equals.end())
            whole = whole[:equals.start()]
        name, is_declaration = declared_name(whole)
        if name and (is_declaration or "extern" in words) and not equals:
            self.declared.add(name)
        elif name:
            self.define(name, words)

    def define(self, name, words):
        if name:
            is_static = self.is_header or not self.static_words.isdisjoint(words)
            (self.internal if is_static else self.external).add(name)


LOCAL = re.compile(r"\b(?!(?:return|else|case|goto|sizeof|do)\b)[A-Za-z_]\w*(?:\s+|\s+\*+|\s*\*+\s*const\s+)"
                   r"([A-Za-z_]\w*)(?=\s*(?:[=;,)[:]|$))")


def local_names(head, body):
    """Parameters and local variables: by the spaces that clang-format puts around `*`."""
    parameters = head[head.find("("):]
    return set(LOCAL.findall(parameters)) | set(LOCAL.findall(body)) \
        | set(re.findall(r"\(\s*\*+\s*(\w+)\s*\)\s*\(", parameters))


def function_name(head):
    """The name before the first list of parameters; None if a macro makes it."""
    depth = 0
    for found in re.finditer(r"([A-Za-z_]\w*)\s*(?=\()|[()]", head):
        if found.group() == "(":
            depth += 1
        elif found.group() == ")":
            depth -= 1
        elif depth == 0 and found.group(1) not in NO_FUNCTION:
            return None if found.group(1).isupper() else found.group(1)
    return None


def declared_name(text):
    """(name, is it a function) of a declaration without initializer and bodies."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)|_Alignas\s*\([^()]*\)|_Atomic\s*\([^()]*\)", " ", text,
                  flags=re.S).rstrip(" \n;")
    pointer = re.match(r"[^(]*\(\s*\*+\s*(?:const\s+)?(\w+)\s*(?:\[[^]]*\])?\s*\)\s*\(", text)
    if pointer:
        return pointer.group(1), False
    name = function_name(text)
    if name:
        return name, True
    words = WORD.findall(re.sub(r"\[[^]]*\]", " ", text.split(",")[0]))
    if len(words) < 2 or (len(words) == 2 and words[0] in ("struct", "union", "enum")):
        return None, False
    return words[-1], False


def is_public(name):
    return name.startswith(PUBLIC + "/")


class Tree:
    """All files of some rooms, and the arrows between their units."""

    def __init__(self, root, rooms=ROOMS):
        self.files, texts = {}, {}
        for folder in rooms + (PUBLIC,):
            for where, folders, names in os.walk(os.path.join(root, folder)):
                folders.sort()
                for name in sorted(names):
                    if name.endswith((".c", ".h")):
                        path = os.path.join(where, name)
                        with open(path, encoding="utf-8") as file:
                            texts[os.path.relpath(path, root)] = file.read()
        static_words = {"static"}.union(*(STATIC_MACRO.findall(text) for text in texts.values()))
        for name, text in texts.items():
            self.files[name] = File(name, text, static_words)
        self.includers = collections.defaultdict(set)
        self.included = {name: self.resolve_includes(file) for name, file in self.files.items()}
        for name, targets in self.included.items():
            for target, _ in targets:
                self.includers[target].add(name)
        self.owners = self.find_owners()
        self.reach = {}
        self.arrows = sorted({arrow for arrow in (*self.include_arrows(), *self.call_arrows())
                              if arrow.source != arrow.target})

    def resolve_includes(self, file):
        found = []
        for target, line in file.includes:
            for path in (target, "include/" + target, os.path.join(os.path.dirname(file.name), target)):
                if path in self.files:
                    found.append((path, line))
                    break
        return found

    def find_owners(self):
        defined, declared = collections.defaultdict(set), collections.defaultdict(set)
        for file in self.files.values():
            for name in file.external:
                defined[name].add(file.unit)
            if file.is_header:
                for name in file.declared:
                    declared[name].add(file.unit)
        return {name: units if len(units) == 1 else declared[name] & units or declared[name] or units
                for name, units in defined.items()}

    def reachable(self, name):
        """The files that a file includes, directly or not."""
        if name not in self.reach:
            seen, todo = set(), [name]
            while todo:
                for target, _ in self.included[todo.pop()]:
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
            self.reach[name] = seen
        return self.reach[name]

    def visible(self, file):
        """Header files whose static functions a file can name."""
        seen = set(self.reachable(file.name))
        todo, met = ([file.name] if file.is_template else []), set()
        while todo:
            for includer in self.includers[todo.pop()] - met:
                met.add(includer)
                seen |= self.reachable(includer)
                todo += [includer] if self.files[includer].is_template else []
        return {name for name in seen if self.files[name].is_header
                and not (file.is_template and file.name in self.reachable(name))}

    def include_arrows(self):
        for name, targets in self.included.items():
            for target, line in targets:
                if not (is_public(name) or is_public(target)):
                    yield Arrow(self.files[name].unit, self.files[target].unit, name, line,
                                f'includes "{target}"')

    def call_arrows(self):
        for file in self.files.values():
            if is_public(file.name):
                continue
            own = set().union(*(f.internal | f.external for f in self.files.values()
                                if f.unit == file.unit))
            known = self.known_to(file)
            for word, position in file.uses:
                if word not in own:
                    for unit in known.get(word, ()):
                        yield self.call(file, unit, position, word)
            for pattern, shown, position in file.pastes:
                for unit in set().union(*(units for name, units in known.items()
                                          if pattern.fullmatch(name) and name not in own)):
                    yield self.call(file, unit, position, shown)

    def known_to(self, file):
        """Name: units that a use of it in this file leads to."""
        known = collections.defaultdict(set)
        for header in map(self.files.get, self.visible(file)):
            for name in header.internal:
                known[name] |= self.behind(header, name) if is_public(header.name) else {header.unit}
        known.update(self.owners)
        return known

    def behind(self, header, name):
        """The units that an inline function of a public header uses."""
        found, met, todo = set(), set(), [name]
        while todo:
            name = todo.pop()
            if name not in met:
                met.add(name)
                found |= self.owners.get(name, set())
                todo += header.words_of[name] if name in header.internal else []
        return found

    @staticmethod
    def call(file, unit, position, word):
        return Arrow(file.unit, unit, file.name, file.line_of(position), f"uses {word}")

    def units(self):
        return sorted({f.unit for f in self.files.values() if not is_public(f.name)})


def components(nodes, arrows):
    """Strongly connected components of more than one node (Tarjan 1972, without recursion)."""
    after = collections.defaultdict(set)
    for arrow in arrows:
        after[arrow.source].add(arrow.target)
    index, low, stack, found = {}, {}, [], []
    for root in nodes:
        work = [] if root in index else [(root, iter(sorted(after[root])))]
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
            fresh = None
            for target in rest:
                if target not in index:
                    fresh = target
                    break
                if target in stack:
                    low[node] = min(low[node], index[target])
            if fresh is not None:
                work.append((fresh, iter(sorted(after[fresh]))))
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                at = stack.index(node)
                found += [sorted(stack[at:])] if len(stack) - at > 1 else []
                del stack[at:]
    return found


def folder_of(unit):
    return os.path.dirname(unit)


def lifted(arrows, level):
    """The arrows between folders (level folder_of) or rooms."""
    return [arrow._replace(source=level(arrow.source), target=level(arrow.target)) for arrow in arrows
            if level(arrow.source) != level(arrow.target)]
