#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles and runs the code samples of the documents.

Usage: samples.py --root FOLDER --library libtidemark.a [--cc COMPILER] [--cxx COMPILER]

Every ```c and ```cpp block of README.md and docs/*.md is a whole program:
  ```c file=NAME.c           is compiled without warnings and run, and must exit with 0;
  ```text output=NAME.c      in the same document is what it prints.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)[ \t]*([^\n]*)\n(.*?)^```", re.M | re.S)


def blocks(path):
    """(language, {key: value}, text, line) of every fenced block."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for found in BLOCK.finditer(text):
        keys = dict(word.split("=", 1) for word in found.group(2).split() if "=" in word)
        yield found.group(1), keys, found.group(3), text.count("\n", 0, found.start()) + 1


def run_sample(options, name, text, expected):
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, name), os.path.join(folder, "sample")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        compiler = [options.cxx, "-std=c++17"] if name.endswith(".cpp") else [options.cc, "-std=c11"]
        compiled = subprocess.run(
            compiler + ["-Wall", "-Wextra", "-Werror", "-O1", "-I",
                        os.path.join(options.root, "include"), source, options.linked, "-pthread",
                        "-lm", "-o", program], capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            return f"does not compile:\n{compiled.stderr}"
        environment = dict(os.environ, TIDE_VERIFY="1")
        done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=120,
                              cwd=folder, env=environment)
        if done.returncode != 0:
            return f"exits with {done.returncode}:\n{done.stdout}{done.stderr}"
        if expected is not None and done.stdout != expected:
            return f"prints\n{done.stdout}and not\n{expected}"
    return None


def check_document(options, path):
    """Yields (line, what is wrong or None) for each sample."""
    found = list(blocks(path))
    programs = {keys["file"]: text for _, keys, text, _ in found if "file" in keys}
    outputs = {keys["output"]: text for _, keys, text, _ in found if "output" in keys}
    for name in outputs:
        if name not in programs:
            yield 0, f"output of {name}, which is not here"
    for language, keys, text, line in found:
        if language not in ("c", "cpp"):
            continue
        if "file" not in keys:
            yield line, "does not say file=NAME"
        else:
            yield line, run_sample(options, keys["file"], text, outputs.get(keys["file"]))


def main():
    parser = argparse.ArgumentParser(description="Runs the samples of the documents.")
    parser.add_argument("--root", required=True)
    parser.add_argument("--library", dest="linked", required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    samples = wrong = 0
    documents = [os.path.join(options.root, "README.md")]
    documents += sorted(glob.glob(os.path.join(options.root, "docs", "*.md")))
    for path in documents:
        for line, fault in check_document(options, path):
            samples += 1
            if fault:
                wrong += 1
                print(f"{os.path.relpath(path, options.root)}:{line}: {fault}")
    print(f"{samples} samples, {wrong} wrong")
    return 1 if wrong or samples == 0 else 0


sys.exit(main())
