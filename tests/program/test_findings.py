"""The findings: each claim rejects records with the error of a wrong program, and the page says what the data file says."""
import json
import re

from claim_records import ITEMS, check_near_misses, judged, killed, simulated, sweep_of
from elc_records import put
from rollbench import ROOT, call, new_folder

from plots.claims import items, page, readings_findings, verdicts
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.claims.verdicts import CONSTRUCTED, NOT_RUN
from plots.common import methods

FINDING = items.FINDINGS + "/"
ROW = re.compile(r"^(\| .* \| .* \|) [a-z ]+ \| .* \|$", re.M)  # of a table of claims: the last two columns are of records


def fronts(spread, line="free"):
    """Six runs with 100, 400 and 1000 roles, whose fronts are so far apart."""
    top = simulated({np: {"local": [1] * 6} for np in (100, 400, 1000)}, lines=(line,), interval=6)
    (top / "fig6-simulated").rename(top / "fronts-simulated")
    for path in (top / "fronts-simulated").glob("np=*.json"):
        np = int(re.search(r"\d+", path.name)[0])
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace('"method"', f'"recoveries": [{{"fronts": [7, {7 + spread(np)}]}}], "method"'), encoding="utf-8")
    return top


def with_logs(changed=(), equal=True, kernel="jacobi"):
    """A kill each under logs of a part of the messages; changed: {(policy, recompute): iterations computed again}."""
    again = {("none", "rollback"): 27, ("none", "dataflow"): 13, ("all", "rollback"): 3, ("all", "dataflow"): 3,
             ("window:3", "rollback"): 19, ("window:3", "dataflow"): 8, ("budget:50%", "rollback"): 6, ("budget:50%", "dataflow"): 5,
             ("teams:3", "rollback"): 9, ("teams:3", "dataflow"): 7, **dict(changed)}
    found = {}
    for at, ((policy, how), count) in enumerate(again.items()):
        log = {"none": 0, "all": 1000}.get(policy, 500)
        found[f"x{at}"] = killed(policy, 3, 100 + count, recompute=how, log={"bytes_peak": {"max": log}}, equal=equal, kernel=kernel)
    return sweep_of(found, "partial-logs")


def with_sets(rolled, matrix=(2, 3), played=(2,), kernel="jacobi", percent=30, roles=4):
    """So many of four roles die under a cap; the set of role 2 is `rolled`, that of the messages in their order and that of the matrix are others."""
    params = {"grid": "48", "steps": "25", "decomp": "auto"}
    study = {"kernel": {"name": kernel, "from": 10, "to": 20, "params": params}, "np": 4, "caps": [
        {"theta": percent, "strategy": strategy, "matrix": "heaviest", "cap_bytes": 77, "chain": 0, "sets": [[0], [1, 2], [*third], [3]]}
        for strategy, third in (("budget", played), ("heaviest", matrix))]}
    found = {}
    for role, rolled in enumerate(([0], [1, 2], rolled, [3])[:roles]):
        one = killed("budget:77", 20, 100, policy_asked=f"budget:{percent}%", kernel=kernel)
        one["plan"] = [f"{role}@20:checkpoint"]
        one["failures"][0].update(role=role, checkpoint=10, fronts=[20] * 4, rollback_set=rolled, chain=0)
        found[f"x{role}"] = one
    return put(sweep_of(found, "kills"), "kills.study.json", [study])


def coupled(seventy, name="FLASH", file="table2", thirty=0.9):
    """The energy with caps of 70 and 30 %, in the place of 1, with the sets of a study."""
    rows = [{"sockets": sockets, "omega": omega, "relative_energy": of} for sockets in (256000, 512000) for omega, of in ((0.3, thirty), (0.7, seventy))]
    return put(new_folder(), "study/mcml.json", {"coupled": [{"name": name, "np": 256, "file": file, "strategy": "heaviest", "rows": rows}]})


def recovered(repair=0.014, detect=0.006, restore=0.001):
    """Six kills each; seconds until repaired, until detected, and of loading the state. A new job takes 0.6."""
    found = {}
    for i in range(6):
        for policy in ("all", "none"):
            found[f"{policy}-{i}"] = killed(policy, 3, 103)
            found[f"{policy}-{i}"]["failures"][0].update(resume_s=repair + i / 1e4, detect_s=detect + i / 1e4, shrink_s=0.004 + i / 1e4, restore_s=restore,
                                                             restored_s=repair + 2 * restore + i / 1e4)
        found[f"restart-{i}"] = killed("none", 3, 103, strategy="restart", spares=0)
        found[f"restart-{i}"]["failures"][0].update(restored_s=0.6 + i / 1e3)
    return sweep_of(found, "recovery-time")


def near_misses():
    """(reading, finding, which of its claims, records that agree, records with the error of a wrong program)"""
    yield "simulated-spread", "lines", 5, fronts(lambda np: np // 50), fronts(lambda np: 6)
    yield "simulated-spread-most", "lines", 6, *(fronts(lambda np, of=of: of, "barrier") for of in (6, 7))
    yield "work-with-duplicates", "partial-logs", 0, with_logs(), with_logs({("teams:3", "dataflow"): 10})
    yield "work-of-a-mix", "partial-logs", 1, with_logs(), with_logs({("teams:3", "dataflow"): 9})  # half of the bytes, and of 13 and 3 it is 8
    yield "work-of-a-mix", "partial-logs", 2, with_logs(), with_logs({("budget:50%", "dataflow"): 9})
    yield "work-of-a-mix", "partial-logs", 3, *(with_logs({("budget:50%", "dataflow"): of}, kernel="lulesh") for of in (9, 7))
    yield "work-of-a-mix", "partial-logs", 4, with_logs(), with_logs({("window:3", "dataflow"): 7})
    yield "runs-equal", "partial-logs", 5, with_logs(), with_logs(equal=False)
    yield "kills-as-played", "order-of-messages", 0, with_sets([2]), with_sets([2, 3])
    yield "kills-unlike-matrix", "order-of-messages", 1, with_sets([2]), with_sets([2], matrix=[2])
    for of in ([2, 3], [0, 2, 3]):  # alike, and the other way round
        yield "kills-beside-matrix", "order-of-messages", 2, with_sets([2]), with_sets(of, played=of)
        yield "kills-beside-matrix", "order-of-messages", 3, *(with_sets(rolled, of, rolled, "bfs", 70) for rolled in ([0, 1, 2, 3], [2, 3]))
    yield "mcml-coupled", "energy-of-sets", 0, coupled(0.99), coupled(0.99, thirty=0.8)
    yield "mcml-coupled", "energy-of-sets", 1, coupled(0.99), coupled(0.97)
    yield "mcml-coupled", "energy-of-sets", 2, coupled(1.02, "jacobi-256", "study.json"), coupled(0.99, "jacobi-256", "study.json")
    for at in (0, 1):
        yield "restored-of-two", "parts-of-recovery", at, recovered(), recovered(repair=0.2)
    for at in (2, 3, 4, 5):
        yield "recovery-parts", "parts-of-recovery", at, recovered(), recovered(restore=0.02)


def test_near_misses_are_rejected():
    tried = check_near_misses((reading, FINDING + name, *rest) for reading, name, *rest in near_misses())
    assert set(readings_findings.READINGS) <= tried, tried ^ set(readings_findings.READINGS)


def grown(**exponents):
    """What a failure costs, by line: it grows as this power of the roles."""
    top, names = new_folder(), []
    for line, exponent in exponents.items():
        one = simulated({np: {method: [round(10 * np ** exponent) + s for s in range(8)] for method in ("dataflow", "local")} for np in (100, 500, 1000)},
                        lines=(line,), failures=lambda np: 4)
        for path in (one / "fig6-simulated").glob("np=*.json"):
            names.append(path.stem)
            put(top, f"fig6-simulated/{path.name}", json.loads(path.read_text(encoding="utf-8")))
    return put(top, "fig6-simulated/sweep.json", {"schema": "rollbench-simulations-1", "name": "x", "file": "x.yaml", "runs": names})


def test_growth_is_read_of_its_own_line():
    found = {line: judged(grown(**{"barrier": 0, "free": 0, "own": 0, line: 1.3}), FINDING + "lines")[:5] for line in ("barrier", "free", "own")}
    assert found == {"barrier": [DIFFERS, DIFFERS, DIFFERS, DIFFERS, AGREES], "free": [AGREES] * 5, "own": [AGREES, DIFFERS, AGREES, DIFFERS, DIFFERS]}


def test_all_records_of_a_finding_are_needed():
    """Fronts alone were read as costs."""
    top, item = fronts(lambda np: np // 50), items.find(FINDING + "lines", ITEMS)
    assert judged(top, FINDING + "lines") == [NOT_RUN] * 5 + [AGREES, NOT_RUN]
    assert verdicts.state(item, top) == ("not run", f"no fig6-simulated in {top}")
    half = grown(free=1.3)
    (half / "fig6-simulated" / "np=100-line=free.json").unlink()
    (top / "fronts-simulated").rename(half / "fronts-simulated")
    assert verdicts.state(item, half)[0] == "begun", verdicts.state(item, half)


def test_kills_that_are_missing_are_told():
    one = verdicts.judge(items.find(FINDING + "order-of-messages", ITEMS), with_sets([2], roles=3))[0]
    assert one["verdict"] == UNDECIDED and "of roles 3" in one["text"], one


def test_a_mix_needs_its_ends():
    top = with_logs()
    listed = json.loads((top / "partial-logs" / "sweep.json").read_text(encoding="utf-8"))
    listed["runs"].remove("x1")  # no log, data-flow rollback
    put(top, "partial-logs/sweep.json", listed)
    assert judged(top, FINDING + "partial-logs")[1:5] == [NOT_RUN] * 4


def test_the_front_has_what_nothing_beats():
    placed = {("none", "rollback"): (0, 27, 6), ("none", "dataflow"): (0, 13, 6), ("teams:3", "dataflow"): (500, 7, 6), ("budget:50%", "dataflow"): (500, 5, 6),
              ("budget:50%", "rollback"): (510, 6, 6), ("all", "rollback"): (1000, 3, 6), ("all", "dataflow"): (990, 3, 6)}
    assert methods.front(placed) == [(0, 13), (500, 5), (990, 3)]


def test_the_page_is_written_from_the_data():
    """docs/findings.md: texts of plots/papers/findings.yaml, and what records of a make run-all said."""
    text = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
    assert ROW.sub(r"\1", text) == ROW.sub(r"\1", page.written(new_folder())), "write it again: scripts/readme-figures --keep RESULTS"
    found = page.findings()
    judged_there = [row for row in re.findall(r"^\| (.*) \| .* \| ([a-z ]+) \| .* \|$", text, re.M) if row[0] != "claim"]
    assert len(judged_there) == sum(len(item["verdicts"]) for item in found) > 20
    assert {verdict for _, verdict in judged_there} == {AGREES, CONSTRUCTED}, judged_there
    for item in found:
        assert (item["verdicts"] and item["drawings"]) or item["tests"], item["name"]
    for picture in page.pictures():
        assert (ROOT / "docs" / picture).exists(), picture


def test_findings_are_shown_and_not_counted():
    text = call("papers", "show", "findings/lines", "--results", new_folder()).stdout
    assert all(f"\n{word.capitalize()}: " in text for word in items.TOLD) and "status:" not in text, text
    listed = call("papers", "list", "--paper", "findings", "--results", new_folder()).stdout
    assert listed.count("docs/findings.md") == len(page.findings()) and "figures, tables" not in listed, listed
    assert items.FINDINGS not in items.count(ITEMS) and sum(items.count(ITEMS)["all"].values()) == len(items.of_papers(ITEMS))
