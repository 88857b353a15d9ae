#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A collected list from Python: libtidemark.so is loaded with dlopen, no C compiler needed.

Usage: linked_list.py [libtidemark.so]

Python keeps its integers outside the C stack, so the collector cannot see an address that only
Python holds: everything is kept through a root range.
"""
import ctypes
import sys

PREFIX_WORDS = 1  # words of a node before its references


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 256)]


def load(path):
    tide = ctypes.CDLL(path)
    pointer, size, error = ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(Error)
    for name, result, arguments in (
            ("tide_version", ctypes.c_char_p, []),
            ("tide_status_text", ctypes.c_char_p, [ctypes.c_int]),
            ("tide_heap_create", pointer, [pointer, error]),
            ("tide_heap_destroy", ctypes.c_int, [pointer]),
            ("tide_attach", pointer, [pointer, pointer, error]),
            ("tide_detach", ctypes.c_int, [pointer]),
            ("tide_layout_prefixed", ctypes.c_uint16, [pointer, size, error]),
            ("tide_alloc_slow", pointer, [pointer, ctypes.c_uint16, size]),
            ("tide_collect", ctypes.c_int, [pointer]),
            ("tide_object_bytes", size, [pointer, pointer]),
            ("tide_root_add_range", ctypes.c_int, [pointer, pointer, size]),
            ("tide_root_remove_range", ctypes.c_int, [pointer, pointer])):
        function = getattr(tide, name)
        function.restype, function.argtypes = result, arguments
    return tide


def needed(result, what, error):
    """The result, which is NULL or 0 if the call failed."""
    if not result:
        raise RuntimeError(f"cannot {what}: {error.text.decode()}")
    return result


class Node(ctypes.Structure):
    _fields_ = [("value", ctypes.c_long), ("next", ctypes.c_void_p)]


def push(tide, me, layout, roots, value):
    """A new node in front of the list whose head is roots[0]."""
    address = tide.tide_alloc_slow(me, layout, ctypes.sizeof(Node))
    if not address:
        raise MemoryError("no room for a node")
    node = Node.from_address(address)
    node.value, node.next = value, roots[0]
    roots[0] = address


def values(head):
    while head:
        node = Node.from_address(head)
        yield node.value
        head = node.next


def main():
    tide, error = load(sys.argv[1] if len(sys.argv) > 1 else "libtidemark.so.0.3"), Error()
    heap = needed(tide.tide_heap_create(None, error), "create a heap", error)
    me = needed(tide.tide_attach(heap, None, error), "attach this thread", error)
    layout = needed(tide.tide_layout_prefixed(heap, PREFIX_WORDS, error), "make a layout", error)
    roots = (ctypes.c_void_p * 2)()
    status = tide.tide_root_add_range(heap, roots, len(roots))
    if status != 0:
        raise RuntimeError(f"cannot add the roots: {tide.tide_status_text(status).decode()}")
    for value in range(1000):
        push(tide, me, layout, roots, value)
    tide.tide_collect(me)
    kept = list(values(roots[0]))
    print(f"Tidemark {tide.tide_version().decode()} kept {len(kept)} nodes, "
          f"{tide.tide_object_bytes(heap, roots[0])} bytes each", flush=True)
    tide.tide_root_remove_range(heap, roots)
    tide.tide_detach(me)
    tide.tide_heap_destroy(heap)
    return 0 if kept == list(range(999, -1, -1)) else 1


try:
    sys.exit(main())
except (MemoryError, OSError, RuntimeError) as failure:
    sys.stdout = None  # what it could not write is not tried again
    sys.exit(f"linked_list.py: {failure}")
