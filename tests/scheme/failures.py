#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the interpreter says, and how it ends, when files and memory fail it.

Usage: failures.py PROGRAM [--no-limits]

Each case must end with its exit code and one line on standard error that holds its message: never
with a signal, never with end of file where reading failed. --no-limits leaves out the cases that
limit the address space or the stack, which sanitizers do not survive.
"""
import argparse, contextlib, os, resource, subprocess, sys, tempfile

FULL, FILE, MEMORY = "No space left on device", 3, 4
NEST = "(define (nest n x) (if (= n 0) x (nest (- n 1) (list 'begin x))))"
COMPARE = NEST + "(define a (nest 400000 1)) (define b (nest 400000 1)) (equal? a b)"
UNREADABLE = "/proc/self/mem"  # opens; reading its first byte is an input/output error

# exit code, message, expression (None: none) or list of arguments, and what else to set
CASES = [
    # Output that cannot be written, at once or in the end.
    (FILE, "standard output: " + FULL, "(display 1)", {"stdout": "/dev/full"}),
    (FILE, FULL, "(display (make-string 100000 #\\a))", {"stdout": "/dev/full"}),
    (FILE, FULL, "(display 1) (flush-output-port)", {"stdout": "/dev/full"}),
    (FILE, FULL, "(display 1) (close-port (current-output-port))", {"stdout": "/dev/full"}),
    (7, FULL, "(display 1) (exit 7)", {"stdout": "/dev/full"}),
    (FILE, FULL, ["--help"], {"stdout": "/dev/full"}),
    (FILE, "Bad file descriptor", "(display 1)", {"stdout": None}),
    (FILE, '"/dev/full"', '(call-with-output-file "/dev/full" (lambda (p) (write 1 p)))', {}),
    (FILE, '"/dev/full"', '(define p (open-output-file "/dev/full")) (write 1 p)'
     ' (flush-output-port p)', {}),
    (FILE, "left open: " + FULL, '(write 1 (open-output-file "/dev/full"))', {}),
    # Messages that cannot be written do not lead to more of them.
    (FILE, "", "(display 1 (current-error-port))", {"stderr": "/dev/full"}),
    (1, "", "(car 1)", {"stderr": "/dev/full"}),
    # Input that cannot be read is not empty input.
    (FILE, "Is a directory", ["/"], {}),
    (FILE, "Is a directory", '(load "/")', {}),
    (FILE, "Is a directory", '(include "/")', {}),
    (FILE, "Is a directory", '(read-char (open-input-file "/"))', {}),
    (FILE, "Is a directory", [], {"stdin": "/"}),
    (FILE, "Bad file descriptor", [], {"stdin": None}),
    (FILE, "Input/output error", [UNREADABLE], {}),
    (FILE, "Input/output error", [], {"stdin": UNREADABLE}),
    (FILE, "Input/output error", f'(include "{UNREADABLE}")', {}),
    (FILE, "Input/output error", f'(read-line (open-input-file "{UNREADABLE}"))', {}),
    (FILE, "Input/output error", f'(peek-char (open-input-file "{UNREADABLE}"))', {}),
    (FILE, "Input/output error", f'(read (open-input-file "{UNREADABLE}"))', {}),
    # Ports that are closed, and names that no file has.
    (1, "not an open output port", "(close-port (current-output-port)) (display 1)", {}),
    (1, "not an open input port", "(close-port (current-input-port)) (read-char)", {}),
    (1, "not an open output port",
     "(define p (open-output-string)) (close-port p) (write 1 p)", {}),
    (1, "NUL character", '(open-input-file "/\\x0;a")', {}),
    (1, "NUL character", '(include "/\\x0;a")', {}),
    # Data nested so deeply that the C stack ends.
    (1, "nested too deeply", COMPARE, {"stack": 256}),
    (1, "nested too deeply", NEST + "(eval (nest 400000 1))", {}),
    (1, "nested too deeply", ["{text}"], {"text": "#;" * 400000}),
    (1, "nested too deeply", ["{text}"], {"text": "(" * 400000}),
    (1, "nested too deeply", ["{text}"], {"text": '(include "{text}")'}),
    # No memory.
    (MEMORY, "no room for", "(let loop ((l '())) (loop (cons 1 l)))", {"heap": "20M"}),
    (MEMORY, "no room for", ["--concurrent", "-e", "(let loop ((l '())) (loop (cons 1 l)))"],
     {"heap": "20M", "only": "tide"}),
    (MEMORY, "no room for", "(define (f n) (+ 1 (f n))) (f 1)", {"heap": "20M"}),
    (MEMORY, "no room for", "(let loop ((l '())) (loop (cons l (make-vector 10000 l))))",
     {"heap": "20M"}),
    (MEMORY, "no room for", '(read-line (open-input-file "/dev/zero"))', {"heap": "64M"}),
    (MEMORY, "no room for", "(make-vector 4611686018427 0)", {}),
    (MEMORY, "no room for", "1", {"heap": "1M", "only": "tide"}),
    (MEMORY, "TIDE_HEAP_MAX=1", "1", {"heap": "1", "only": "tide"}),
    (MEMORY, "cannot create the heap", "1", {"space": 40000, "only": "tide"}),
    (MEMORY, "no room for", "(let loop ((l '())) (loop (cons 1 l)))", {"space": 250000}),
]
# However much address space there is: this program ends in one of two ways.
TIGHT_SPACES = range(100000, 160000, 2500)


def run(program, arguments, extra):
    """Returns exit code and standard error."""
    def limit():
        for name, what in (("stack", resource.RLIMIT_STACK), ("space", resource.RLIMIT_AS)):
            if name in extra:
                hard = resource.getrlimit(what)[1]
                resource.setrlimit(what, (extra[name] * 1024, hard))
        for name, number in (("stdin", 0), ("stdout", 1)):
            if name in extra and extra[name] is None:
                os.close(number)

    environment = dict(os.environ)
    if "heap" in extra:
        environment["TIDE_HEAP_MAX"] = environment["GC_MAXIMUM_HEAP_SIZE"] = extra["heap"]
    with contextlib.ExitStack() as opened:
        def descriptor(path, mode):  # Python refuses to open directories as files
            number = os.open(path or os.devnull, mode)
            opened.callback(os.close, number)
            return number
        said = opened.enter_context(tempfile.TemporaryFile())
        errors = descriptor(extra["stderr"], os.O_WRONLY) if "stderr" in extra else said
        try:
            done = subprocess.run([program, *arguments], env=environment, preexec_fn=limit,
                                  stdin=descriptor(extra.get("stdin"), os.O_RDONLY),
                                  stdout=descriptor(extra.get("stdout"), os.O_WRONLY),
                                  stderr=errors, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return "of none in a minute", ""
        said.seek(0)
        text = said.read().decode(errors="replace")
    return done.returncode, text


def failures(program, limits):
    boehm = "boehm" in os.path.basename(program)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "text.scm")
        for code, message, what, extra in CASES:
            if (boehm and extra.get("only") == "tide") or (not limits and extra.keys() & {"space", "stack"}):
                continue
            if "text" in extra:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(extra["text"].replace("{text}", path))
            arguments = ["-e", what] if isinstance(what, str) else \
                [argument.replace("{text}", path) for argument in what]
            got, text = run(program, arguments, extra)
            lines = 0 if "stderr" in extra else 1
            if got != code or message not in text or text.count("\n") != lines:
                yield f"{what} {extra}: exit {got} for {code}, said: {text!r}"
        for space in TIGHT_SPACES if limits else ():
            got, text = run(program, ["-e", COMPARE], {"space": space})
            if got not in (1, MEMORY) or text.count("\n") != 1:
                yield f"{COMPARE} in {space} KiB: exit {got}, said: {text!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--no-limits", action="store_true")
    options = parser.parse_args()
    found = 0
    for found, failure in enumerate(failures(options.program, not options.no_limits), 1):
        print(failure, flush=True)
    return 1 if found else 0


sys.exit(main())
