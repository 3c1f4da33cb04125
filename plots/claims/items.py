"""The items of the five papers: figures, tables, equations, algorithms and numbers, and what was found beyond them, as
plots/papers/*.yaml has them.

docs/papers.md says what the keys are. A file that lacks something is refused with the item's name.
"""
import difflib
import json
import shlex

from plots.common.command import Refused
from plots.common.program import ROOT

FOLDER = ROOT / "plots" / "papers"
PAPERS = ("message-logging-kernels", "power-log-n-roll", "memory-constrained-logging", "data-flow-rollback",
          "event-logging-checkpoint")  # in this order everywhere
FINDINGS = "findings"  # no paper has them; counts are of the papers
KINDS = ("figure", "table", "equation", "algorithm", "claim")
STATUSES = ("yes", "partly", "no")
EVIDENCE = ("verdict", "test", "shown")
WHYS = ("hardware", "licence", "size", "substitute", "literature", "not built yet")
PROFILES = ("laptop", "paper")
NEEDS = ("energy", "dvfs", "cm", "cycles", "wattmeter")  # of a machine, as records of `rollbench barrier` call what is absent
NEEDED = {"id", "title", "kind", "place", "shows", "status"}
KEYS = NEEDED | {"differs", "why", "reason", "commands", "read", "tests", "drawings", "records", "needs", "numbers",
                 "numbers_in", "verdicts", "asks", "notes"}
TOLD = ("question", "experiment", "answer", "limits")  # of a finding
FINDING_KEYS = {"id", "title", *TOLD, "commands", "read", "tests", "drawings", "records", "verdicts", "asks"}


class Item(dict):
    """One of them, with all keys. "name" is PAPER/ID."""

    def commands_of(self, profile, results):
        """Command lines, as they are typed in the checkout."""
        return [line.replace("{results}", shlex.quote(str(results))) for line in self["commands"].get(profile, [])]

    def folders(self):
        """What its records are, as lists of names of which one is enough: of a paper the profiles' own, of a finding all that it names."""
        return [[name] for name in self["records"]] if self["paper"] == FINDINGS else [self["records"]]

    def evidence(self):
        """What speaks for the item: "verdict", a rule that records can contradict; "test" of `make test`; "shown", something to look at."""
        judged = any(claim["of"] != "not-measured" and "construction" not in claim for claim in self["verdicts"])
        return "verdict" if judged else "test" if self["tests"] else "shown"


def _check(name, raw, needed, known):
    def wrong(what):
        raise Refused(f"plots/papers: {name}: {what}")

    if not needed <= raw.keys() or raw.keys() - known:
        wrong(f"lacks {sorted(needed - raw.keys())}, does not know {sorted(raw.keys() - known)}")
    if "status" in needed:
        if raw["kind"] not in KINDS or raw["status"] not in STATUSES:
            wrong(f"kind {raw['kind']}, status {raw['status']}")
        if raw["status"] != "yes" and (raw.get("why") not in WHYS or not raw.get("reason")):
            wrong(f"status {raw['status']} without why ({', '.join(WHYS)}) and reason")
    if raw.get("status") != "no" and not (raw.get("commands") or raw.get("read") or raw.get("tests")):
        wrong("no command, test or page shows it")
    if set(raw.get("needs", [])) - set(NEEDS):
        wrong(f"needs are {', '.join(NEEDS)}")
    if set(raw.get("commands", {})) - set(PROFILES):
        wrong("commands are of profiles laptop and paper")


def _expand(lines, steps):
    """A line "=NAME" stands for the lines of that step."""
    return [part for line in lines for part in (_expand(steps[line[1:]], steps) if line.startswith("=") else [line])]


def _numbers(raw):
    """Its own, and those of tables that are data files of their own: (file, keys)."""
    found = list(raw.get("numbers", []))
    for place in raw.get("numbers_in", []):
        file, _, key = place.partition("#")
        table = json.loads((FOLDER / file).read_text(encoding="utf-8"))[key]
        found += [{"what": what, "value": value, "unit": "%" if what.endswith("percent") else "", "source": raw["place"],
                   "of": row["program"], "ranks": row["np"], **({"strategy": row["strategy"]} if "strategy" in row else {})}
                  for row in table for what, value in row.items() if what not in ("program", "np", "strategy")]
    return found


def _item(paper, raw, steps):
    name = f"{paper}/{raw.get('id')}"
    if paper == FINDINGS:
        _check(name, raw, {"id", "title", *TOLD}, FINDING_KEYS)
        raw = {**raw, "kind": "finding", "place": "docs/findings.md", "shows": raw["answer"], "status": "-"}
    else:
        _check(name, raw, NEEDED, KEYS)
    defaults = {"differs": "", "why": None, "reason": None, "read": [], "tests": [], "drawings": [], "records": [],
                "needs": [], "verdicts": [], "asks": [], "notes": []}
    commands = {profile: _expand(lines, steps) for profile, lines in raw.get("commands", {}).items()}
    whole = {**defaults, **raw, "name": name, "paper": paper, "commands": commands, "numbers": _numbers(raw)}
    return Item({key: value.strip() if isinstance(value, str) else value for key, value in whole.items()})


def _read(path):
    import yaml  # which main() looks for before there is anything to read
    try:
        with open(path, "rb") as file:
            return yaml.load(file, yaml.CSafeLoader)
    except yaml.YAMLError as error:  # it names the file, line and column
        raise Refused(f"it cannot be read as YAML: {' '.join(str(error).split())}") from error


def load(folder=FOLDER, papers=(*PAPERS, FINDINGS)):
    """All items, in the papers' order, and then the findings."""
    found = []
    for paper in papers:
        data = _read(folder / f"{paper}.yaml")
        found += [_item(paper, raw, data.get("steps", {})) for raw in data["items"]]
    names = [item["name"] for item in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Refused(f"plots/papers: more than one item is called {', '.join(twice)}")
    return found


def find(name, items):
    """The item of that name. Refused: there is none; the text has names like it."""
    for item in items:
        if item["name"] == name:
            return item
    names = [item["name"] for item in items]
    close = difflib.get_close_matches(name, names, n=4, cutoff=0.5) or [
        other for other in names if name and name.split("/")[-1] == other.split("/")[-1]]
    raise Refused(f"{name}: no such item" + (f"; perhaps {', '.join(close)}?" if close else "; `rollbench papers list` names all"))


def of_papers(items):
    return [item for item in items if item["paper"] != FINDINGS]


def count(items):
    """{paper: {status: number}}, and "all"."""
    return {paper: {status: sum(item["status"] == status for item in mine) for status in STATUSES} for paper, mine in by_paper(items)}


def count_evidence(items):
    """{paper: {kind of evidence: number}} of those that are `yes`, and "all"."""
    return {paper: {kind: sum(item["status"] == "yes" and item.evidence() == kind for item in mine) for kind in EVIDENCE}
            for paper, mine in by_paper(items)}


def by_paper(items):
    """(paper, its items) without the findings, and at last "all" of them."""
    items = of_papers(items)
    for paper in [*dict.fromkeys(item["paper"] for item in items), "all"]:
        yield paper, [item for item in items if paper in (item["paper"], "all")]


def said_count(items):
    """The sentences of the README, of the papers' items among these."""
    items = of_papers(items)
    whole, evidence = count(items)["all"], count_evidence(items)["all"]
    return (f"Of {len(items)} figures, tables, equations, algorithms and numbers of the five papers, {whole['yes']} are "
            f"repeated, {whole['partly']} in part, {whole['no']} not. Of the {whole['yes']}, {evidence['verdict']} have a verdict that records "
            f"can contradict, {evidence['test']} a test, and {evidence['shown']} are shown by a command, a figure or a page.")
