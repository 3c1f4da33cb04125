"""usage: rollbench model energy [OPTION ...]

Print from which share of rework on local rollback needs less energy than global rollback, by the
model of the power-log-n-roll paper (Sect. 8, Eq. 1 to 3). Nothing is run (docs/energy.md).

  --lambda X        share of full speed under message logging (default 0.98)
  --mu X            local recovery is X times as fast as global recovery (default 1)
  --c X             power in local recovery / power in computing (default 0.75)
  --record FILE     a record of `rollbench run`; repeatable. It gives lambda if it is of a paired run under
                    the policy all, mu if one role died and only that role rolled back, and C if
                    roles waited with --power and energy was measured. The options above take
                    precedence
  --solve S         seconds of computing without failures, under global rollback
  --rework S        seconds in which global rollback repeats what was lost
  --watts W         power while computing; without it energies are relative to it and --solve
  --mtbf S          mean time between failures of the machine; with it also how much more probable
                    a failure is because logging makes the run longer
  --json            print JSON
  --help            this text
"""
import collections
import math
import re

from plots.common import command, json_text
from plots.common.command import Refused
from plots.common.stats import median
from plots.models import energy_model as model
from plots.models.energy_model import Load, Model
from plots.models.energy_records import Records

RANGES = {  # what a number must be: in words, and whether it is
    "share": ("above 0 and at most 1", lambda x: 0 < x <= 1),
    "positive": ("above 0", lambda x: 0 < x < math.inf),
    "not negative": ("of at least 0", lambda x: 0 <= x < math.inf),
}
OPTIONS = {"lambda": "share", "mu": "positive", "c": "share", "solve": "not negative", "rework": "not negative",
           "watts": "positive", "mtbf": "positive"}
PAPER = (Model(0.98, 1, 0.75), Model(0.98, 2, 0.75))
QUOTED = "(1 - lambda) / (mu (1 - C)): the 8 % of mu = 1 divided by mu, with 0.02 for (1 - lambda) / lambda"
LEFT_OUT = "dump and restart, taken as equal on both sides, are left out"


class Parameter:
    """Of the model: its value, and where it comes from."""

    def __init__(self, word, value, assumed, samples_are):
        """assumed: why this value, if nobody gives or measures one."""
        self.word, self.value, self.assumed, self.samples_are = word, value, assumed, samples_are
        self.source, self.how = "assumed", assumed


class Request(collections.namedtuple("Request", "parameters load watts mtbf json")):
    """parameters: {option: Parameter}; load, watts and mtbf are None if they were not given."""

    def model(self):
        return Model(*(p.value for p in self.parameters.values()))

    def unit(self):
        """From the model's energies to joules, or to shares of P_solve * T_solve."""
        return self.watts if self.watts is not None else 1 / self.load.solve_s


def number(name, text):
    expected, within = RANGES[OPTIONS[name]]
    value = command.real(text)
    if value is None or not within(value):
        raise Refused(f"--{name} {text}: expected a number {expected}")
    return value


def arguments(words):
    """(what options gave, the records or None, whether JSON is wanted)."""
    given, records, json = {}, None, False
    options = command.Options(words)
    for name, behind in options:
        if name in OPTIONS:
            given[name] = number(name, options.value())
        elif name == "json" and behind is None:
            json = True
        elif name == "record":
            records = records or Records()
            records.add(options.value())
        else:
            raise options.unexpected(": unexpected argument")
    return given, records, json


def load_of(given):
    """Seconds and watts are of one run: all of it or nothing."""
    solve, rework, watts = (given.get(name) for name in ("solve", "rework", "watts"))
    more = [f"--{name}" for name in ("watts", "mtbf") if name in given]
    if solve is None and rework is None and not more:
        return None
    if solve is None or rework is None:
        raise Refused(f"--{'solve' if solve is None else 'rework'}: is missing; --solve and --rework belong "
                      f"together{', and ' + ' and '.join(more) + (' needs' if len(more) == 1 else ' need') + ' both' if more else ''}")
    if solve == 0 and watts is None:
        raise Refused("--solve 0: nothing to relate energies to; give --watts")
    return Load(solve, rework)


def measure(name, parameter, records):
    """A median from records. Noise can make logging look faster than no logging: there the model has no
    meaning."""
    samples = records.samples[name]
    if not samples.values:
        parameter.how = f"{parameter.assumed}; not measured: {samples.why_not}"
        return
    found, (kernel, np) = median(samples.values), records.problem
    where = samples.path if samples.records == 1 else f"{samples.records} records"
    source = f"median (n = {len(samples.values)}) of {parameter.samples_are} in {where} ({kernel}, {np} roles)"
    if RANGES[OPTIONS[name]][1](found):
        parameter.value, parameter.source, parameter.how = found, "measured", source
    else:
        parameter.how = (f"{parameter.assumed}; not measured: the {source} is {found:.4f}, so noise exceeds the "
                         "effect")


def request(words):
    given, records, json = arguments(words)
    parameters = {
        "lambda": Parameter("lambda", 0.98, "the paper's", "pairs of blocks of paired runs"),
        "mu": Parameter("mu", 1.0, "local recovery is no faster", "recoveries"),
        "c": Parameter("C", 0.75, "the paper's", "packages whose reader waited"),
    }
    load = load_of(given)
    for name, parameter in parameters.items():
        if name in given:
            parameter.value, parameter.source, parameter.how = given[name], "given", ""
        elif records:
            measure(name, parameter, records)
    return Request(parameters, load, given.get("watts"), given.get("mtbf"), json)


def saver(r):
    difference = model.difference(r.model(), r.load)
    if abs(difference) <= 1e-12 * model.energy_global(r.load):
        return "neither"
    return "local" if difference < 0 else "global"


def say_load(r):
    m, load = r.model(), r.load
    if load is None:
        print("times and energies    not computed: --solve and --rework are not given")
        return
    u, whole, joules = r.unit(), model.energy_global(load), r.watts is not None
    print("%-22s%12s%12s" % ("", "local", "global"))
    print("%-22s%12.6g%12.6g   %s" % (
        "time (Eq. 1), s", model.time_local(m, load), model.time_global(load), LEFT_OUT))
    print("%-22s%12.6g%12.6g%s" % (
        "energy, J" if joules else "energy, relative", model.energy_local(m, load) * u, whole * u,
        "" if joules else "   in units of P_solve * T_solve, since --watts is not given"))
    difference = model.difference(m, load)
    print("\nE_LR - E_GR, Eq. 2, exact          %+.6g%s (%+.3f %%): %s rollback saves energy" % (
        difference * u, " J" if joules else "", 100 * difference / whole if whole > 0 else 0, saver(r)))
    print("E_LR - E_GR, Eq. 3 as printed      %+.6g%s" % (
        model.difference_printed(m, load) * u, " J" if joules else ""))
    if r.mtbf is not None:
        say_failures(r)


def say_failures(r):
    of_global, of_local = model.failure_probability(r.model(), r.load, r.mtbf)
    print("\na failure before solving ends      %.6g with global, %.6g with local rollback: %+.6g" % (of_global, of_local, of_local - of_global))
    print("the same as printed                %+.6g: the exponents lack their signs" % model.rise_printed(r.model(), r.load, r.mtbf))


def break_even_line(words, m):
    shares = (model.break_even(m), model.break_even_printed(m), model.break_even_quoted(m))
    return "%-24s%8.4g%8.4g%8.4g" % (words, *m) + "".join(
        "%18.2f %%" % (100 * share) if math.isfinite(share) else "%20s" % "never" for share in shares)


def say(r):
    for p in r.parameters.values():
        print("%-10s%10.6g   %s%s%s" % (p.word, p.value, p.source, ": " if p.how else "", p.how))
    print()
    say_load(r)
    print("\nbreak-even: rework as a share of solve time beyond which local rollback saves energy\n")
    print("%-24s%8s%8s%8s%20s%20s%20s" % ("", "lambda", "mu", "C", "Eq. 2, exact", "Eq. 3 as printed",
                                         "the paper's figure"))
    print(break_even_line("with these parameters", r.model()))
    print(break_even_line("the paper's first case", PAPER[0]))
    print(break_even_line("the paper's second case", PAPER[1]))
    print("\nthe paper's figure: %.0f %% and, for mu = 2, %.0f %%; both come from\n%s." % (
        100 * model.break_even_quoted(PAPER[0]), 100 * model.break_even_quoted(PAPER[1]), QUOTED))
    print("Eq. 2 gives %.2f %% and %.2f %%; why they differ: docs/energy.md" % (
        100 * model.break_even(PAPER[0]), 100 * model.break_even(PAPER[1])))


def real(value):
    """JSON has no infinity."""
    return float(value) if value is not None and math.isfinite(value) else None


def parameter_json(p):
    is_text = not re.search(r"[\ud800-\udfff]", p.how)  # a path in it may be no UTF-8
    return {"value": float(p.value), "source": p.source, "how": p.how if is_text else None}


def break_even_json(m):
    return {"lambda": float(m.lam), "mu": float(m.mu), "c": float(m.c), "eq2": real(model.break_even(m)),
            "eq3_as_printed": real(model.break_even_printed(m)), "paper_figure": real(model.break_even_quoted(m))}


def load_json(r):
    if r.load is None:
        return None
    m, load, u = r.model(), r.load, r.unit()
    return {"local_s": real(model.time_local(m, load)), "global_s": real(model.time_global(load)),
            "energy_unit": "P_solve*T_solve" if r.watts is None else "J",
            "local": real(model.energy_local(m, load) * u), "global": real(model.energy_global(load) * u),
            "difference_eq2": real(model.difference(m, load) * u),
            "difference_eq3_as_printed": real(model.difference_printed(m, load) * u),
            "saves": saver(r), "note": LEFT_OUT}


def failures_json(r):
    if r.mtbf is None:
        return None
    of_global, of_local = model.failure_probability(r.model(), r.load, r.mtbf)
    return {"global": of_global, "local": of_local, "rise": of_local - of_global, "rise_as_printed": real(model.rise_printed(r.model(), r.load, r.mtbf))}


def as_json(r):
    return {**{name: parameter_json(p) for name, p in r.parameters.items()},
            "solve_s": r.load and r.load.solve_s, "rework_s": r.load and r.load.rework_s, "watts": r.watts,
            "mtbf_s": r.mtbf, "failure_probability": failures_json(r), "totals": load_json(r), "break_even": break_even_json(r.model()),
            "paper": [break_even_json(m) for m in PAPER], "paper_figure_is": QUOTED}


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    r = request(words)
    if r.json:
        print(json_text.write(as_json(r)))
    else:
        say(r)
    return 0
