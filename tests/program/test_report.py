"""`rollbench report` and `rollbench watch`: they say what the records say."""
import itertools
import json
import os
import re
import shlex
import subprocess
import time

import pytest

import drawing
from plots.report import data as report_data
from plots.report import watch
from report_results import mixed, new_folder, of_papers, page_of, png, record, recoveries_of, results, tiny
from rollbench import COMMAND, ROOT, call, refuse_all


def check_loads_nothing(page):
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "iframe", "object", "embed", "base"), tag
        for name in ("src", "srcset", "href", "data", "poster", "action"):
            value = attributes.get(name) or ""
            assert value[:5] == "data:" or value[:1] in ("", "#"), (tag, name, value[:80])
    assert not re.search(r"@import|url\(|@font-face", page.style)
    assert any("default-src 'none'" in (a.get("content") or "") for t, a in page.tags if t == "meta")


def check_links(page):
    """Each leads to one place of the page."""
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    led = {attributes["href"][1:] for tag, attributes in page.tags if tag == "a"}
    assert len(ids) == len(set(ids)) and led and led <= set(ids), led - set(ids)


def test_a_report_says_what_the_records_say():
    top = mixed()
    # Drawn by a script that has moved since: the report names its present path.
    png(top / "figures" / "fig6-iterations.png", f"plots/fig6_iterations.py {top}/made-up {top}/figures")
    png(top / "figures" / "of-ones-own.png", "x.py a b")
    page = page_of(top)
    check_loads_nothing(page)
    check_links(page)
    assert page.rows[0] == ["Verdict", "experiment", "run", "how it ended", "message"], "before anything that is said of the runs"
    assert [row[1:3] for row in page.table("Verdict")[1:6]] == [
        ["run-3", "wrong, not equal to the failure-free run"], ["run-4", "hang"], ["run-5", "abort"], ["run-6", "out-of-spares"],
        ["run-7", "unreadable"]], page.table("Verdict")
    assert ["cycles", "7", "no <PMU> here"] in page.table("Verdict"), "what is absent, of how many runs, and why"
    header, row = page.table("Runs and machines")[:2]
    found = dict(zip(header, row))
    assert found == {"experiment": "made-up", "runs": "10", "ok": "3", "wrong": "1", "hang": "1",
                     "abort": "1", "out-of-spares": "1", "not equal to the failure-free run": "1",
                     "escalated": "0", "unreadable": "1", "not run": "2"}, found
    text = "".join(page.text)
    assert page.summary == "bad"
    for words in ("3 of 10 runs are ok, 5 are not, 2 were not made.", "another <state>", "no end within 60 s", "no <PMU> here",
                  "no counter", "A & B", "abc123", "--kill 2@9:send", "run-7",
                  f"./rollbench sweep made-up.yaml --results {top}/made-up",
                  f"python3 plots/figures/fig6_iterations.py {top}/made-up {top}/figures"):
        assert words in text, words
    figures = [a for t, a in page.tags if t == "img"]
    assert len(figures) == 3, len(figures)  # the two above, and the machine
    assert all(a["src"].startswith("data:image/png;base64,") and a["alt"] for a in figures)
    assert text.count("docs/statistics.md") == 2, "each figure, captioned or not, cites the page on statistics"
    rows = [row for row in recoveries_of(page) if row[0].startswith("local")]
    # runs, not ok or not equal, technique failed, escalated, no role died, repeated, back, ms
    assert rows[0][1:9] == ["2", "2", "0", "0", "0", "7", "1", "4"], rows


@pytest.mark.long
def test_figures_of_two_experiments_do_not_hide_each_other():
    """As the paper profile leaves them; each that is older than its own records is marked as such."""
    top = results([record("none"), record("all", "2@7:send")], planned=2)
    for folder, script in (("one", "fig6_iterations"), ("two", "fig6_iterations"),
                           ("made-up", "fig6_iterations")):
        png(top / "figures" / folder / "fig6-iterations.png",
            f"plots/figures/{script}.py {top}/{folder} {top}/figures/{folder}")
        (top / "figures" / folder / "active.md").write_text(f"| run |\n|---|\n| of {folder} |\n")
    (top / "figures" / "compare.md").write_text("## A problem\n\n| strategy |\n|---|\n| theirs |\n")
    os.utime(top / "figures" / "made-up" / "fig6-iterations.png", (1, 1))
    page = page_of(top)
    text = "".join(page.text)
    for folder in ("one", "two", "made-up"):
        for words in (f"{folder}: Iterations executed, by failing iteration", f"of {folder}",
                      f"plots/figures/fig6_iterations.py {top}/{folder} {top}/figures/{folder}",
                      f"./rollbench explain --record {top}/{folder} --json >{top}/{folder}.explained.json",
                      f"plots/tables/table_active.py {top}/{folder} {top}/figures/{folder}"):
            assert words in text, words
    assert "Strategies compared" in text and "theirs" in text
    assert len([t for t, _ in page.tags if t == "img"]) == 4, "three, and the machine"
    assert text.count("Not up to date") == 1 and "newest record of made-up" in text


@pytest.mark.long
def test_right_runs_without_a_dead_role_are_not_called_bad():
    page = page_of(results([record("none"), record("all", "2@7:send"),
                            {**record("all", "spare0@7:send"), "failures": []}], planned=3))
    rows = [row for row in recoveries_of(page) if row[0].startswith("local")]
    assert rows[0][1:6] == ["1", "0", "0", "0", "1"], rows
    assert row_of_escalated() == ["1", "0", "0", "1", "0"]


def row_of_escalated():
    """A good run and an escalated one: it is reported, and its times are no samples."""
    page = page_of(results([record("none"), record("all", "2@7:send"),
                            {**record("all", "2@8:send"), "escalations": 1}], planned=3))
    header, row = page.table("Runs and machines")[:2]
    assert dict(zip(header, row))["escalated"] == "1", row
    return next(row[1:6] for row in recoveries_of(page) if row[0].startswith("local"))


def test_negative_controls_are_counted_apart():
    """Those that end wrong are no bad runs; one that does not is named."""
    control = {**record("all", "2@7:send", "wrong", False), "control": "replay"}
    alone = {**control, "message": "there is no failure-free run to compare with"}
    page = page_of(results([record("none"), control, {**record("all", "2@8:send"), "control": "replay"}, alone], planned=4))
    rows = page.table("Runs and machines")
    assert ["made-up", "jacobi", "replay", "3", "1", "2"] in rows, rows
    text = "".join(page.text)
    assert "run-2: ok, but a negative control must end wrong." in text
    assert "All of 1 runs are ok. 2 of 3 negative controls did not end as they must." in text
    assert [row[1:] for row in page.table("Verdict") if row[0] == "made-up"] == [
        ["run-2", "ok", "a negative control must end wrong, against a failure-free run"],
        ["run-3", "wrong", "a negative control must end wrong, against a failure-free run: there is no failure-free run to compare with"]]
    assert page.summary == "bad"


def test_all_runs_ok_is_said_in_one_line():
    page = page_of(results([record("none"), record("all", "2@7:send")], planned=2))
    text = "".join(page.text)
    assert "All of 2 runs are ok." in text and "Runs that are not ok" not in text and page.summary == "good"
    assert "Nothing is drawn" in text, "no figures here"


def test_a_run_that_is_ok_and_not_equal_is_not_ok():
    page = page_of(results([record("none"), record("all", "2@7:send", equal=False), record("none", "2@8:send"), record("all", "2@8:send")], planned=4))
    assert "3 of 4 runs are ok, 1 are not." in "".join(page.text) and page.summary == "bad"
    assert [row[1:3] for row in page.table("Verdict") if row[0] == "made-up"] == [["run-1", "ok, not equal to the failure-free run"]]


def test_the_machine_has_its_frequencies_or_the_reason():
    one = record("none")
    host = {**one["host"], "frequency": {"least_hz": 1.2e9, "most_hz": 3.5e9, "reason": None},
            "clock_modulation": {"least": None, "most": None, "reason": "no flag 'acpi'"}}
    rows = dict(row for row in page_of(results([{**one, "host": host}], planned=1)).table("Runs and machines") if len(row) == 2)
    assert rows["frequencies"] == "1.2 to 3.5 GHz" and rows["clock modulation"] == "no flag 'acpi'", rows
    rows = dict(row for row in page_of(results([one], planned=1)).table("Runs and machines") if len(row) == 2)
    assert rows["frequencies"] == rows["clock modulation"] == "unknown", rows


def test_a_report_reads_each_record_once():
    """So that tens of thousands of them take a minute. The verdicts of this sweep, which the papers' items ask about, need what the report needs."""
    top = results([record("none"), record("all", "2@7:send")], planned=2)
    (top / "made-up").rename(top / "run-all")
    count = ("import collections, pathlib, sys; from plots.report import contents, data; opened = collections.Counter()\n"
             "def hook(event, args):\n"
             "    if event == 'open' and '/run-all/run-' in str(args[0]):\n"
             "        opened[pathlib.Path(args[0]).name] += 1\n"
             "sys.addaudithook(hook)")
    ask = ("(lambda top: [len(contents.Report(top, data.experiments(top), {}, None).items) > 20, sorted(opened.items())])(pathlib.Path(records))")
    assert drawing.ask(ask, str(top), count) == [True, [["run-0.json", 1], ["run-1.json", 1]]]


def test_many_records_fit_into_memory():
    """No trace and no measures of roles is kept, and what is equal in all records, such as the host, once."""
    top = results([record("none", trace={"spans": [1] * 100}), record("all", "2@7:send")], planned=2)
    for path in (top / "made-up").glob("run-*.json"):
        one = json.loads(path.read_text())
        path.write_text(json.dumps({**one, "roles": [{**role, "phases": {"total_s": 1}} for role in one["roles"]]}))
    a, b = report_data.experiments(top)[0].records
    assert a["host"] is b["host"] and a["roles"] is b["roles"] and "trace" not in a and a["plan"] != b["plan"]
    assert a["roles"][1] == {"role": 1, "host": "node1", "binding": "1"}


def test_a_run_on_hosts_is_repeated_on_hosts():
    """The command must not start it on this machine alone."""
    page = page_of(results([record("none", hosts=["n1", "n2"]),
                            record("all", "2@7:send", "hang", hosts=["n1", "n2"])], planned=2))
    text = "".join(page.text)
    assert "--hostfile FILE --kill 2@7:send" in text and "It ran on the hosts n1, n2." in text, text
    plain = drawing.ask("data.command(records)", record("none"), "from plots.report import data")
    assert "hostfile" not in plain, plain


def test_all_of_it_again_is_what_was_run():
    again = ("import pathlib; from types import SimpleNamespace as S; from plots.report.runs import again; "
             "of = lambda where, *names: list(again(pathlib.Path(where), "
             "[S(name=n, config=None) for n in names]))[1].lines")
    lines = drawing.ask("[of('results', 'power'), of('results/paper', 'power-log-n-roll-fig6-small'), "
                        "of('else where', 'power'), of('x', 'message-logging-kernels-fig8')]", {}, again)
    assert lines == [["make run-all", "./rollbench report"],
                     ["make run-all PROFILE=paper", "./rollbench report --results results/paper"],
                     ["scripts/with-env scripts/run-all 'else where'", "./rollbench report --results 'else where'"],
                     ["scripts/with-env env PROFILE=paper scripts/run-all x", "./rollbench report --results x"]], lines


def test_captions_assert_no_results():
    """Only records say what a figure shows. Every figure of the paper profile names its paper."""
    captions = drawing.ask("[captions.CAPTIONS, [captions.caption_of(*key) for key in captions.FOLDERS], "
                           "[list(key) for key in captions.FOLDERS], captions.PAPERS]", {}, "from plots.report import captions")
    for name, caption in captions[0].items():
        words = set(re.findall(r"[a-z]+", caption.get("alt", "").lower()))
        assert not words & {"far", "hardly", "close", "longer", "longest", "larger", "fewer", "less", "rise", "rises",
                            "jump", "steeply", "slightly", "fully", "busy", "lie", "lies", "peak"}, name
    run_all = (ROOT / "scripts" / "run-all").read_text(encoding="utf-8")
    for caption, (folder, _) in zip(*captions[1:3]):
        assert caption["paper"][0] in captions[3] and folder.startswith(caption["paper"][0]), caption
        assert re.search(rf"experiment {folder} .*{caption['script']}", run_all), caption


def test_a_chapter_has_the_verdicts_and_the_figures_of_its_paper():
    page = page_of(of_papers())
    check_links(page)
    rows = page.table("Paper: data-flow-rollback")
    assert rows[0] == ["item", "claim, and the rule that judges it", "verdict", "what the records say"], rows[0]
    claims, kept = [row for row in rows[1:] if len(row) == 4], [row for row in rows if len(row) == 5]
    assert ["Eq. 7 (eq7)", "13 and 1300 J/s. Rule: near (relative 0.05)", "agrees", "2 cases (agrees: 2); 10000 processes: 12.68, the paper's 13; "
            "100000 processes: 1268, the paper's 1300"] in claims, claims
    first = next(row for row in page.table("Verdict") if row[0] == "data-flow-rollback")
    assert first[5:] == [str(sum(claim[2] == verdict for claim in claims)) for verdict in (
        "agrees", "differs", "not decidable here", "by construction", "not run")] and first[5] != "0", first
    eq7 = next(row for row in kept if "(eq7)" in row[0])
    assert eq7[1] == "yes, verdict" and eq7[4].endswith("Drawn: What data-flow rollback saves, by the paper's model"), eq7
    assert [section for section, _ in page.pictures] == ["Findings that no paper has", "Paper: data-flow-rollback", "Runs and machines"], page.pictures
    assert len([row for row in page.table("Findings that no paper has") if row[1:2] == ["not run"]]) > 5, "all findings are told, with what is missing"
    assert len(page.folds) == 7 and not any("open" in fold for fold in page.folds), "two figures, all items of the paper, and four of the runs"


def link(text, anchor):
    return f"\ue000{text}\ue001{anchor}\ue002"


def test_without_reportlab_there_is_a_page_and_the_reason_why_there_is_no_pdf():
    top, without = results([record("none")], planned=1), new_folder()
    (without / "reportlab.py").write_text("raise ImportError\n")
    done = call("report", "--results", top, env={**os.environ, "PYTHONPATH": str(without)})
    assert done.returncode == 0 and "report: no report.pdf: no python3 here has reportlab; install python3-reportlab" in done.stdout, done
    assert sorted(path.name for path in (top / "report").iterdir()) == ["machine.png", "report.html"], done


def item(paper, name, *verdicts, status="yes", state="run"):
    return {"paper": paper, "id": name, "title": f"Title of {name}", "status": status, "state": state, "judged": [{"verdict": one} for one in verdicts]}


def test_the_first_page_counts_verdicts_and_names_findings_that_records_could_contradict():
    mine = [item("power-log-n-roll", "fig3", "agrees", "differs", "differs"), item("power-log-n-roll", "fig4", "not run", status="no", state="not run"),
            item("data-flow-rollback", "eq3", "by construction", "not decidable here", status="partly", state="prints"),
            item("findings", "defined", "by construction"), item("findings", "never-run", "not run"), item("findings", "tested"),
            *(item("findings", f"found-{i}", "agrees", *["differs"] * (i == 6)) for i in range(7))]
    papers, findings = drawing.ask("[[[str(cell) for cell in row] for row in table.rows] for table in "
                                   "[*overview.of_papers(records), list(overview.of_findings(records))[1]]]", mine,
                                   "from plots.report import overview")
    assert papers == [[link("power-log-n-roll", "paper-power-log-n-roll"), "1", "0", "1", "1", "1", "2", "0", "0", "1"],
                      [link("data-flow-rollback", "paper-data-flow-rollback"), "0", "1", "0", "0", "0", "0", "1", "1", "0"],
                      ["all", "1", "1", "1", "1", "1", "2", "1", "1", "1"]], papers
    assert findings == [[link(f"Title of found-{i}", f"finding-found-{i}"), "1", str(int(i == 6)), "0", "0", "0"] for i in (6, 0, 1, 2, 3)] + [
        ["all findings", "7", "1", "0", "1", "1"]], findings
    marks = drawing.ask("[cell.mark for cell in list(overview.of_papers(records))[0].rows[0][5:7]]", mine, "from plots.report import overview")
    assert marks == ["good", "bad"], marks


def test_the_first_page_shows_ten_bad_runs_and_says_how_many_there_are():
    page = page_of(results([record("all", f"2@{i}:send", "hang", message=f"m{i}") for i in range(12)], planned=12))
    assert len([row for row in page.table("Verdict") if row[0] == "made-up"]) == 10
    assert "the first 10 of 12" in "".join(page.text) and "--kill 2@11:send" in "".join(page.text)


def test_texts_of_records_make_no_links():
    found = drawing.ask("[[b.inline(text, r'<\\1>', lambda words, to: f'({words}:{to})'), b.plain(text)] for text in records]",
                        ["boom [see](#nowhere) m[0](#1) `a [b](#c)`", link("half [open `x`", "to") + " & <b>"], "from plots.report import blocks as b")
    assert found == [["boom [see](#nowhere) m[0](#1) <a [b](#c)>", "boom [see](#nowhere) m[0](#1) a [b](#c)"],
                     ["(half [open <x>:to) &amp; &lt;b&gt;", "half [open x & <b>"]], found


def test_anchors_of_drawings_are_all_different():
    odd = [["a", "b-c"], ["a-b", "c"], ["a b", "c"], ["a_b", "c"], ["a_20_b", "c"], ["", "a/b"], ["\u00e9", "c"]]
    found = drawing.ask("[drawings.anchor(data.Drawing(*one, None, None)) for one in records]", odd, "from plots.report import data, drawings")
    assert len(set(found)) == len(odd) and all(re.fullmatch("[A-Za-z0-9/_-]+", one) for one in found), found


def test_reasons_of_the_first_page_are_not_told_again():
    asked = ("papers.shorter(records[0], SimpleNamespace(absent={('a', why): 1 for why in records[1]}))", "a core; " + "why " * 9 + "and remedy, too")
    whys = ["core", "why " * 9, "why " * 9 + "and remedy"]
    text = drawing.ask(asked[0], [asked[1], whys], "from types import SimpleNamespace; from plots.report import papers")
    assert text == f"a core; {link('see what is absent', 'absent')}, too", text


PDF = """import pathlib
from reportlab.platypus import LongTable, Paragraph, Preformatted
from plots.report import blocks as b, pdf
def found(records):
    return [b.Heading('One', anchor='first'), table(['a', 'b'], [['1', b.marked('bad', records[0])]]),
            b.Fold('Details', [b.Text('x1'), table(['c2'], [['`d3`']]), b.Code('Do4', ['x5' * 40])]),
            b.Heading('Two & a half', anchor='last'), b.Heading('Three', 3), b.Picture(pathlib.Path(records[1]), 'dot', 'A dot'),
            b.Fold('More', [b.Text('y6')]), b.Terms([('Term', 'Text')])]
def table(header, rows):
    return b.Table("Of " + b.link("a chapter", "last") + " & " + b.link("nothing", "nowhere"), header, rows)
def pages(records):
    parts = "A <title>", "From `here`", "All is well.", True, found(records)
    written, count, places = pdf.document(*parts)
    assert written.startswith(b"%PDF-") and written == pdf.document(*parts)[0]
    return [count, places]
def texts(parts):
    for part in parts:
        if isinstance(part, Paragraph):
            yield part.getPlainText()
        elif isinstance(part, Preformatted):
            yield from part.lines
        elif isinstance(part, LongTable):
            yield from (cell.getPlainText() for row in part._cellvalues for cell in row)
def said(records):
    story = pdf.Story({"last": 7, "fold-1": 8, "fold-2": 9}, True)
    story.add(found(records))
    story.appendix()
    return list(texts(story.parts))
def last_links(tries, moved, records):  # how the last of the stories sets a link; moved: the first count is wrong
    stories, build = [], pdf.build
    def counted(*parts):
        stories.append(parts[-1])
        written, built = build(*parts)
        if moved and len(stories) == 1:
            built.places["last"] += 1
        return written, built
    pdf.TRIES, pdf.build = tries, counted
    pdf.document("A", "B", "C", True, found(records))
    pdf.build = build
    return [len(stories), stories[-1].link("x", "last"), stories[-1].link("x", "nowhere")]
def widths(rows):
    cells = pdf.Story(None, True).cells(table(['a'] * len(rows[0]), rows), 7.5)
    return [pdf.columns(cells, pdf.least(cells)), [max(c.minWidth() for c in column) + 2 * pdf.PADDING for column in zip(*cells)], pdf.INSIDE]
pdf.fonts()"""


def test_a_pdf_has_chapters_on_pages_of_their_own_and_folds_in_its_appendix():
    dot = new_folder() / "dot.png"
    png(dot, "x.py a b")
    long = f"\0\033[2J \u6f22 \U0001f389 {link('tall', 'last')} <word> " * 500  # as records of other people may have it
    count, places = drawing.ask("pages(records)", [long, str(dot)], PDF)
    assert places["first"] == 1 < 3 <= places["last"], places  # a cell that is taller than a page goes on behind it
    assert places["last"] < places["appendix"] == places["fold-1"] <= places["fold-2"] <= count, (places, count)
    said = drawing.ask("said(records)", ["<b>", str(dot)], PDF)
    caption = "Of a chapter (p. 7) & nothing"
    assert said[:9] == ["One", caption, "a", "b", "1", "<b>", "Details: appendix A1 (p. 8)", "Two & a half", "Three"], said
    assert said[9:13] == ["A dot", "More: appendix A2 (p. 9)", "Term. Text", "Appendix: numbers, commands and tables to look up"], said
    assert said[13:] == ["A1. One: Details", "x1", caption, "c2", "d3", "Do4:", "x5" * 40, "A2. Three: More", "y6"], said
    to = '<a href="#last" color="#2f5fa8">x</a>'
    tried = drawing.ask("[last_links(5, False, records), last_links(5, True, records), last_links(1, True, records)]", ["<b>", str(dot)], PDF)
    assert tried == [[2, f"{to} (p. 2)", "x"], [3, f"{to} (p. 2)", "x"], [3, to, "x"]], "no page rather than a wrong one"


def test_tables_of_a_pdf_break_no_words():
    """Each column has room for its words, whatever stands in the others, and the page for all columns."""
    texts = [["on", "two and three"], ["x" * 30, "y"], ["word " * 300, ""], ["12.3 [11.2, 13.4]", "`accumulated-log`"], ["/a/path" * 40, "n"]]
    tables = [list(zip(*choice)) for choice in itertools.product(texts, repeat=3)]
    found = drawing.ask("[widths(rows) for rows in records]", [*tables, [["a" * 60] * 12]], PDF)
    for (wide, need, inside), rows in zip(found, tables):
        assert sum(wide) <= inside + 0.01 and all(w >= min(n, inside / 3) - 0.01 for w, n in zip(wide, need)), (rows, wide, need)
    wide, need, inside = found[-1]  # nothing fits: what there is, is shared
    assert abs(sum(wide) - inside) < 0.01 < sum(need) - inside, (wide, need)


RUN_ALL = ROOT / "scripts" / "run-all"


def laptop():
    """The words of each line of this profile."""
    return [line.split() for line in RUN_ALL.read_text(encoding="utf-8").partition("\nlaptop() {\n")[2].partition("\n}")[0].splitlines()]


def test_the_time_left_is_known_of_each_step():
    """From the first to the last, whatever order they are in."""
    text = RUN_ALL.read_text(encoding="utf-8")
    known = re.findall(r"([\w-]+):\d+", text[text.index("steps="):text.index("began=")])
    called = [words[1] if words[0] in ("experiment", "simulated") else words[0] for words in laptop() if words[0] != "patterns"]
    assert known == [*called, "report"], (known, called)


@pytest.mark.long
def test_nothing_is_drawn_of_a_sweep_that_was_refused():
    place = new_folder()
    (place / "results").mkdir()
    fake = place / "rollbench"
    experiments = [words[0] for words in laptop()].count("experiment")
    for code, words in ((2, "not drawn: its sweep ended with exit status 2"), (6, "not drawn yet")):
        fake.write_text(f'#!/bin/sh\n[ "$1" = sweep ] && exit {code}\n[ "$1" != barrier ]\n')
        fake.chmod(0o755)
        done = subprocess.run([RUN_ALL, place / "results"], capture_output=True, text=True,
                              env={**os.environ, "ROLLBENCH_BIN_DIR": str(place), "PROFILE": "laptop"})
        said = done.stdout + done.stderr
        assert done.returncode != 0 and said.count(words) == experiments > 10, said
        assert "Traceback" not in said and not (place / "results" / "figures").exists(), said


def test_nothing_to_report():
    empty, hollow, broken = new_folder(), results([], planned=3), new_folder()
    (broken / "sweep.json").write_text('{"runs": 3}')
    refuse_all(("report", "--results", empty, (empty, "no records", "make run-all")),
               ("report", "--results", hollow, (hollow, "no records")),
               ("report", "--results", broken, (broken / "sweep.json", "run the sweep again")),
               ("report", "--results", empty / "not-there", ("no such folder",)),
               ("report", "--colour", ("--colour",)))
    done = call("report", env={**os.environ, "ROLLBENCH_SHARE": str(empty)})
    assert done.returncode == 2 and "ROLLBENCH_SHARE" in done.stderr, done


def test_watch_counts_what_is_there():
    top = mixed()
    done = call("watch", "--once", top / "made-up")
    assert done.returncode == 0 and not done.stderr, done
    for words in ("made-up: stopped", "8 of 10 runs",
                  "3 ok, 1 wrong, 1 hang, 1 abort, 1 out-of-spares, 1 unreadable; 1 not equal",
                  "jacobi np 4, none, 2@7:start", "by failing iteration"):
        assert words in done.stdout, (words, done.stdout)
    lines = done.stdout.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, done.stdout
    refuse_all(("watch", top, (top, "no sweep.json")),
               ("watch", "--every", "0", top / "made-up", ("--every",)))


def test_the_points_that_watch_shows():
    """By hand: where several ways meet there is a star; one point alone has a place, too."""
    assert watch.scatter({"all": [(3, 0.1), (7, 0.3)], "none": [(5, 0.2), (7, 0.3)]}, 27, 5) == [
        "      0.3 |        * A all", "          |    B     B none", "      0.1 |A        ", "          +---------", "           3       7"]
    assert watch.scatter({"all": [(3, 0.1)]}, 26, 5) == [
        "      0.1 |          A all", "          |    A    ", "      0.1 |         ", "          +---------", "           3"]


def test_watch_obeys_no_record():
    """Results may come from anyone, so they must not control the terminal or start a program."""
    mark = new_folder() / "mark"
    evil = f"all' ; system 'touch {mark}' #"
    one = record("all", "2@7:send")
    top = results([{**one, "policy": evil}, {**one, "policy": "none", "power": evil}, one,
                   {**one, "loop_s": f"0.2\ne\ne\ne\nsystem 'touch {mark}'"}, {**one, "failures": [one]},
                   *[one] * 5, {**one, "status": "hang", "message": "\033[2Jaway\r\u202eback\u009b"}],
                  planned=12)
    manifest = top / "made-up" / "sweep.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "name": "\033]0;theirs\007"}))
    done = call("watch", "--once", top / "made-up")
    assert done.returncode == 0 and not done.stderr, done
    assert "by failing iteration" in done.stdout and "allsystemtouch" in done.stdout, done.stdout
    assert "2 unreadable" in done.stdout and "[2Jaway" in done.stdout, done.stdout
    assert all(c.isprintable() or c == "\n" for c in done.stdout), ascii(done.stdout)
    assert not mark.exists()


@pytest.mark.long
def test_a_running_sweep_is_watched_and_reported():
    top = new_folder()
    sweep = subprocess.Popen([*COMMAND, *tiny(top)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True)
    try:
        seen = ""
        while sweep.poll() is None and "tiny: running" not in seen:
            seen = call("watch", top / "tiny").stdout
            time.sleep(0.05)
        output, _ = sweep.communicate(timeout=100)
    finally:
        sweep.kill()
    assert "tiny: running" in seen and "of 6 runs" in seen, seen
    assert sweep.returncode == 0, output
    seen = call("watch", top / "tiny").stdout
    assert "tiny: finished" in seen and "6 of 6 runs" in seen and "6 ok, 0 wrong" in seen, seen
    assert "All of 6 runs are ok." in "".join(page_of(top).text)
    repeat(top / "tiny")


def repeat(where):
    """The command that the report gives for a record repeats it, bit for bit."""
    path = next(p for p in sorted(where.glob("*.json")) if "1@13" in p.name)
    asked = subprocess.run(
        ["python3", "-c", "import json, sys; sys.path.insert(0, sys.argv[1]); from plots.report import data; "
         "print(data.command(json.load(open(sys.argv[2]))))", ROOT, path],
        capture_output=True, text=True, check=True).stdout
    words = shlex.split(asked)
    assert words[0] == "./rollbench", words
    done = call(*words[1:])
    first, second = json.loads(path.read_text()), json.loads(done.stdout)
    for key in ("state_hash", "params", "plan", "policy", "spares", "ckpt", "ckpt_lag", "interval"):
        assert first[key] == second[key], key
