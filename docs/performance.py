#!/usr/bin/env python3
"""Makes docs/performance.md: drives the release build in a pseudo-terminal and writes what it found.

    cargo build --release
    cargo run --release --example synthetic_market -- --offers 60000 --out 60000.haggle
    cargo run --release --example synthetic_market -- --offers 1000000 --out 1000000.haggle
    python3 docs/performance.py 60000.haggle 1000000.haggle [--keys N]
        [--vast ADDRESS] [--rows FILE.csv] [--python INTERPRETER]

`--vast` is a server that speaks Vast.ai's API with 18,000 offers: then the processor time of listing
them is measured. `--rows` are a million offers, as `haggle list --from 1000000.haggle --limit 1000000
--format csv` writes them: then others are asked for the first hundred of them. The others are Python
packages beside `--python` (duckdb, polars, visidata, gpuhunt, vastai).
`benches/key_to_frame` is the same measurement in Rust, with more cases.
"""

import argparse
import datetime
import fcntl
import os
import performance_peers as peers
import platform
import pty
import select
import shutil
import struct
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
END = b"\x1b[?2026l"
ESC, DEL = "\x1b", "\x7f"

THRESHOLD = "threshold, one more character"
# Keys before, keys that are measured again and again, keys after.
SCRIPTS = [
    ("limit: the cursor moves a line", [], ["j", "k"], ["g", "g"]),
    (THRESHOLD, ["p", "<", "1"], ["9", DEL, ".", "5", DEL, DEL], [ESC]),
    ("search, one more letter", ["/"], ["4", "0", "9", "0", DEL, DEL, DEL, DEL], [ESC]),
    ("search, no hit", ["/", "x", "q"], ["z", DEL], [ESC]),
    ("third of three conditions", ["f", *"vram>=24 down>5"], ["0", "0", DEL, DEL], [ESC]),
    ("setup, every fit and total", ["t", "j", "j", "j"], [ESC + "[C", "h"], [ESC]),
    ("scroll a page", [], ["\x06"], ["g", "g"]),
    ("sort by a column", [], ["3", "2", "5", "1", "6"], []),
]
# Milliseconds, median and 99th percentile, by number of offers.
WANTED = {60_000: (2, 4), 1_000_000: (8, 16)}
FIRST_FRAME = {0: 25, 60_000: 40, 1_000_000: 250}


class Session:
    """The program in a pseudo-terminal of 160 by 48."""

    def __init__(self, program, market, home):
        shutil.rmtree(home, ignore_errors=True)
        cache = home / "cache" / "haggle"
        cache.mkdir(parents=True)
        if market:
            os.symlink(market, cache / "market.haggle")
        began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(home)}
            env["XDG_CACHE_HOME"] = str(home / "cache")
            os.execve(program, [program, "--offline"], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
        self.first_frame = (self.frame(30) - began) * 1e3

    def frame(self, patience):
        """When the last byte of the next frame came; None when none did."""
        tail, end = b"", time.perf_counter() + patience
        while select.select([self.fd], [], [], max(0, end - time.perf_counter()))[0]:
            tail = tail[-len(END):] + os.read(self.fd, 1 << 16)
            if END in tail:
                return time.perf_counter()
        return None

    def settle(self):
        while select.select([self.fd], [], [], 0.4)[0]:
            os.read(self.fd, 1 << 16)

    def calm(self):
        """Waits until nothing is read or prepared any more."""
        spent = None
        while spent != (spent := self.spent()):
            self.settle()

    def spent(self):
        """Processor time so far, in ticks."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def press(self, key):
        time.sleep(0.06)
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 1 << 16)
        began = time.perf_counter()
        os.write(self.fd, key.encode())
        ended = self.frame(1.5)
        return None if ended is None else (ended - began) * 1e3

    def resident_mb(self):
        status = Path(f"/proc/{self.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024 / 1e6

    def switches(self):
        tasks = Path(f"/proc/{self.pid}/task").glob("*/status")
        lines = (line for task in tasks for line in task.read_text().splitlines())
        return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary"))

    def idle(self, seconds):
        self.settle()
        before, written, end = self.switches(), 0, time.perf_counter() + seconds
        while select.select([self.fd], [], [], max(0, end - time.perf_counter()))[0]:
            written += len(os.read(self.fd, 1 << 16))
        return written, self.switches() - before

    def close(self):
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def met(value, wanted):
    return "yes" if value <= wanted else "**no**"


def first_frames(program, markets, home):
    yield "| market | median of 11, ms | wanted | met |\n|---|---:|---:|---|"
    for offers, market in [(0, None), *markets]:
        times = []
        for _ in range(11):
            session = Session(program, market, home)
            times.append(session.first_frame)
            session.close()
        median, wanted = percentile(times, 0.5), FIRST_FRAME.get(offers)
        name = f"{offers:,} offers in the cache" if offers else "built in"
        yield f"| {name} | {median:.1f} | {wanted} | {met(median, wanted)} |"


def keys(program, markets, home, count, medians):
    yield "| key | offers | median, ms | 99 %, ms | wanted | met |\n|---|---:|---:|---:|---:|---|"
    notes = []
    for offers, market in markets:
        session = Session(program, market, home)
        session.calm()
        wanted = WANTED[offers]
        for name, before, measured, after in SCRIPTS:
            for key in before:
                session.press(key)
            session.settle()
            times = [session.press(measured[at % len(measured)]) for at in range(count)]
            times = [t for t in times if t is not None]
            for key in after:
                session.press(key)
            session.settle()
            middle, late = percentile(times, 0.5), percentile(times, 0.99)
            medians[offers, name] = middle
            both = "yes" if middle <= wanted[0] and late <= wanted[1] else "**no**"
            limits = f"{wanted[0]} / {wanted[1]}"
            yield f"| {name} | {offers:,} | {middle:.2f} | {late:.2f} | {limits} | {both} |"
        resident = session.resident_mb()
        written, switches = session.idle(10)
        notes.append(
            f"- {offers:,} offers: {resident:.0f} MB resident; idle for 10 s: {written} bytes "
            f"written, {switches} wake-ups."
        )
        session.close()
    yield "\n" + "\n".join(notes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("markets", nargs="+", type=Path)
    parser.add_argument("--program", default=str(ROOT / "target/release/haggle"))
    parser.add_argument("--vast")
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--keys", type=int, default=120)
    asked = parser.parse_args()
    markets = [(int(file.stem), file.resolve()) for file in asked.markets]
    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    medians = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        lines = [
            "# How fast it is",
            "",
            "Made by `docs/performance.py`, which drives the release build in a pseudo-terminal of 160 by 48.",
            f"{datetime.date.today()}; {os.cpu_count()} processors ({cpu}), {platform.system()}.",
            f"The program has {os.path.getsize(asked.program) / 1e6:.1f} MB (wanted: at most 8).",
            "",
            "## From the start to the first frame",
            "",
            *first_frames(asked.program, markets, home),
            "",
            "## From a key to the last byte of its frame",
            "",
            "The limit is a frame that asks nothing of the market: what is above it is the work that the",
            "key made.",
            "",
            *keys(asked.program, markets, home, asked.keys, medians),
        ]
        if asked.vast or asked.rows:
            lines += ["", "## Beside others", "", "Whoever has less than haggle's figure is ahead of us.", ""]
        if asked.vast:
            lines += [*peers.lists(asked.program, asked.vast, asked.python, home), ""]
        if asked.rows:
            ours = medians[max(offers for offers, _ in markets), THRESHOLD]
            lines += peers.tables(asked.rows, asked.python, ours)
    (ROOT / "docs/performance.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
