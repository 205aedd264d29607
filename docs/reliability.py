#!/usr/bin/env python3
"""Makes docs/reliability.md: runs the tests that count what they tried, and puts their counts beside
those of the long runs by hand (docs/reliability-by-hand.tsv: what, variety, count, how, date).

    python3 docs/reliability.py            runs the tests
    python3 docs/reliability.py FILE       takes the counts that a run wrote to FILE (HAGGLE_RELIABILITY)
"""

import os
import subprocess
import sys
import tempfile
from collections import OrderedDict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

INTRO = """# What was tried, and what was lost

Made by `docs/reliability.py` from the tests' own counts; a line is only counted after its test has
held. *In every run* is what `cargo test` does each time; *by hand* is a long run with its date.

"""

ORDER = [
    ("faults × providers", "requests of every provider that went wrong; each is told in one line"),
    ("inputs replayed and mutated", "inputs of every parser and sanitiser, overflow checks on"),
    ("inputs fuzzed", "inputs made by libFuzzer, led by coverage, ten minutes a target"),
    ("kills survived", "`kill -9` at random moments; every file old or new"),
    ("instances at once", "programs that write the same file; nothing overwritten"),
    ("snapshots that cannot be read", "kept aside with one line, and the program goes on"),
    ("full disks", "one line, and the old file stays"),
    ("homes that are none", "the program goes on"),
    ("refreshes held", "refreshes with faults; rows are those of the last good answer"),
    ("places searched for keys", "files, streams and requests; no key found"),
    ("hostile strings shown", "strings that attack; only our own sequences come out"),
    ("terminals given back", "ends of the program; switched off once what was switched on"),
    ("ways through the network", "proxies, IPv6, portals; no key where none belongs"),
    ("requests under a limit of ten a minute", "requests at a market without end"),
    ("runs under one limit of ten a minute", "runs, two at a time; never more than ten requests"),
]


def counts_of_tests(file):
    if file is None:
        file = tempfile.NamedTemporaryFile(suffix=".tsv", delete=False).name
        done = subprocess.run(
            ["cargo", "test", "--locked", "--test", "it"],
            cwd=ROOT,
            env={**os.environ, "HAGGLE_RELIABILITY": file},
        )
        if done.returncode != 0:
            sys.exit("the tests do not hold; no table is written")
    return [line.split("\t") for line in Path(file).read_text().splitlines() if line]


def table(rows):
    groups = OrderedDict((what, OrderedDict()) for what, _ in ORDER)
    for what, kind, count, *hand in rows:
        if what not in groups:
            sys.exit(f"docs/reliability.py does not know `{what}`")
        cell = groups[what].setdefault(kind, [0, 0, set()])
        if hand:
            cell[1] += int(count)
            cell[2].add(", ".join(hand))
        else:
            cell[0] += int(count)
    lines = []
    total = [0, 0]
    for what, about in ORDER:
        if not groups[what]:
            continue
        lines += [f"## {what[0].upper()}{what[1:]}", "", f"{about[0].upper()}{about[1:]}.", ""]
        lines += ["| tried | in every run | by hand | how | lost |", "| --- | ---: | ---: | --- | --- |"]
        sums = [0, 0]
        for kind, (run, hand, how) in sorted(groups[what].items()):
            sums[0] += run
            sums[1] += hand
            words = "; ".join(sorted(how))
            lines.append(f"| {kind} | {run or ''} | {hand or ''} | {words} | nothing |")
        bold = [f"**{n}**" if n else "" for n in sums]
        lines += [f"| **all** | {bold[0]} | {bold[1]} | | **nothing lost** |", ""]
        total = [total[0] + sums[0], total[1] + sums[1]]
    head = f"In every run {total[0]:,} things are tried, {total[1]:,} more were by hand. Nothing was lost.\n\n"
    return INTRO + head + "\n".join(lines)


def main():
    rows = counts_of_tests(sys.argv[1] if len(sys.argv) > 1 else None)
    by_hand = (HERE / "reliability-by-hand.tsv").read_text().splitlines()
    rows += [line.split("\t") for line in by_hand if line and not line.startswith("#")]
    (HERE / "reliability.md").write_text(table(rows))


main()
