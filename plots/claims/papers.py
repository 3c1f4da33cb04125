#!/usr/bin/env python3
"""usage: rollbench papers list [--paper NAME] [--status STATUS] [--here] [--count] [--json] [--results DIR]
       rollbench papers show ITEM [--profile PROFILE] [--json] [--results DIR]
       rollbench papers run ITEM [--profile PROFILE] [--dry-run] [--results DIR]
       rollbench papers forecasts [--results DIR]
       rollbench papers verdict ITEM [--results DIR]

Every figure, table, equation, algorithm and headline number of the five papers: the command
that repeats it, where its drawing lies, the paper's own numbers, and a verdict that code
computes from the records by a rule written down beforehand (docs/papers.md). And what was
found that no paper has (docs/findings.md), as items of a paper called findings.

  list             the items with their status, whether they were run here, and the verdict
  show             all that is known of one item
  run              only the commands of one item; a sweep goes on where it stopped
  forecasts        what claims and tables ask of forecasts, into forecasts.json of the results
  verdict          what the records say of one item, as at the end of run
  ITEM             a name of the list, for instance message-logging-kernels/fig7
  --paper NAME     only the items of this paper, or findings
  --status STATUS  only items with this status: yes (the same quantity by the same procedure),
                   partly, or no
  --here           only papers of which there are records in the results
  --count          how many items are yes, partly and no, and what evidence those have that are yes:
                   a verdict that records can contradict, a test, or something to look at (shown)
  --profile PROFILE laptop (default) or paper: the papers' own sizes, for a cluster
  --results DIR    folder of the results (default results; with --profile paper results/paper)
  --dry-run        print the commands and run nothing
  --json           as JSON
  --help           this text

exit status: 0 done; 1 runs that are not ok; 2 bad usage, or an item that is not there or has no
command here; of run also that of the command that ended it
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.claims import items, verdicts
from plots.common import command, json_text
from plots.common.command import Refused
from plots.common.program import need

ACTS = {"list": {"paper", "status", "here", "count", "json", "results"}, "show": {"profile", "json", "results"},
        "verdict": {"results"}}  # run and forecasts are harness/cli/cmd_papers.c
SWITCHES = ("here", "count", "json")
CHOICES = {"paper": (*items.PAPERS, items.FINDINGS), "status": items.STATUSES, "profile": items.PROFILES}


def arguments(act, words):
    """({option: value}, [words that are none]) behind what to do."""
    given, rest, options = {}, [], command.Options(words)
    for name, behind in options:
        if not name:
            rest.append(behind)
        elif name not in ACTS[act]:
            raise options.unexpected(f": unexpected with {act}; see --help")
        elif name in SWITCHES:
            given[name] = True
        else:
            given[name] = options.value()
            if name in CHOICES and given[name] not in CHOICES[name]:
                raise Refused(f"--{name} {given[name]}: expected {', '.join(CHOICES[name])}")
    given.setdefault("profile", "laptop")
    given.setdefault("results", "results" if given["profile"] == "laptop" else "results/paper")
    return given, rest


def about(item, results):
    """The item with what the records say of it here."""
    state, text = verdicts.state(item, results)
    judged = verdicts.judge(item, results)
    return {**item, "state": state, "state_text": text, "evidence": item.evidence(), "verdict": verdicts.overall(judged), "judged": judged,
            "drawn": [str(path) for paths in verdicts.records.drawings(item, results).values() for path in paths]}


def here(chosen, results):
    """Those of papers that there are records of."""
    there = {item["paper"] for item in chosen if any((pathlib.Path(results) / name).exists() for name in item["records"])}
    return [item for item in chosen if item["paper"] in there]


def show_list(given, rest):
    if rest:
        raise Refused(f"{rest[0]}: unexpected; list takes no item, `rollbench papers show` does")
    chosen = [item for item in items.load() if given.get("paper") in (None, item["paper"])
              and given.get("status") in (None, item["status"])]
    if given.get("here"):
        chosen = here(chosen, given["results"])
    if given.get("count"):
        return say_count(chosen, given)
    found = [about(item, given["results"]) for item in chosen]
    if given.get("json"):
        print(json_text.write(found))
        return 0
    for paper in dict.fromkeys(one["paper"] for one in found):
        print(f"\n{paper}\n")
        for one in found:
            if one["paper"] == paper:
                print(f"  {one['id']:<24} {one['status']:<7} {one['evidence']:<8} {one['state']:<19} {one['verdict'] or '-':<20} "
                      f"{one['place']}: {one['title']}")
    print(f"\n{items.said_count(chosen)}" if len(items.of_papers(chosen)) > 1 else "")
    return 0


def say_count(chosen, given):
    chosen = items.of_papers(chosen)
    if not chosen:
        raise Refused("--count: of items of the papers; none of them is chosen")
    counts, evidence = items.count(chosen), items.count_evidence(chosen)
    if given.get("json"):
        print(json_text.write({paper: {**of, "evidence": evidence[paper]} for paper, of in counts.items()}))
        return 0
    for paper, of in counts.items():
        print(f"{paper:<28}" + "".join(f"{status:>8}{number:>4}" for status, number in of.items()) + f"{sum(of.values()):>8} items;  yes by"
              + "".join(f"{kind:>9}{number:>4}" for kind, number in evidence[paper].items()))
    print(items.said_count(chosen))
    return 0


def typed(line):
    """As a person types it in the checkout: scripts run where the libraries are."""
    return line if line.startswith("./rollbench") else f"scripts/with-env {line}"


def test(name):
    """The command for a test: of a C program or of a module, or MODULE.FUNCTION."""
    return f"""make test ARGS='-k "{name.replace(".", " and ")}"'"""


def said(one):
    if one["paper"] == items.FINDINGS:
        return "\n\n".join(f"{word.capitalize()}: {one[word]}" for word in items.TOLD) + "\n"
    return f"{one['shows']}\n\nstatus: {one['status']}"


def say_number(one):
    where = ", ".join(str(one[key]) for key in ("of", "ranks", "strategy") if key in one)
    value = ", ".join(map(str, one["value"])) if isinstance(one["value"], list) else one["value"]
    return f"  {one['what']}{f' ({where})' if where else ''}: {value} {one.get('unit', '')}".rstrip() + f"   [{one['source']}]"


def show_one(given, rest):
    item = the_one(rest, "show")
    one = about(item, given["results"])
    if given.get("json"):
        print(json_text.write(one))
        return 0
    print(f"{one['name']}: {one['place']}, {one['kind']}: {one['title']}\n\n{said(one)}\nevidence: {one['evidence']}")
    if one["reason"]:
        print(f"why not more ({one['why']}): {one['reason']}")
    if one["differs"]:
        print(f"what differs: {one['differs']}")
    print(f"here: {one['state']}; {one['state_text']}")
    sections = (("on a laptop", map(typed, item.commands_of("laptop", given["results"]))),
                ("at the paper's size", map(typed, item.commands_of("paper", "results/paper"))),
                ("tests", map(test, one["tests"])), ("read", one["read"]),
                ("drawn", one["drawn"]), ("notes", one["notes"]))
    for title, lines in sections:
        found = list(lines)
        if found:
            print(f"\n{title}:\n" + "\n".join(f"  {line}" for line in found))
    if one["numbers"]:
        print("\nthe paper's numbers:\n" + "\n".join(map(say_number, one["numbers"])))
    for judged in one["judged"]:
        print(f"\nclaim: {judged['claim']}\n  rule: {judged['rule']}\n  {judged['verdict']}: {judged['text']}")
    return 0


def the_one(rest, act):
    if len(rest) != 1:
        raise Refused(f"{act}: expected one item, for instance message-logging-kernels/fig7; `rollbench papers list` names all")
    return items.find(rest[0], items.load())


def say_verdict(given, rest):
    one = about(the_one(rest, "verdict"), given["results"])
    print(f"papers: {one['name']}: {one['state']}; {one['state_text']}")
    for judged in one["judged"]:
        print(f"papers: {judged['claim']}: {judged['verdict']}: {judged['text']}")
    return 0


DO = {"list": show_list, "show": show_one, "verdict": say_verdict}


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    if not words or words[0] not in DO:
        raise Refused(f"{words[0] + ': ' if words else ''}expected list, show, run, forecasts, verdict")
    need("yaml", command.refuse)
    return DO[words[0]](*arguments(words[0], words[1:]))


if __name__ == "__main__":
    command.run("papers", main)
