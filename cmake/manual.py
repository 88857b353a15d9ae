#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the manual pages of section 3 from the comments of the public headers: one page a header.

Usage: manual.py --root FOLDER --out FOLDER

The page of include/tide/layout.h is tide_layout.3, that of tide.h is tide.3. Each function gets a page
of its name besides, which points to its header's. man/tidemark.3 leads to them, and gives the date.
"""
import argparse
import glob
import os
import re

DECLARED = re.compile(r"^(?:TIDE_API|static inline)\s+([^;{}]*?)\b(tide_\w+)\s*\(", re.M)
FOR_COMPILERS = re.compile(r"\s*(?:TIDE_API\b|static inline\b|__attribute__\(\(__may_alias__\)\))\s*")


def page_of(header):
    stem = os.path.basename(header).removesuffix(".h")
    return "tide" if stem == "tide" else f"tide_{stem}"


def headers(root):
    return sorted(glob.glob(os.path.join(root, "include", "tide", "*.h")))


def comment_text(comment):
    """The lines of a comment without the signs around it."""
    inside = comment.strip().removeprefix("/*").removesuffix("*/")
    return [re.sub(r"^ \* ?", "", line).rstrip() for line in inside.split("\n")]


def parts(text):
    """The head comment of a header and its parts in order: ("section", title) or (comment, code)."""
    text = text[text.index("\n") + 1:]  # without the licence
    head = comment_text(text[:text.index("*/") + 2])
    # tide/bwos.h has no functions but those that its user defines: the head comment is its page.
    body = text[text.index("\nTIDE_BEGIN\n") + 12:text.index("\nTIDE_END\n") + 1] if "\nTIDE_BEGIN\n" in text else ""
    found, code, comment = [], [], []

    def close():
        if any(code):
            found.append((comment[:], "\n".join(code).strip("\n")))
        code.clear()
        comment.clear()

    lines = iter(body.split("\n"))
    for line in lines:
        if line.startswith("/* ----"):
            close()
            found.append(("section", line.strip("/* -")))
        elif line.startswith("/*"):
            close()
            while "*/" not in line:
                line += "\n" + next(lines)
            comment.extend(comment_text(line))
        elif line or code[-1:] not in ([], [""]):
            if line and code[-1:] == [""]:  # no comment behind an empty line
                close()
            code.append(line)
    close()
    return head, found


def functions_in(code):
    """[(name, result, [parameters])] of what the code declares."""
    functions = []
    code = re.sub(r"/\*.*?\*/", " ", code, flags=re.S)
    for found in DECLARED.finditer(code):
        end, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        inside = " ".join(code[found.end():end - 1].split())
        functions.append((found.group(2), " ".join(found.group(1).split()),
                          [p.strip() for p in re.split(r",(?![^(]*\))", inside)]))
    return functions


def without_functions(code):
    """What the code says besides: types and constants, as a program sees them."""
    code = re.sub(r"^static inline .*?^\}\n?", "", code + "\n", flags=re.M | re.S)
    code = re.sub(r"^TIDE_API .*?;\n", "", code, flags=re.M | re.S)
    return FOR_COMPILERS.sub(" ", code).strip("\n ")


def escaped(line):
    line = line.replace("\\", "\\e")
    return "\\&" + line if line.startswith((".", "'")) else line


def sentences(lines):
    """A paragraph, each sentence on a line of its own."""
    text = " ".join(line.strip() for line in lines)
    return [escaped(s) for s in re.split(r"(?<=[.:!?]) (?=[A-Z0-9])", text) if s]


def prose(lines):
    """The text of a comment in mdoc: paragraphs, tables of a word and its meaning, samples."""
    out, at = [], 0
    while at < len(lines):
        line, start = lines[at], at
        if not line.strip():
            out.append(".Pp")
            at += 1
        elif re.match(r" {2,}\S+ {2,}\S", line):
            out.append(".Bl -tag -width Ds")
            while at < len(lines) and (row := re.match(r" {2,}(\S+) {2,}(\S.*)", lines[at])):
                text, at = [row.group(2)], at + 1
                while at < len(lines) and re.match(r" {5,}\S", lines[at]):
                    text.append(lines[at])
                    at += 1
                macro = "Dv " if row.group(1).isupper() else ""
                out += [f".It {macro}{row.group(1)}"] + sentences(text)
            out.append(".El")
        elif line.startswith("  "):
            while at < len(lines) and lines[at].startswith("  "):
                at += 1
            out += [".Bd -literal -offset indent"] + [escaped(x[2:]) for x in lines[start:at]] + [".Ed"]
        else:
            while at < len(lines) and lines[at].strip() and not lines[at].startswith("  "):
                at += 1
            out += sentences(lines[start:at])
    return out


def paragraphs(blocks):
    """Joins pieces of mdoc; a .Pp stands only between texts."""
    out = []
    for line in blocks:
        if line == ".Pp" and (not out or out[-1].startswith((".Pp", ".Sh", ".Ss", ".Bd", ".Bl", ".It"))):
            continue
        if out and out[-1] == ".Pp" and line.startswith((".Sh", ".Ss", ".It", ".El", ".Bl", ".Bd")):
            out.pop()
        out.append(line)
    while out and out[-1] == ".Pp":
        out.pop()
    return out


def describe(comment, code):
    names = [name for name, _, _ in functions_in(code)]
    rest = without_functions(code)
    out = []
    if names:
        out += [".Bl -tag -width Ds", ".It " + " , ".join(f"Fn {name}" for name in names)]
    out += prose(comment)
    if rest:
        out += [".Bd -literal"] + [escaped(line) for line in rest.split("\n")] + [".Ed"]
    return out + ([".El"] if names else [".Pp"])


def page(path, date):
    """(names of its functions, text) of a header's page. The head comment's first sentence says what
    for: behind the colon, if a short subject stands before it, else before the colon."""
    with open(path, encoding="utf-8") as file:
        head, found = parts(file.read())
    header, name = f"tide/{os.path.basename(path)}", page_of(path)
    functions = [f for kind, code in found if kind != "section" for f in functions_in(code)]
    title, _, more = re.split(r"\.(\s|$)", "\n".join(head).strip(), maxsplit=1)
    subject, _, rest = " ".join(title.split()).partition(": ")
    purpose = rest if rest and len(subject.split()) < 4 else subject[0].lower() + subject[1:]
    names = [f[0] for f in functions]
    out = [f".Dd {date}", f".Dt {name.upper()} 3", ".Os", ".Sh NAME"]
    out += [f".Nm {n} ," for n in names[:-1]] + [f".Nm {names[-1] if names else name}", f".Nd {purpose}"]
    out += [".Sh SYNOPSIS", f".In {header}"]
    for function, result, parameters in functions:
        out += [f".Ft {result}", f".Fo {function}"] + [f'.Fa "{p}"' for p in parameters] + [".Fc"]
    body = prose(more.split("\n")) + [".Pp"]
    for kind, code in found:
        body += [f".Ss {code}"] if kind == "section" else describe(kind, code)
    out += [".Sh DESCRIPTION"] + paragraphs(body) + [".Sh SEE ALSO", ".Xr tidemark 3"]
    text = re.sub(r"\.El\n\.Bl -tag -width Ds\n(\.It Fn)", r"\1", "\n".join(out) + "\n")
    return names, text


def manual(root):
    """{page: text}, the pages that point to others included."""
    with open(os.path.join(root, "man", "tidemark.3"), encoding="utf-8") as file:
        date = re.search(r"^\.Dd (.*)", file.read()).group(1)
    pages, links = {}, {}
    for path in headers(root):
        names, text = page(path, date)
        pages[page_of(path)] = text
        links.update({name: f".so man3/{page_of(path)}.3\n" for name in names})
    return {**links, **pages}


def main():
    parser = argparse.ArgumentParser(description="Manual pages from headers.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    for old in glob.glob(os.path.join(options.out, "*.3")):
        os.remove(old)
    for name, text in manual(options.root).items():
        with open(os.path.join(options.out, name + ".3"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
