# SPDX-License-Identifier: MIT
"""What the checks' own tests share: small trees, and a check's main() that looks at one."""
import contextlib
import io
import os
import sys
import tempfile

sys.dont_write_bytecode = True


def write(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


@contextlib.contextmanager
def small_tree(files):
    """Its folder, which is gone afterwards."""
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        yield root


def run(check, root, *arguments):
    """Returns the status, and what was printed."""
    printed, before = io.StringIO(), sys.argv
    sys.argv = [check.__name__, "--root", root, *arguments]
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = check.main()
    except SystemExit as left:
        status = left.code
    finally:
        sys.argv = before
    return status, printed.getvalue()
