"""usage: rollbench model mcml [OPTION ...]

Print how much time and energy memory-constrained message logging (MCML) saves compared with logging everything
(SCML), by the model of the memory-constrained-logging paper (Sect. VI, Table VI, Fig. 7). MCML takes its
checkpoints at the optimum interval tau*; SCML's log is full after omega tau*, so that it takes them there.
Nothing is run, and nothing is measured (docs/study.md).

  --sockets LIST    numbers of sockets (default 8000,16000,... to 512000)
  --omega LIST      fractions of tau* after which SCML's log is full (default 0.3,0.4,0.5,0.6,0.7)
  --sigma X         share of the processes that recover under MCML (default 0.1)
  --study FILE      what `rollbench study --json` wrote; repeatable. Adds the saving with sigma as it is
                    there for a cap theta = omega, since a log that holds theta of an interval is full
                    after theta tau. table2: the sets that the paper prints in its Table II
  --solve T         W, time to solution, hours (default 24)
  --mtbf-socket Y   M_S, mean time between two failures of one socket, years (default 40)
  --checkpoint T    delta, of a checkpoint, minutes (default 5)
  --restart T       R, minutes (default 0.5)
  --slowdown X      mu, of logging (default 1.05)
  --speedup X       phi, of a recovery with logs (default 1.2)
  --high W          H, power of a socket that computes, watts (default 100)
  --low W           L, of one that waits, writes or reads a checkpoint (default 50)
  --recovery HOW    slowed: mu slows a recovery, too (default); full: it does not
  --json [-]        print JSON
  --csv [-]         print a table with commas
  --help            this text
"""
import math

from plots.common import command, json_text
from plots.common.command import Refused
from plots.models import mcml_model as model
from plots.models import mcml_study

SCHEMA = "rollbench-model-mcml-1"
SOCKETS = tuple(8000 * 2 ** i for i in range(7))
OMEGA, SIGMA = (0.3, 0.4, 0.5, 0.6, 0.7), 0.1
# Option: member of Machine, its unit, least value, is the least one excluded?
FIELDS = {"solve": ("solve_s", model.HOUR, 0, True), "mtbf-socket": ("mtbf_s", model.YEAR, 0, True),
          "checkpoint": ("checkpoint_s", 60, 0, True), "restart": ("restart_s", 60, 0, False),
          "slowdown": ("slowdown", 1, 1, False), "speedup": ("speedup", 1, 0, True),
          "high": ("high_w", 1, 0, True), "low": ("low_w", 1, 0, False)}
NAMES = {"solve": "W, time to solution, h", "mtbf-socket": "M_S, MTBF of a socket, years",
         "checkpoint": "delta, checkpoint, min", "restart": "R, restart, min", "slowdown": "mu, slowdown of logging",
         "speedup": "phi, speedup of recovery", "high": "H, high power, W", "low": "L, low power, W"}
COLUMNS = ("name", "strategy", "sockets", "omega", "sigma", "tau_s", "mcml_s", "scml_s", "relative_time", "relative_energy",
           "time_saved_percent", "energy_saved_percent")


def number(name, text, least, excluded, most=math.inf):
    value = command.real(text)
    if value is None or not least <= value <= most or excluded and value == least:
        raise Refused(f"--{name} {text}: expected a number {'above' if excluded else 'of at least'} {least}"
                      + (f" and at most {most:g}" if most < math.inf else ""))
    return value


def numbers(name, text, least, most):
    return [number(name, one, least, name == "omega", most) for one in text.split(",")]


class Request:
    """What the command line asks for."""

    def __init__(self, words):
        self.machine, self.sockets, self.omega, self.sigma = model.PAPER, SOCKETS, OMEGA, SIGMA
        self.studies, self.form, self.given = [], "text", set()
        options = command.Options(words)
        for name, behind in options:
            if name in ("json", "csv") and behind in (None, "-"):
                self.form = options.form(self.form)
            elif not self.take(name, options):
                raise options.unexpected(": unexpected argument; see `rollbench model mcml --help`")
        if self.machine.checkpoint_s >= self.machine.solve_s * self.machine.slowdown:
            raise Refused("--checkpoint: one takes as long as the whole run; give a shorter one or a longer --solve")

    def take(self, name, options):
        """One option with a value; false: there is none of this name."""
        if name in FIELDS:
            member, unit, least, excluded = FIELDS[name]
            self.machine = self.machine._replace(**{member: unit * number(name, options.value(), least, excluded)})
        elif name == "sockets":
            self.sockets = [int(one) for one in numbers(name, options.value(), 1, 1e12)]
        elif name == "omega":
            self.omega = numbers(name, options.value(), 0, 1)
        elif name == "sigma":
            self.sigma = number(name, options.value(), 0, False, 1)
        elif name == "study":
            self.studies += mcml_study.read(options.value())
        elif name == "recovery":
            if options.value() not in ("slowed", "full"):
                raise Refused(f"--recovery {options.value()}: expected slowed or full")
            self.machine = self.machine._replace(slowed=options.value() == "slowed")
        else:
            return False
        self.given.add(name)
        return True


def row(r, sockets, omega, sigma):
    """Infinite times and what follows from them are null: the run has no end."""
    found = model.compare(r.machine, sockets, omega, sigma) or {}
    return {"sockets": sockets, "omega": omega, "sigma": sigma,
            **{name: value if (value := found.get(name)) is not None and math.isfinite(value) else None
               for name in COLUMNS[5:]}}


def rows(r):
    return [row(r, sockets, omega, r.sigma) for sockets in r.sockets for omega in r.omega]


def coupled(r):
    """sigma(theta = omega) of every strategy of every study, for the omegas that are there as caps."""
    return [{**about, "rows": [row(r, sockets, omega, sigmas[omega]) for sockets in r.sockets for omega in r.omega
                               if omega in sigmas]}
            for about, sigmas in r.studies]


def check_caps(r):
    for about, sigmas in r.studies:
        missing = [f"{omega:g}" for omega in r.omega if omega not in sigmas]
        if missing:
            remedy = ("give other --omega" if about["file"] == mcml_study.PAPER else
                      f"make it again with `rollbench study --caps {','.join(f'{100 * o:g}' for o in r.omega)}`")
            raise Refused(f"--study {about['file']}: {about['strategy']} has no cap for omega {', '.join(missing)}; {remedy}")


def cell(value):
    return "%9s" % "no end" if value is None else "%9.2f" % value


def say_saved(title, table, omegas, name):
    print(f"\n{title}\n")
    print("%10s%12s" % ("sockets", "tau*, min") + "".join("%9s" % f"{o:g}" for o in omegas))
    for sockets in dict.fromkeys(one["sockets"] for one in table):
        mine = [one for one in table if one["sockets"] == sockets]
        tau = mine[0]["tau_s"]
        print("%10d%12s" % (sockets, "-" if tau is None else f"{tau / 60:.1f}") + "".join(cell(one[name]) for one in mine))


def say(r):
    for name, (member, unit, _, _) in FIELDS.items():
        print("%-32s%10g   %s" % (NAMES[name], getattr(r.machine, member) / unit,
                                  "given" if name in r.given else "the paper's"))
    print("%-32s%10g   %s" % ("sigma, share that recovers", r.sigma, "given" if "sigma" in r.given else "the paper's"))
    print("a recovery is %sslowed by mu" % ("" if r.machine.slowed else "not "))
    say_saved("time that MCML saves, %, by omega", rows(r), r.omega, "time_saved_percent")
    say_saved("energy that MCML saves, %, by omega", rows(r), r.omega, "energy_saved_percent")
    for one in coupled(r):
        say_saved(f"energy that MCML saves, %, by omega, sigma = rollback set of {one['name']}, {one['np']} ranks, "
                  f"{one['strategy']}, at the cap omega", one["rows"], r.omega, "energy_saved_percent")
    print("\nModelled, not measured. The paper does not print its formulas; see docs/study.md.")


def say_csv(r):
    print(",".join(COLUMNS))
    for about, table in [({"name": "fixed sigma", "strategy": ""}, rows(r)), *((one, one["rows"]) for one in coupled(r))]:
        for one in table:
            one = {**about, **one}
            print(",".join('"' + str(one[c]).replace('"', '""') + '"' if isinstance(one[c], str)
                           else "" if one[c] is None else f"{one[c]:.17g}" for c in COLUMNS))


def main(words):
    if command.wants_help(words):
        print(__doc__.strip())
        return 0
    r = Request(words)
    check_caps(r)
    if r.form == "json":
        print(json_text.write({"schema": SCHEMA, "parameters": {**r.machine._asdict(), "sigma": r.sigma}, "rows": rows(r),
                               "coupled": coupled(r)}))
    elif r.form == "csv":
        say_csv(r)
    else:
        say(r)
    return 0
