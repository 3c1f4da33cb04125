"""Figures of runs under event-logging checkpoints: by size or by the number of processes, what the cost model expects, and what crosses a line."""
import json

from drawing import draw, figures
from elc_records import crossing, lines, put, series

MODEL = {"schema": "rollbench-envelopes-1", "host": {"cpu": "here"},
         "logs": [{"form": form, "kinds": 64, "events": 1000000, "ns": [1000.0]} for form in ("list", "counted")],
         "searches": [{"sent": 300, "received": 225, "ns": [500.0]}]}


def changed(top, change):
    """All records of a sweep, each after a change."""
    for path in (top / "event-logging").glob("*-*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        change(record)
        path.write_text(json.dumps(record), encoding="utf-8")
    return top


def counted(record):
    """2 processes log 1000 and 100 events."""
    is_source = record["protocol"] == "source"
    record.update(log_form=None if is_source else "counted", lines_committed=None if is_source else 4 if "lines" in record["params"] else 0,
                  processes=None if is_source else [{"events": 100}, {"events": 1000}])


def test_the_cost_model_is_drawn_where_its_parameters_were_measured():
    top = changed(lines({("protocol", 800): 1.05, ("checkpoint", 800): 1.2, ("protocol", 1600): 1, ("checkpoint", 1600): 1.1}), counted)
    assert "expected" not in draw("event_logging", top / "event-logging", top / "figures")
    put(top, "envelopes/envelopes.json", MODEL)
    said = draw("event_logging", top / "event-logging", top / "figures")
    n = 1000 / 2 / 5  # of an interval, to one peer
    seconds = 1000 * 1e-6 + 4 * n * (n + 3) / 4 * 500e-9
    assert f"size 800, expected / source: {1 + seconds / 1.0035:.4f} [" in said and "size 1600, expected" in said, (seconds, said)
    assert figures(top / "figures") == ["event-logging"]
    put(top, "envelopes/envelopes.json", {"schema": "rollbench-barrier-1"})
    assert "rollbench envelopes --json" in draw("event_logging", top / "event-logging", top / "figures", expect=1)


def test_options_have_a_panel_each_and_one_size_is_drawn_by_processes():
    of = {(np, 800, (("columns", columns),), "protocol"): 1 + np / 100 for columns in "40" for np in (2, 5)}
    top = series("matmul", of, oversubscribed=True)
    said = draw("event_logging", top / "event-logging", top / "figures").splitlines()
    assert [line.partition(" of ")[0].partition(" [")[0] for line in said[:4]] == [
        f"matmul, columns {columns}, size 800, processes {np}, protocol / source: {1 + np / 100:.4f}" for columns in "04" for np in (2, 5)], said
    assert figures(top / "figures") == ["event-logging"]


def test_what_crosses_a_line():
    top = crossing(75, transit=90)
    said = draw("crossing", top / "crossing", top / "figures")
    assert "messages in transit a line, 4 processes: 18 (18 to 18) of 8" in said and "orphans a line, 16 processes: 75 (" in said, said
    assert "milliseconds of identification a line, 16 processes: 0.01 (" in said, said
    assert figures(top / "figures") == ["crossing"]
    draw("table_lines", top / "crossing", top / "figures")
    row, = [line for line in (top / "figures" / "lines.md").read_text().splitlines() if line.startswith("| neurons, 16 processes")]
    # ten lines in each of eight runs; one of 16 processes is held up for 10 + 0.1 ms, the others for 2 + 0.1
    assert [cell.partition(" [")[0].strip() for cell in row.strip("|").split("|")[1:]] == ["80 of 8 runs", "5", "1.01", "3", "90", "45", "75", "0"], row
    assert "More processes than cores: 4, 16." in (top / "figures" / "lines.md").read_text()
    assert "no program with committed lines" in draw("table_lines", changed(lines({}), counted) / "event-logging", top / "none", expect=1)
    unlike = crossing(75, transit=90)
    for path in (unlike / "crossing").glob("neurons-*-[67].json"):  # lost reports, and another protocol
        record = json.loads(path.read_text(encoding="utf-8"))
        put(unlike, f"crossing/{path.name}", {**record, **({"processes": None} if path.stem.endswith("6") else {"protocol": "tagging"})})
    said = draw("crossing", unlike / "crossing", unlike / "figures")
    assert "neurons, protocol events, orphans a line, 16 processes: 75 (75 to 75) of 6" in said and "neurons, protocol tagging, orphans" in said, said
    assert "several numbers of processes" in draw("crossing", changed(lines({}), counted) / "event-logging", top / "none", expect=1)
