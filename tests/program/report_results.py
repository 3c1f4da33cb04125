"""Folders of results for tests of the report: made by hand, and by a quick sweep."""
import html.parser
import json
import struct
import zlib

from rollbench import call, new_folder

VOID = {"meta", "img", "input", "br", "hr", "link", "base", "source", "embed"}
SWEEP = """name: tiny
deadline: 60
runs:
  - kernel: jacobi
    grid: 48
    steps: 25
    np: 4
    interval: 10
    ckpt_lag: sync
    policy: [none, all]
    kill:
      roles: [1]
      iterations: 13,17
      phases: [start]
"""


def png(path, source):
    """One white dot, with the command that drew it, as plots/common/drawing.py leaves figures."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
                     + chunk(b"tEXt", b"Source\0" + source.encode())
                     + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b""))


def record(policy, kill=None, status="ok", equal=True, **more):
    """Numbers are chosen, not measured."""
    failure = {"role": 2, "iteration": 7, "rollback_set": [2], "active": [1, 3], "blocked": [0],
               "detect_s": 0.004, "repair_s": 0.002, "restore_s": 0.001, "replay_s": 0.003,
               "catchup_s": 0.02, "resume_s": 0.006, "restored_s": 0.007}
    return {"schema": "rollbench-run-1", "status": status, "kernel": "jacobi",
            "params": {"grid": "48", "steps": "25", "decomp": "auto"}, "np": 4,
            "spares": int(bool(kill)), "policy": policy, "interval": 10, "ckpt_lag": "sync",
            "plan": [kill] if kill else [], "failures": [failure] if kill else [],
            "iterations": {"useful": 100, "executed": 107, "repeated": 7, "aborted": 1},
            "roles": [{"role": r, "host": "node1", "binding": str(r % 2)} for r in range(4)],
            "loop_s": 0.2, "wall_s": 0.9, "oversubscribed": True, "deadline_s": 60.0,
            "meters": {"detail": "phases", "cycles": "no <PMU> here", "instructions": None,
                       "energy": {"source": None, "reason": "no counter"}},
            "host": {"hostname": "node1", "cpu": "A & B", "cores": 2, "pus": 2, "commit": "abc123"},
            **({"compared": {"reference": "run-0", "equal": equal}} if kill else {}), **more}


def results(records, planned):
    """A folder with one experiment, its records made a second apart."""
    top = new_folder()
    (top / "made-up").mkdir()
    for i, one in enumerate(records):
        text = one if isinstance(one, str) else json.dumps(
            {"id": f"run-{i}", "finished_at": f"2026-01-02T03:04:{i:02}Z", **one})
        (top / "made-up" / f"run-{i}.json").write_text(text)
    (top / "made-up" / "sweep.json").write_text(json.dumps(
        {"name": "made-up", "runs": [f"run-{i}" for i in range(planned)]}))
    return top


def mixed(*more):
    return results([record("none"), record("all", "2@7:send"), record("all", "2@8:send"),
                    record("all", "2@9:send", "wrong", False, message="another <state>"),
                    record("all", "2@9:start", "hang", message="no end within 60 s"),
                    record("window:5", "2@7:start", "abort"), record("none", "2@7:start", "out-of-spares"),
                    "{ half a rec", *more], planned=10)


def of_papers():
    """With the records and the drawing of a paper and of a finding."""
    top = results([record("none"), record("all", "2@7:send")], planned=2)
    (top / "dataflow-model").mkdir()
    (top / "dataflow-model" / "model.json").write_text(call("model", "dataflow", "--json").stdout)
    (top / "forecasts.json").write_text("{}")
    for name in ("dataflow-saving", "reduction-shapes"):
        png(top / "figures" / f"{name}.png", "x.py a b")
    return top


def tiny(top):
    """The arguments of a sweep of 6 quick runs, which all succeed, into the folder `tiny` there."""
    (top / "tiny.yaml").write_text(SWEEP)
    return ["sweep", top / "tiny.yaml", "--results", top / "tiny"]


def report_of(top):
    """The page that `rollbench report` makes."""
    done = call("report", "--results", top)
    assert done.returncode == 0, done
    assert f"{top}/report/report.html" in done.stdout, done.stdout
    return (top / "report" / "report.html").read_text(encoding="utf-8")


class Page(html.parser.HTMLParser):
    """Fails on tags that do not match; keeps what the tests ask for."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.style, self.text = [], [], "", []
        self.summary = None  # "good" or "bad"
        self.pictures, self.folds = [], []  # (section's heading, alternative text); attributes of what is folded away
        self.rows = []  # [section's heading, cells] of every table row
        self.section = ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        marks = (dict(attrs).get("class") or "").split()
        if "summary" in marks:
            self.summary = marks[-1]
        if tag == "img":
            self.pictures.append((self.section, dict(attrs)["alt"]))
        if tag == "details":
            self.folds.append(dict(attrs))
        if tag == "tr":
            self.rows.append([self.section])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            self.style += data
            return
        self.text.append(data)
        if self.open and self.open[-1] == "h2":
            self.section = data
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def table(self, section):
        return [row[1:] for row in self.rows if row[0] == section]


def recoveries_of(page):
    """The rows of its tables of recoveries, which have a column for each part of one."""
    rows = [row for row in page.table("Runs and machines") if len(row) == 14]
    return [row for row in rows if row[0] != "recovered by"]


def page_of(top):
    page = Page(report_of(top))
    assert (top / "report" / "report.pdf").read_bytes().startswith(b"%PDF-")
    return page
