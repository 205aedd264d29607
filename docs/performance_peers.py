"""Others at the same work, for docs/performance.py.

The Python packages are looked for beside `--python` (an interpreter with duckdb, polars, visidata,
gpuhunt and vastai installed); what is not there is said to be not there.
"""

import os
import resource
import shutil
import subprocess
from pathlib import Path

KEY = "key0123456789"
# The first hundred of a million rows by what the job costs at so many hours, of those that meet three
# conditions; prints the median of eleven, in milliseconds.
QUERY = """
select id, on_demand_usd_per_hour * 18 / sqrt(gpus) as cost from rows
where vram_gib >= 24 and reliability > 0.95 and download_mbps > 500
order by cost limit 100
"""
DUCKDB = f"""
import duckdb, statistics, sys, time
base = duckdb.connect()
base.execute("set threads to 2; create table rows as select * from read_csv(?)", [sys.argv[1]])
def ask():
    began = time.perf_counter()
    assert len(base.execute('''{QUERY}''').fetchall()) == 100
    return (time.perf_counter() - began) * 1e3
print(statistics.median(ask() for _ in range(11)))
"""
POLARS = """
import polars as pl, statistics, sys, time
rows = pl.read_csv(sys.argv[1], infer_schema_length=None)
def ask():
    began = time.perf_counter()
    cost = pl.col("on_demand_usd_per_hour") * 18 / pl.col("gpus").sqrt()
    met = (pl.col("vram_gib") >= 24) & (pl.col("reliability") > 0.95) & (pl.col("download_mbps") > 500)
    found = rows.lazy().filter(met).select("id", cost=cost).bottom_k(100, by="cost").collect()
    assert len(found) == 100
    return (time.perf_counter() - began) * 1e3
print(statistics.median(ask() for _ in range(11)))
"""
# What its command select-col-regex does, on a sheet that is loaded.
VISIDATA = """
import sys, time
from visidata import vd
vd.options.batch = True
sheet = vd.openSource(sys.argv[1])
if not sheet.rows:
    sheet.reload()
vd.sync()
sheet.cursorVisibleColIndex = next(i for i, c in enumerate(sheet.visibleCols) if c.name == "gpu")
began = time.perf_counter()
sheet.selectByIdx(vd.searchRegex(sheet, regex="4090", columns="cursorCol"))
vd.sync()
assert 0 < sheet.nSelectedRows < len(sheet.rows)
print((time.perf_counter() - began) * 1e3)
"""
# Its own request, sent elsewhere and with a key, so that the answer holds as many offers.
GPUHUNT = """
import requests, sys
from gpuhunt.providers import vastai
def post(url, json, timeout):
    key = {"Authorization": "Bearer " + sys.argv[2]}
    return requests.request("post", url, json={**json, "limit": 20000}, headers=key, timeout=60)
vastai.bundles_url = sys.argv[1] + "/api/v0/bundles/"
vastai.requests = type("Requests", (), {"post": staticmethod(post)})
assert len(vastai.VastAIProvider().get()) > 10000
"""


def processor_time(command, env):
    """Seconds of processor time of a run; None when it failed or is not there."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, env=env, capture_output=True)
    except FileNotFoundError:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent if done.returncode == 0 else None


def lists(program, address, python, home):
    """Listing Vast.ai's market from one local server."""
    yield "| listing Vast.ai's 18,000 offers from a server on this machine | processor time, s |\n|---|---:|"
    env = {**os.environ, "HOME": str(home), "HAGGLE_VAST_URL": address, "VAST_API_KEY": KEY}
    beside = Path(python).parent
    commands = [
        ("haggle list", [program, "list", "--provider", "vast", "--format", "json", "--limit", "100"]),
        (
            "vastai search offers",
            [str(beside / "vastai"), "search", "offers", "--url", address, "--api-key", KEY, "--raw", "--limit", "20000"],
        ),
        ("gpuhunt, its Vast.ai provider", [python, "-c", GPUHUNT, address, KEY]),
    ]
    for name, command in commands:
        times = []
        for _ in range(3):
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
            times.append(processor_time(command, env))
        times = [t for t in times if t is not None]
        yield f"| {name} | {min(times):.2f} |" if times else f"| {name} | not here, or failed |"


def tables(rows, python, ours):
    """A million rows, asked for the first hundred by cost."""
    yield "| a million rows: three conditions, cost, first hundred | ms |\n|---|---:|"
    yield f"| haggle: a condition typed, to the last byte of the frame | {ours:.1f} |"
    for name, script in [("DuckDB, table in memory", DUCKDB), ("Polars, table in memory", POLARS)]:
        yield f"| {name} | {asked(python, script, rows)} |"
    yield f"| VisiData: nothing but a pattern in one column | {asked(python, VISIDATA, rows)} |"


def asked(python, script, rows):
    done = subprocess.run([python, "-c", script, str(rows)], capture_output=True, text=True)
    try:
        return f"{float(done.stdout.split()[-1]):.0f}"
    except (IndexError, ValueError):
        return "not here, or failed"
