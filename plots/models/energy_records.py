"""What records of `rollbench run` say about the parameters of the energy model (plots/models/energy_model.py)."""
from plots.common.command import Refused
from plots.common.json_text import is_number, parse

WHY = 159  # characters of a reason that are shown


def number(value, key):
    """0 if there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if is_number(found) else 0


def part(value, key, kind=dict):
    """An object or a list in a record; empty if it is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, kind) else kind()


class NoSample(Exception):
    """Why a record has none."""


class Samples:
    """Of one parameter: values, from how many records, the last of these, why the last one without had none."""

    def __init__(self, of_record):
        self.of_record = of_record
        self.values, self.records, self.path, self.why_not = [], 0, "", ""

    def add(self, record, path):
        try:
            self.values += self.of_record(record)
            self.records, self.path = self.records + 1, path
        except NoSample as reason:
            self.why_not = str(reason)


def lambdas(record):
    """Bare / protected of each pair of blocks of a paired run under `all`: what logging, books and clocks leave of
    the speed. Global rollback has books and clocks, too, so lambda is rather larger."""
    paired = record.get("paired")
    if not isinstance(paired, dict):
        raise NoSample("no record of a paired run (run --paired N)")
    if record.get("policy") != "all":
        raise NoSample("the policy of the paired run is not `all`, so it did not log all messages")
    pairs = [(a, b) for a, b in zip(part(paired, "protected_s", list), part(paired, "bare_s", list))
             if is_number(a) and is_number(b) and a > 0 and b > 0]
    if not pairs:
        raise NoSample("the paired run has no pair of blocks")
    return [b / a for a, b in pairs]


def mus(record):
    """Seconds of an iteration in normal operation, without checkpoints, over those while the one dead role
    catches up; of a record with one failure after which only that role rolled back."""
    failures = part(record, "failures", list)
    if len(failures) != 1:
        raise NoSample("more than one failure in a record" if failures else "no record of a failure")
    failure = failures[0] if isinstance(failures[0], dict) else {}
    if len(part(failure, "rollback_set", list)) != 1:
        raise NoSample("more roles than the dead one rolled back, so the recovery was not local")
    back, catchup = number(failure, "iteration") - number(failure, "checkpoint"), number(failure, "catchup_s")
    if not (is_number(failure.get("restored_s")) and back >= 1 and catchup / back > 0):
        raise NoSample("nobody had to catch up, or its time is not in the record")
    rest = (number(record, "loop_s") - failure["restored_s"] - catchup
            - number(part(record, "checkpoints"), "seconds_max"))
    each = number(part(record, "iterations"), "useful") / record["np"]
    if not (rest > 0 and each > 0):
        raise NoSample("the run is all recovery, so an iteration's normal time is unknown")
    return [rest / each / (catchup / back)]


def watts(role, phase):
    """Of the package that a role read in a phase; None if it was not measured."""
    spent = part(part(role, "used"), phase)
    wall = number(spent, "wall_s")
    return spent["package_j"] / wall if is_number(spent.get("package_j")) and wall > 0 else None


def power_ratios(record):
    """Watts of a package while the role that reads it waited at the front, over those while it computed; of
    each such role of a record with energy."""
    both = [(watts(role, "blocked"), watts(role, "step")) for role in part(record, "roles", list)]
    found = [waiting / computing for waiting, computing in both
             if waiting is not None and computing is not None and waiting > 0 and computing > 0]
    if not found:
        reason = part(record, "energy").get("reason")
        raise NoSample(reason[:WHY] if isinstance(reason, str) else "no role that reads a package's energy "
                       "waited at the front (run --power sleep, or dvfs, cm)")
    return found


class Records:
    """All of one kernel and number of roles: medians over different problems would mean nothing."""

    def __init__(self):
        self.samples = {"lambda": Samples(lambdas), "mu": Samples(mus), "c": Samples(power_ratios)}
        self.problem = None

    def add(self, path):
        """Refused: no record of a run that went well, or of another problem. One without a sample is fine."""
        try:
            with open(path, "rb") as file:
                record = parse(file.read())
        except (OSError, ValueError) as error:
            raise Refused(f"--record {path}: cannot be read as JSON") from error
        if not isinstance(record, dict) or record.get("schema") != "rollbench-run-1" or "kind" not in record:
            raise Refused(f"--record {path}: no record of `rollbench run` of this version")
        if record["kind"] != "engine":
            raise Refused(f"--record {path}: a run with --protocol")
        status = record.get("status")
        if status != "ok":
            raise Refused(f"--record {path}: that run was not ok but "
                          f"{status if isinstance(status, str) else 'without a status'}")
        self._same_problem(record, path)
        for samples in self.samples.values():
            samples.add(record, path)

    def _same_problem(self, record, path):
        kernel, np = record.get("kernel"), record.get("np")
        if not isinstance(kernel, str) or not isinstance(np, int) or np < 1:
            raise Refused(f"--record {path}: names no kernel or roles")
        self.problem = self.problem or (kernel, np)
        if self.problem != (kernel, np):
            raise Refused(f"--record {path}: {kernel} on {np} roles, but a record before it has "
                          f"{self.problem[0]} on {self.problem[1]}")
