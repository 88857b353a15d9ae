#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far the simulation is to be believed: predicted over measured, for ten graphs and 1, 2, 4 and
8 markers on the cores that this machine has. Not a part of the tests, because it asserts nothing
and needs a quiet machine.

    tests/simulate/validation.py --program build/release/tidemark-simulate [--measured FILE] [--under "CMD"]

Costs and times are measured first, by `tidemark-simulate --measure`, under CMD if there is one
(`chrt -f 1`, say), and kept in FILE. If FILE exists already, it is used. Prints a table in Markdown.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../workloads/graphs")
GRAPHS = ("tree:depth=19", "tree:depth=19,order=shuffled", "random:objects=300K",
          "lists:count=1000,length=500", "wide:leaves=1M", "map:entries=200K",
          "comb:teeth=2K,length=100", "star:arms=1K", *(f"file:{os.path.join(FILES, name)}" for name in ("javac.thg", "ast.thg")))
MARKERS = (1, 2, 4, 8)
CLOSE, NEAR = (0.9, 1.1), (0.8, 1.25)


def measure(options, path):
    subprocess.run([*shlex.split(options.under), options.program, "--measure", "--quiet",
                    "--rounds", str(options.rounds), "--graph", ";".join(GRAPHS),
                    "--markers", ",".join(map(str, MARKERS)), "--json", path],
                   check=True, stdout=subprocess.DEVNULL)


def predict(options, measured, path):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "predicted.json")
        subprocess.run([options.program, "--warm", "--quiet", "--costs", path,
                        "--topology", measured["topology"], "--graph", ";".join(GRAPHS),
                        "--markers", ",".join(map(str, MARKERS)), "--json", out],
                       check=True, stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            return json.load(file)["rows"]


def print_table(measured, predicted):
    times = {(row["graph"], row["markers"]): row["measured_ns"] for row in measured["rows"]}
    ratios = {(row["graph"], row["markers"]): row["mark_ns"] / times[row["graph"], row["markers"]]
              for row in predicted}
    print("| Graph |" + "".join(f" {markers} |" for markers in MARKERS))
    print("|---|" + "--:|" * len(MARKERS))
    for graph in GRAPHS:
        cells = (f" {ratios[graph, m]:.2f} ({times[graph, m] / 1e6:.3g}) |" for m in MARKERS)
        print(f"| {graph.replace('file:', '').replace(FILES + os.sep, '')} |" + "".join(cells))
    for low, high in (CLOSE, NEAR):
        within = sum(low <= ratio <= high for ratio in ratios.values())
        print(f"\n{within} of {len(ratios)} lie within {low} to {high}.", end="")
    print("\n\nCosts: " + ", ".join(f"{name} {value:.4g}" for name, value in
                                    measured["costs"].items()) + "; " + measured["topology"])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--measured", help="file of what was measured")
    parser.add_argument("--under", default="", help="a command to measure under")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.measured or os.path.join(folder, "measured.json")
        if not os.path.exists(path):
            measure(options, path)
        with open(path, encoding="utf-8") as file:
            measured = json.load(file)
        print_table(measured, predict(options, measured, path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
