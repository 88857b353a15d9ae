#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two headers copied into an empty folder: what compiles with them, and what must not.

Usage: alone.py --root FOLDER
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-O1", "-pthread"]
LANGUAGES = [(("gcc-12", "gcc"), "c", ("c11", "c17")), (("clang-14", "clang"), "c", ("c11", "c17")),
             (("g++-12", "g++"), "c++", ("c++11", "c++20")),
             (("clang++-14", "clang++"), "c++", ("c++11", "c++20"))]
TYPED = """#include <tide/bwos.h>
struct job { void (*call)(void *); void *argument; };
TIDE_BWOS_DEFINE(jobs, struct job);
TIDE_BWOS_FIFO_DEFINE(late_jobs, struct job);
TIDE_BWOS_EXPERT_DEFINE(numbers, uint64_t, 0);
TIDE_BWOS_FIFO_EXPERT_DEFINE(late_numbers, uint64_t, 0);
static struct jobs q;
static struct jobs_owner o;
int main(void) {
  struct job job = {0, 0};
  if (jobs_storage_bytes(2, 2) != 2 * (64 + 2 * 16)) return 1;
  return jobs_make(&q, &o, 0, 0, 3, 2) == 0 || jobs_steal(&q, &job, 0) != TIDE_BWOS_NOTHING;
}
"""
LARGE = "#include <tide/bwos.h>\nstruct job { char at[65]; };\nTIDE_BWOS_DEFINE(jobs, struct job);\n"
# No C library of 32 bits is needed: an empty file stands for the one header that only it has.
NARROW = ["-m32", "-fsyntax-only", "-Wno-psabi", "-isystem", "/usr/include/x86_64-linux-gnu", "-isystem"]
REFUSED_C = [("bwos.h", LARGE, "64 bytes"), ("bwos.h", "struct job {};\nTIDE_BWOS_DEFINE(jobs, struct job);\n", "no bytes")]
# (C++ header, program, what the compiler has to say).
REFUSED_CXX = [
    ("bwos.h", LARGE, "64 bytes"),
    ("bwos.h", "#include <string>\nTIDE_BWOS_DEFINE(jobs, std::string);\n", "not trivially copyable"),
    ("bwos.hpp", "#include <memory>\ntide::bwos_lifo<std::unique_ptr<int>> q;\n", "trivially copyable"),
    ("bwos.hpp", "struct job { char at[65]; };\ntide::bwos_fifo<job> q;\n", "64 bytes"),
    ("bwos.hpp", "tide::bwos_lifo<int> q;\ntide::bwos_lifo<int> p(q);\n", "deleted"),
]


def compiled(folder, compiler, language, standard, text, *options):
    return subprocess.run([compiler, "-x", language, f"-std={standard}", *STRICT, *options, "-I", folder, "-", "-o",
                           os.path.join(folder, "a.out")], input=text, capture_output=True, text=True, check=False)


def works(folder, compiler, language, standard, text, output):
    """What is wrong, or None."""
    done = compiled(folder, compiler, language, standard, text)
    if done.returncode != 0:
        return done.stderr
    ran = subprocess.run([os.path.join(folder, "a.out")], capture_output=True, text=True, check=False, timeout=60)
    return None if (ran.returncode, ran.stdout) == (0, output) else f"exit {ran.returncode}: {ran.stdout}"


def findings(options, folder):
    def example(name):
        with open(os.path.join(options.root, "examples", name), encoding="utf-8") as file:
            return file.read()
    for names, language, standards in LANGUAGES:
        compiler = next((name for name in names if shutil.which(name)), None)
        if not compiler:
            print(f"without {names[0]}: not installed")
            continue
        for standard in standards:
            where = f"{compiler} -std={standard}"
            programs = [(TYPED, "")]
            if language == "c":
                programs.append((example("bwos_fork_join.c"), "75025\n"))
            elif standard != "c++11":
                programs.append((example("bwos_fork_join.cpp"), "75025\n"))
            for text, output in programs:
                wrong = works(folder, compiler, language, standard, text, output)
                if wrong:
                    yield f"{where}: {wrong}"
            if language == "c" and os.uname().machine == "x86_64":
                done = compiled(folder, compiler, language, standard, TYPED, *NARROW, os.path.join(folder, "narrow"))
                if done.returncode != 0:
                    yield f"{where} -m32: {done.stderr}"
            refused = REFUSED_C if language == "c" else REFUSED_CXX
            for header, text, words in refused:
                if standard == "c++11" and header == "bwos.hpp":
                    continue
                done = compiled(folder, compiler, language, standard, f"#include <tide/{header}>\n{text}int main(void) "
                                "{ return 0; }\n", "-fsyntax-only")
                if done.returncode == 0 or words not in done.stderr:
                    yield f"{where}: not refused for '{words}': {text}{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description="The queue's headers by themselves.")
    parser.add_argument("--root", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "tide"))
        os.makedirs(os.path.join(folder, "narrow", "gnu"))
        with open(os.path.join(folder, "narrow/gnu/stubs-32.h"), "w", encoding="utf-8"):
            pass
        for name in ("bwos.h", "bwos.hpp"):
            shutil.copy(os.path.join(options.root, "include/tide", name), os.path.join(folder, "tide"))
        found = list(findings(options, folder))
    for finding in found:
        print(finding)
    print(f"{len(found)} findings")
    return 1 if found else 0


sys.exit(main())
