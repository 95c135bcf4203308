#!/usr/bin/env python3
"""Holds the periods of a sweep, and what they may be off, against runs of 20,000 minibatches.

    docs/paper/bounds.py LAYERPIPE SPEC [--jobs N]

simulates the points of SPEC twice: as they are, and for 20,000 minibatches unless the period is
proven before. Prints a line for each period that is further from that of the long run than both
bounds allow, and a summary; the exit code is 1 if there is one.
"""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

LONG = "iterations: 20000\nuntil: steady\ntolerance: 1e-9\n"


def rows(program, spec, jobs, folder, name):
    """The rows of the sweep of `spec`, a text, by the number of their point."""
    path = folder / f"{name}.yaml"
    path.write_text(spec, encoding="utf-8")
    output = folder / f"{name}.csv"
    command = [program, "sweep", str(path), "--output", str(output), "--jobs", str(jobs)]
    subprocess.run(command, check=True)
    with output.open(encoding="utf-8", newline="") as file:
        return {row["point"]: row for row in csv.DictReader(file)}


def point_name(row):
    keys = ("workload", "batch", "processors", "array", "schedule", "split")
    return " ".join(row[key] for key in keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("spec", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    spec = arguments.spec.read_text(encoding="utf-8")
    without_length = re.sub(r"(?m)^(iterations|until|tolerance):.*\n", "", spec)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stated = rows(arguments.program, spec, arguments.jobs, folder, "stated")
        longest = rows(arguments.program, without_length + LONG, arguments.jobs, folder, "long")
    counts = {"exact": 0, "with a bound": 0, "without a bound": 0}
    wrong = 0
    greatest = 0.0
    for point, row in stated.items():
        if row["status"] != "ok":
            continue
        if row["exact"] == "true":
            counts["exact"] += 1
        elif not row["relative_error_bound"]:
            counts["without a bound"] += 1
            print(f"no bound: {point_name(row)}")
            continue
        else:
            counts["with a bound"] += 1
        period = float(row["period_cycles"])
        reference = longest[point]
        error = abs(float(reference["period_cycles"]) / period - 1.0)
        greatest = max(greatest, error)
        allowed = float(row["relative_error_bound"]) + float(reference["relative_error_bound"] or 0)
        if error > allowed + 1e-12:
            wrong += 1
            print(f"{point_name(row)}: {error:.2e} off, stated {allowed:.2e}")
    summary = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{summary}; {wrong} further off than stated; greatest error {100 * greatest:.3f} %")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
