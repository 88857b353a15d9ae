#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses Tidemark as other projects do. One way per run.

Usage: package.py --root FOLDER --build FOLDER --prefix FOLDER WAY

`install` fills the prefix; the other ways work from there and from temporary folders only.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(*command, **keywords):
    """Runs a command that has to succeed; returns what it printed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **keywords)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n")
        sys.exit(f"failed with {done.returncode}: {' '.join(command)}")
    return done.stdout


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def demand(held, what):
    if not held:
        sys.exit(f"not so: {what}")


def folder_of(options, pattern):
    found = glob.glob(os.path.join(options.prefix, pattern), recursive=True)
    demand(len(found) == 1, f"one {pattern} under the prefix, found {found}")
    return os.path.dirname(found[0])


def expect_cells(output):
    demand(", 20000 cells" in output, f"the consumer counted its cells: {output!r}")


def way_install(options):
    shutil.rmtree(options.prefix, ignore_errors=True)
    run("cmake", "--install", options.build, "--prefix", options.prefix)
    for pattern in ("include/tide/tide.h", "include/tide/advanced.h", "include/tide/stats.h", "include/tide/bwos.h", "include/tide/bwos.hpp",
                    "**/libtidemark.so",
                    "**/libtidemark.so.0.3", "**/libtidemark.a", "**/tidemarkConfig.cmake",
                    "**/tidemarkConfigVersion.cmake", "**/pkgconfig/tidemark.pc",
                    "**/man3/tidemark.3", "**/man3/tide_alloc_array.3", "**/single/tidemark.c",
                    "**/single/tidemark.h"):
        folder_of(options, pattern)
    if os.path.exists(os.path.join(options.build, "tidemark")):
        folder_of(options, "bin/tidemark")
        program = os.path.join(options.prefix, "bin", "tidemark")
        run(program, "--version")
        if glob.glob(os.path.join(options.prefix, "libexec/tidemark/tidemark-boehm")):
            run(program, "compare", "--graph", "tree:depth=8", "--engine", "bwos,boehm",
                "--markers", "1", "--rounds", "1", "--check", "--quiet")
        if os.path.exists(os.path.join(options.build, "bdwgc/libgc.so.1")):
            folder = folder_of(options, "**/tidemark/bdwgc/libgc.so.1")
            told = run(program, "exec", "sh", "-c", "echo $LD_LIBRARY_PATH").split(":")[0].strip()
            demand(os.path.samefile(told, folder), f"exec finds the installed libgc.so.1: {told}")
        folder_of(options, "**/man1/tidemark.1")
    version = ".".join(re.findall(r"#define TIDE_VERSION_\w+ (\d+)", text_of(options.prefix, "include/tide/base.h")))
    told = run("pkg-config", "--modversion", os.path.join(
        folder_of(options, "**/pkgconfig/tidemark.pc"), "tidemark.pc")).strip()
    demand(told == version, f"the header's version {version} is pkg-config's {told}")
    for path in glob.glob(os.path.join(options.prefix, "**", "*"), recursive=True):
        if path.endswith((".cmake", ".pc")):
            text = text_of(path)
            for place in (options.root, options.build, options.prefix):
                demand(place not in text, f"{path} does not name {place}")


def way_symbols(options):
    """The shared library exports tide_* and nothing else; the static one defines td_* besides."""
    library = os.path.join(folder_of(options, "**/libtidemark.so"), "libtidemark.so")
    exported = {line.split()[-1].split("@")[0]
                for line in run("nm", "-D", "--defined-only", library).splitlines()}
    demand("tide_heap_create" in exported, "tide_heap_create is exported")
    strangers = sorted(name for name in exported if not name.startswith("tide_"))
    demand(not strangers, f"only tide_* is exported, but {strangers}")
    headers = "".join(map(text_of, glob.glob(os.path.join(options.prefix, "include/tide/*.h"))))
    declared = set(re.findall(r"TIDE_API[^;{]*?\b(tide_\w+)\s*\(", headers))
    demand(declared == exported, f"exported and declared agree: {sorted(declared ^ exported)}")
    dynamic = run("readelf", "-d", library)
    demand("[libtidemark.so.0.3]" in dynamic, "the soname is libtidemark.so.0.3")
    archive = os.path.join(folder_of(options, "**/libtidemark.a"), "libtidemark.a")
    defined = {line.split()[2] for line in run("nm", "-g", "--defined-only", archive).splitlines()
               if len(line.split()) == 3}
    defined.discard("_.stapsdt.base")  # of <sys/sdt.h>, weak, hidden, and no name in C
    strangers = sorted(name for name in defined if not name.startswith(("td_", "tide_")))
    demand(not strangers, f"only td_* and tide_* are global in the archive, but {strangers}")


def way_find_package(options):
    with tempfile.TemporaryDirectory() as build:
        run("cmake", "-G", "Ninja", "-S", os.path.join(options.root, "tests/package/consumer"), "-B", build,
            f"-DCMAKE_PREFIX_PATH={options.prefix}")
        run("cmake", "--build", build)
        for program in ("c_tidemark", "c_static", "cxx_tidemark", "cxx_static"):
            expect_cells(run(os.path.join(build, program)))


def way_pkg_config(options):
    environment = dict(os.environ, PKG_CONFIG_PATH=folder_of(options, "**/pkgconfig/tidemark.pc"),
                       LD_LIBRARY_PATH=folder_of(options, "**/libtidemark.so"))
    source = os.path.join(options.root, "tests/package/consumer/consumer.c")
    with tempfile.TemporaryDirectory() as build:
        for linking in ([], ["--static"]):
            program = os.path.join(build, "consumer")
            flags = run("pkg-config", "--cflags", "--libs", *linking, "tidemark", env=environment)
            before = ["-static"] if linking else []
            run(options.cc, *before, "-std=gnu17", "-Wall", "-Werror", source, "-o", program,
                *flags.split())
            expect_cells(run(program, env=environment))


def way_single_file(options):
    """tidemark.c compiles with nothing but itself, as -std=gnu17 -Wall, without a word."""
    folder = folder_of(options, "**/single/tidemark.c")
    source = os.path.join(options.root, "tests/package/consumer/consumer.c")
    with tempfile.TemporaryDirectory() as build:
        compiled, program = os.path.join(build, "tidemark.o"), os.path.join(build, "single")
        library = os.path.join(build, "libsingle.so")
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", "-O0", "-fPIC", "-I", folder, "-c",
            os.path.join(folder, "tidemark.c"), "-o", compiled)
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", "-DSINGLE_FILE", "-I", folder, source,
            compiled, "-pthread", "-o", program)
        expect_cells(run(program))
        run(options.cc, "-shared", compiled, "-pthread", "-o", library)
        names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
        strangers = [name for name in names if not name.startswith("tide_")]
        demand(names and not strangers, f"the single file exports tide_* only, but {strangers}")
        engines_of_the_single_file(options, folder, build, compiled, engines_of_the_library(options))
        refused_as_cxx(options, folder, build)


def way_single_file_variants(options):
    """It follows what its user defines: TIDE_WITHOUT_…, TIDE_GRAPH_FILES."""
    folder = folder_of(options, "**/single/tidemark.c")
    with tempfile.TemporaryDirectory() as build:
        one = os.path.join(build, "one.o")
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", "-O1", "-DTIDE_WITHOUT_BWOS", "-DTIDE_WITHOUT_ABP",
            "-DTIDE_WITHOUT_SERIAL", "-I", folder, "-c", os.path.join(folder, "tidemark.c"), "-o", one)
        engines_of_the_single_file(options, folder, build, one, ["chase-lev"])
        graph_file(options, folder, build)


def expect_one_engine(library, engine):
    asked = ("import ctypes, sys; name = ctypes.CDLL(sys.argv[1]).tide_engine_name; "
             "name.restype = ctypes.c_char_p; print(name(0), name(1))")
    demand(run(sys.executable, "-c", asked, library).strip() == f"b'{engine}' None", f"one engine: {engine}")


# The most bytes of text, by `size`, that GCC may make of the library for x86-64: of all of it, and with
# one engine.
TEXT_MAX, TEXT_ONE_ENGINE_MAX = 600_000, 420_000


def way_engines(options):
    """TIDE_ENGINES: a name that the library does not know is refused, and one engine is enough."""
    with tempfile.TemporaryDirectory() as build:
        refused = subprocess.run(["cmake", "-S", options.root, "-B", build, "-DTIDE_ENGINES=bwos,tokio",
                                  *(f"-DTIDE_{part}=OFF" for part in ("PROGRAM", "TESTS", "EXAMPLES"))],
                                 capture_output=True, text=True, check=False)
        told = re.sub(r"\s+", " ", refused.stderr)
        demand(refused.returncode != 0 and
               "no engine 'tokio'; there are: bwos, abp, chase-lev, serial" in told, f"refused: {told}")
        # What the option makes, without compiling the rest again.
        archive, table = os.path.join(build, "one.a"), os.path.join(build, "engines.c.o")
        shutil.copy(os.path.join(options.build, "libtidemark.a"), archive)
        others = ("ABP", "CHASE_LEV", "SERIAL")
        run("ar", "d", archive, *(f"{name.lower()}.c.o" for name in others))
        run(options.cc, "-std=gnu17", "-O2", "-fPIC", "-fvisibility=hidden", "-I", options.root,
            "-I", os.path.join(options.root, "include"), *(f"-DTIDE_WITHOUT_{name}" for name in others), "-c",
            os.path.join(options.root, "marker/engine/engines.c"), "-o", table)
        run("ar", "r", archive, table)
        one = os.path.join(build, "libone.so")
        run(options.cc, "-shared", "-Wl,-z,defs", "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
            "-Wl,--gc-sections", "-pthread", "-o", one)
        expect_one_engine(one, "bwos")
        usual = "CMAKE_BUILD_TYPE:STRING=Release" in text_of(options.build, "CMakeCache.txt") and os.uname().machine == "x86_64" and \
            "Free Software Foundation" in run(options.cc, "--version")
        for library, most in ((os.path.join(options.build, "libtidemark.so"), TEXT_MAX), (one, TEXT_ONE_ENGINE_MAX)):
            text = int(run("size", library).splitlines()[1].split()[0])
            print(f"{os.path.basename(library)}: {text} bytes of text")
            demand(not usual or text <= most, f"{library} has at most {most} bytes of text: {text}")


# Prints the names of the engines, a line each.
ENGINES = """#include <stdio.h>
#include "tidemark.h"
int main(void) {
  for (size_t i = 0; tide_engine_name(i); i++) puts(tide_engine_name(i));
  return 0;
}
"""


def engines_of_the_library(options):
    return re.findall(r'X\([a-z_]+, "([\w-]+)"', text_of(options.root, "marker/queue/list.h"))


def engines_of_the_single_file(options, folder, build, compiled, wanted):
    source, program = os.path.join(build, "engines.c"), os.path.join(build, "engines")
    with open(source, "w", encoding="utf-8") as file:
        file.write(ENGINES)
    run(options.cc, "-I", folder, source, compiled, "-pthread", "-o", program)
    demand(run(program).split() == wanted, f"the engines are {wanted}")


def refused_as_cxx(options, folder, build):
    """Compiled as C++, or included from it, tidemark.c says in one line what to do."""
    including = os.path.join(build, "including.cc")
    with open(including, "w", encoding="utf-8") as file:
        file.write('#include "tidemark.c"\nint main() { return 0; }\n')
    for command in ([options.cxx, "-x", "c++", os.path.join(folder, "tidemark.c")],
                    [options.cxx, including]):
        done = subprocess.run([*command, "-I", folder, "-fsyntax-only"], capture_output=True, text=True,
                              check=False)
        errors = [line for line in done.stderr.splitlines() if ": error:" in line]
        demand(done.returncode != 0 and len(errors) == 1, f"one error, in C++: {done.stderr}")
        demand("cc -std=gnu17 -c tidemark.c" in errors[0], f"it says what to do: {done.stderr}")


def graph_file(options, folder, build):
    """The single file writes graph files only where it is told that there is an xxhash.h."""
    source = os.path.join(options.root, "tests/package/consumer/graph_file.c")
    program, path = os.path.join(build, "graph_file"), os.path.join(build, "heap.thg")
    for define, told in ([], "not in this build of the library"), (["-DTIDE_GRAPH_FILES"], "no error"):
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", "-O0", *define, "-I", folder, source,
            os.path.join(folder, "tidemark.c"), "-pthread", "-o", program)
        output = run(program, path)
        demand(output.startswith(told), f"{define}: {output}")
        demand(os.path.exists(path) == bool(define), f"{define}: a file is there, or not")
        demand(define or "xxhash.h" in output, f"the reason is told: {output}")


# Two sources that use the same file-local names, through a shared header and a template.
COLLIDING = {
    "LICENSE": "None.\n",
    "include/tide/tide.h": "#include <stdint.h>\nint tide_sum(void);\n",
    "heap/x.h": "#ifndef TD_HEAP_X_H\n#define TD_HEAP_X_H\n"
                "#define LOCAL static inline\nint td_a(void);\nint td_b(void);\n#endif\n",
    "heap/x_template.h": "LOCAL int Q(work)(int x) { return x + step(x); }\n"
                         "LOCAL int twice(int x) { return 2 * x; }\n",
    "heap/a.c": """#include "tide/tide.h"
#include "heap/x.h"
enum { SIZE = 3, COUNT };
struct slot { int push; int (*step)(int); };
static _Atomic(uint32_t) counter, other[2] = {1, 2};
static __attribute__((noinline)) int push(struct slot *s) { s->push = SIZE; return s->push; }
static int (*hook)(struct slot *) = push;
#define SCALE(x) (2 * (x))
static int step(int x) { return x + COUNT; }
#define Q(name) a_##name
#include "heap/x_template.h"
int td_a(void) {
  struct slot s = {.push = 1, .step = step};
  return SCALE(hook(&s)) + (int)counter + (int)other[0] + Q(work)(1) + s.step(twice(1));
}
""",
    "heap/b.c": """#include "heap/x.h"
#include "tide/tide.h"
enum { SIZE = 5, COUNT };
struct slot { long step; };
static uint32_t counter;
static int push(struct slot *s) { return (int)s->step + SIZE; }
#define SCALE(x) (3 * (x))
static int step(int x) { return x * COUNT; }
#define Q(name) b_##name
#include "heap/x_template.h"
int td_b(void) {
  struct slot s = {.step = 1};
  return SCALE(push(&s)) + (int)counter + Q(work)(1) + twice(1);
}
int tide_sum(void) { return 100 * td_a() + td_b(); }
""",
    "main.c": '#include "tidemark.h"\nint main(void) { return tide_sum() == 1927 ? 0 : 1; }\n',
}


def way_collisions(options):
    """The single file keeps apart what two sources call by one name."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in COLLIDING.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        told = run(sys.executable, os.path.join(options.root, "cmake/amalgamate.py"), "--verbose",
                   "--root", root, "--out", root, "--version", "1", "heap/a.c", "heap/b.c")
        for name in ("SIZE", "slot", "counter", "push", "step", "twice"):
            demand(f"{name}: heap/a.c, heap/b.c\n" in told, f"{name} is told as shared")
        program = os.path.join(root, "main")
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", os.path.join(root, "tidemark.c"),
            os.path.join(root, "main.c"), "-o", program)
        run(program)


def way_python(options):
    library = os.path.join(folder_of(options, "**/libtidemark.so.0.3"), "libtidemark.so.0.3")
    script = os.path.join(options.root, "examples/python/linked_list.py")
    output = run(sys.executable, script, library)
    demand("kept 1000 nodes" in output, f"the list was kept: {output!r}")


UNLOADING = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *path;
static void *get(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function) exit(2);
  return function;
}
static void *load_use_unload(void *unused) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) exit(3);
  void *(*create)(void *, void *) = get(library, "tide_heap_create");
  void *(*attach)(void *, void *, void *) = get(library, "tide_attach");
  int (*collect)(void *) = get(library, "tide_collect");
  int (*detach)(void *) = get(library, "tide_detach");
  int (*destroy)(void *) = get(library, "tide_heap_destroy");
  void *heap = create(NULL, NULL), *mutator = attach(heap, NULL, NULL);
  if (collect(mutator) || detach(mutator) || destroy(heap) || dlclose(library)) exit(4);
  if (dlopen(path, RTLD_NOW | RTLD_NOLOAD)) exit(5);
  return unused;
}
static long mapped_kilobytes(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1) exit(9);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}
int main(int count, char **arguments) {
  long before = 0;
  path = arguments[count - 1];
  for (int i = 0; i < 1100; i++) { /* more than there are thread keys */
    pthread_t thread;
    if (pthread_create(&thread, NULL, load_use_unload, NULL)) return 6;
    pthread_join(thread, NULL);
    if (i == 10) before = mapped_kilobytes();
    if (i % 100) continue;
    int status;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (waitpid(child, &status, 0) != child || status) return 7;
  }
  return mapped_kilobytes() > before + 65536 ? 8 : 0;
}
"""


def way_unload(options):
    """Threads and forks go on after the library was used and unloaded."""
    library = os.path.join(folder_of(options, "**/libtidemark.so.0.3"), "libtidemark.so.0.3")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "host.c"), os.path.join(folder, "host")
        with open(source, "w", encoding="utf-8") as file:
            file.write(UNLOADING)
        run(options.cc, "-std=gnu17", "-Wall", "-Werror", source, "-o", program, "-pthread", "-ldl")
        run(program, library)


def way_subproject(options):
    with tempfile.TemporaryDirectory() as build:
        run("cmake", "-G", "Ninja", "-S", os.path.join(options.root, "tests/package/subproject"),
            "-B", build, f"-DTIDEMARK_SOURCE={options.root}", "-DCMAKE_BUILD_TYPE=Debug",
            "-DTIDE_ENGINES=chase-lev")
        with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = file.read()
        for part in ("PROGRAM", "TESTS", "EXAMPLES"):
            demand(f"TIDE_{part}:BOOL=OFF" in cache, f"inside another project TIDE_{part} is off")
        run("cmake", "--build", build, "--target", "host")
        expect_cells(run(os.path.join(build, "host")))
        expect_one_engine(os.path.join(build, "tidemark/libtidemark.so"), "chase-lev")


def way_manual(options):
    """mandoc has nothing to object to, and every page that points elsewhere points to a page."""
    if not shutil.which("mandoc"):
        sys.exit(77)
    pages = glob.glob(os.path.join(options.prefix, "**/man[13]/*.[13]"), recursive=True)
    texts = {os.path.basename(page): text_of(page) for page in pages}
    demand("tidemark.1" in texts and "tide.3" in texts, "there are manual pages")
    run("mandoc", "-Tlint", "-Wwarning",
        *(page for page in pages if not texts[os.path.basename(page)].startswith(".so")))
    for page, text in texts.items():
        for name in [".".join(found) for found in re.findall(r"^\.(?:It )?Xr (\w+) ([13])", text, re.M)] \
                + re.findall(r"^\.so man3/(\S+)", text):
            demand(name in texts, f"{page} points to {name}")


def way_help(options):
    """Every command and option that --help shows is in the program's manual page."""
    program = os.path.join(options.build, "tidemark")
    if not os.path.exists(program):
        sys.exit(77)
    page = text_of(options.root, "man/tidemark.1")
    listed = run(program, "--help").split("Commands:")[1]
    commands = re.findall(r"^  (\w+) ", listed, re.M)
    demand("compare" in commands, f"--help lists the commands, found {commands}")
    for command in commands:
        demand(f".It Cm {command}\n" in page, f"the manual knows {command}")
        for option in set(re.findall(r"--([a-z][a-z-]+)", run(program, command, "--help"))):
            demand(f"Fl -{option}" in page, f"the manual knows --{option} of {command}")


def way_reference(options):
    """Doxygen warns of nothing."""
    if not shutil.which("doxygen"):
        sys.exit(77)
    settings = text_of(options.root, "Doxyfile")
    with tempfile.TemporaryDirectory() as out:
        run("doxygen", "-", input=f"{settings}\nOUTPUT_DIRECTORY={out}\n", cwd=options.root)
        demand("tide_alloc_array" in text_of(out, "html", "tide_8h.html"), "the reference knows tide_alloc_array")


def main():
    ways = {name.removeprefix("way_"): function for name, function in globals().items()
            if name.startswith("way_")}
    parser = argparse.ArgumentParser(description="Uses Tidemark as other projects do.")
    for folder in ("--root", "--build", "--prefix"):
        parser.add_argument(folder, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("way", choices=sorted(ways))
    options = parser.parse_args()
    ways[options.way](options)
    print(f"{options.way}: held")


main()
