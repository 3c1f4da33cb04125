"""The verdict on an item: each of its claims by its rule, from the records of a results folder. Nothing is judged by hand."""
import pathlib

from plots.claims import readings_findings, readings_models, readings_runs, records, rules
from plots.claims.records import NotDecidable, NotRun
from plots.claims.rules import AGREES, DIFFERS, UNDECIDED
from plots.common.command import Refused

READINGS = {**readings_runs.READINGS, **readings_models.READINGS, **readings_findings.READINGS}
NOT_RUN, CONSTRUCTED = "not run", "by construction"
CLAIM_KEYS = {"claim", "rule", "of", "with", "limits", "records", "construction"}
SHOWN = 3  # cases that are named


def check(item):
    """Refused: a claim that no code can judge."""
    for claim in item["verdicts"]:
        for key, known in (("rule", rules.RULES), ("of", READINGS)):
            if claim.get(key) not in known:
                raise Refused(f"plots/papers: {item['name']}: {key} {claim.get(key)}; expected {', '.join(sorted(known))}")
        if set(claim) - CLAIM_KEYS or not claim.get("claim"):
            raise Refused(f"plots/papers: {item['name']}: a verdict has {', '.join(sorted(claim))}")


def judge(item, results):
    """[{"claim", "rule", "verdict", "text"}], a claim each."""
    check(item)
    return [{"claim": claim["claim"], "rule": said_rule(claim), **_judged(item, claim, results)} for claim in item["verdicts"]]


def _judged(item, claim, results):
    source = records.Source(results, claim.get("records", item["records"]))
    try:
        cases = READINGS[claim["of"]](source, **claim.get("with", {}))
        found = list(rules.RULES[claim["rule"]](cases, **claim.get("limits", {})))
    except NotRun as error:
        return {"verdict": NOT_RUN, "text": str(error)}
    except NotDecidable as error:
        return {"verdict": UNDECIDED, "text": str(error)}
    except (KeyError, TypeError, IndexError) as error:  # of another commit, or made by somebody else: the other items still count
        return {"verdict": UNDECIDED, "text": f"a record has another form than this program's: {error!r}"}
    whole = rules.all_of(found)
    if whole == AGREES and "construction" in claim:  # what cannot come out otherwise is no evidence; that it differs would still be news
        return {"verdict": CONSTRUCTED, "text": f"{claim['construction']}; {said(found, whole)}"}
    return {"verdict": whole, "text": said(found, whole)}


def said(found, whole):
    """The cases that decided it first, so many of them."""
    first = [one for one in found if one.verdict == whole]
    counts = ", ".join(f"{which}: {sum(one.verdict == which for one in found)}" for which in (AGREES, DIFFERS, UNDECIDED)
                       if any(one.verdict == which for one in found))
    shown = "; ".join(f"{one.label}: {one.text}" for one in first[:SHOWN])
    return (f"{len(found)} cases ({counts}); " if len(found) > 1 else "") + shown + ("; ..." if len(first) > SHOWN else "")


def said_rule(claim):
    """The rule as it is written down: 'near (absolute 0.2)'."""
    limits = ", ".join(f"{key} {' > '.join(value) if isinstance(value, list) else value}" for key, value in claim.get("limits", {}).items())
    return claim["rule"] + (f" ({limits})" if limits else "")


def overall(judged):
    """One word for an item: None if it has no claims that a rule judges."""
    found = [one["verdict"] for one in judged]
    return next((which for which in (DIFFERS, NOT_RUN, UNDECIDED, AGREES, CONSTRUCTED) if which in found), None)


def state(item, results):
    """(state, text) of the item on this machine: "run", "records, not drawn", "begun" (runs are left), "not run", "absent", "prints" (a
    command that only prints, or a page or test), "no" if the item is not there at all."""
    if item["status"] == "no" and not item["commands"]:
        return "no", item["reason"]
    missing = records.absent(item, results) if item["needs"] else {}
    if missing:
        return "absent", "; ".join(f"{need}: {why}" for need, why in missing.items())
    if not item["records"] and not item["drawings"]:
        return "prints", "nothing is kept; `rollbench papers run` prints it" if item["commands"] else "a page or a test to read"
    there = []
    for names in item.folders():
        try:
            path = records.Source(results, names).path()
        except NotRun as error:
            return "not run", str(error)
        if not records.is_whole(path):
            done, planned = records.progress(path)
            return "begun", f"{done} of {planned} runs are in {path}; the same command goes on"
        there += [path for name in names if (path := pathlib.Path(results) / name).exists()]
    undrawn = [name for name, paths in records.drawings(item, results).items() if not paths]
    if undrawn:
        return "records, not drawn", f"{', '.join(undrawn)} is not in {results}/figures"
    return "run", f"on {max(map(records.when, there))}"
