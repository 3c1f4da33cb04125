"""What a report says, in numbers: counted from the results folders alone.

An experiment is a folder with a sweep.json; its records are those that this names. A folder with
records of `rollbench barrier` comes along. Nothing here knows how a report looks.
"""
import collections
import datetime
import json
import pathlib
import shlex
import struct

from plots.common import lean, simulations
from plots.common import runs as counted
from plots.common.json_text import read_record
from plots.common.points import ELC, ELC_SKIPPED

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATUSES = ("ok", "wrong", "hang", "abort", "out-of-spares")
NEEDED = {"status", "kernel", "params", "np", "spares", "policy", "interval", "plan", "failures",
          "iterations", "roles", "host"}
PAUSE = 10  # seconds between runs beyond which a sweep was stopped, not slow


def read_manifest(folder, elc=False):
    """sweep.json with the names of the runs; ValueError if it is none. elc: it may be of runs with --protocol."""
    path = folder / "sweep.json"
    if simulations.listed(folder):
        raise ValueError(f"{path}: the points of `rollbench simulate`; expected the results folder of a sweep")
    if not elc and ELC.listed(folder):
        raise ValueError(f"{path}: {ELC_SKIPPED}")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        runs = [run if isinstance(run, str) else run["id"] for run in manifest["runs"]]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: not the list of a sweep's runs; run the sweep again") from error
    return {**manifest, "runs": runs}


class Experiment:
    """A results folder of `rollbench sweep`."""

    def __init__(self, folder):
        manifest = read_manifest(folder)
        runs = manifest["runs"]
        self.folder, self.name = folder, manifest.get("name", folder.name)
        self.config = manifest.get("config")
        found = lean.read(folder, tuple(runs))
        self.unreadable, self.records, self.controls = [*found.unreadable], [], []
        for name, record in found.records.items():
            self._take(name, record)
        self.newest = found.newest
        self.ended = max((finished(record) or 0 for record in [*self.records, *self.controls]), default=0)  # copying does not change it
        self.planned = len(runs) - len(self.controls)  # they are counted apart
        mine = {r["id"] for r in self.records}
        self.outdated = [name for name in found.outdated if name in mine]
        self.samples = [r for r in self.records if not counted.is_warm_up(r["id"], manifest)]

    def _take(self, name, record):
        if not (NEEDED <= record.keys() and record["status"] in STATUSES):
            self.unreadable.append(name)
            return
        record.setdefault("id", name)
        (self.controls if counted.is_control(record) else self.records).append(record)

    def count(self, status):
        return sum(r["status"] == status for r in self.records)

    def escalated(self):
        return sum(bool(r.get("escalations")) for r in self.records)

    def unequal(self):
        """Runs with a failure that did not end in the failure-free run's state."""
        return [r for r in self.records if is_unequal(r)]

    def bad(self):
        return [r for r in self.records if r["status"] != "ok" or is_unequal(r)]

    def wrong_controls(self):
        """Negative controls that did not end as they must."""
        return [r for r in self.controls if not counted.is_right_control(r)]

    def missing(self):
        return self.planned - len(self.records) - len(self.unreadable)


def experiments(results):
    """Those below the folder, or the folder itself, oldest first; only those with records.

    ValueError: a sweep.json that is none.
    """
    found = [Experiment(path.parent) for path in [*results.glob("*/sweep.json"), *results.glob("sweep.json")]
             if not simulations.listed(path.parent) and not ELC.listed(path.parent)]
    return sorted((e for e in found if e.records or e.unreadable), key=lambda e: e.newest)


def barriers(results):
    """{path: record} of `rollbench barrier`."""
    found = {}
    for path in sorted(results.glob("*/barrier*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        if record.get("schema") == "rollbench-barrier-1":
            found[path] = record
    return found


def is_unequal(record):
    """Was it compared, and is another?"""
    return (record.get("compared") or {}).get("equal") is False


def said_status(record):
    return record["status"] + (", not equal to the failure-free run" if is_unequal(record) else "")


def command(record):
    """The options that repeat the run of a record. Of a run on hosts the host file is not known: FILE."""
    words = ["./rollbench", "run", record["kernel"]]
    options = {**{k: v for k, v in record["params"].items() if v != "auto"},
               "np": record["np"], "spares": record["spares"], "policy": record["policy"],
               "interval": record["interval"]}
    usual = {"recompute": "rollback", "transaction": "swap", "strategy": "repair", "replace": "spare", "ckpt": "file", "ckpt_first": None,
             "ckpt_lag": "async", "power": "none", "constants": "keep", "detector": "host", "node_size": None}
    options.update({k: record[k] for k, v in usual.items() if record.get(k) not in (None, v)})
    if record.get("meters", {}).get("detail") not in (None, "phases"):
        options["meters"] = record["meters"]["detail"]
    if record.get("timeline"):
        options["timeline"] = "on"
    for key, value in options.items():
        words += [f"--{key.replace('_', '-')}", str(value)]
    if record.get("hosts"):
        words += ["--hostfile", "FILE"]
    for kill in record["plan"]:
        words += ["--kill", kill]
    if record.get("deadline_s"):
        words += ["--deadline", f"{record['deadline_s']:g}"]
    if record.get("repair_deadline_s"):
        words += ["--repair-deadline", f"{record['repair_deadline_s']:g}"]
    if record.get("escalation") == "off":
        words.append("--no-escalation")
    return shlex.join([*words, "--json", "-"])


def config_of(experiment):
    """The experiment's file: as its manifest says, or the first in configs/ of that name; None."""
    if experiment.config:
        return experiment.config
    for path in sorted((ROOT / "configs").glob("**/*.yaml")):
        if any(line.split("#")[0].strip() == f"name: {experiment.name}"
               for line in path.read_text(encoding="utf-8").splitlines()):
            return str(path.relative_to(ROOT))
    return None


HOST_KEYS = ("hostname", "cpu", "cores", "pus", "topology", "memory_bytes", "frequency", "clock_modulation", "kernel", "mpi",
             "prrte", "mpirun", "transport", "compiler", "flags", "commit")


def transport(host):
    """How messages travelled and who decided it, in one line; None if the record does not say."""
    found = (host.get("transport") or {}).get("parameters") or {}
    told = [f"{name}={found[name].get('value')} ({', '.join(found[name].get('from') or [])})"
            for name in ("pml", "btl", "mtl", "coll", "btl_tcp_if_include") if found.get(name)]
    if (host.get("transport") or {}).get("shared_memory") is False:
        told.insert(0, "TCP within a host, too, for want of room in /dev/shm")
    return "; ".join(told) or None


def frequency(host):
    """To what the processing units can be set, or why not; None if the record does not say."""
    found = host.get("frequency")
    return found and (found["reason"] if found["least_hz"] is None else f"{found['least_hz'] / 1e9:.3g} to {found['most_hz'] / 1e9:.3g} GHz")


def clock_modulation(host):
    found = host.get("clock_modulation")
    return found and (found["reason"] if found["least"] is None else f"{100 * found['least']:.4g} to {100 * found['most']:.4g} %")


SAID = {"transport": transport, "frequency": frequency, "clock_modulation": clock_modulation}  # of what is no text or number


def hosts(records_by_experiment):
    """{(values of HOST_KEYS): {experiment: runs}}: who measured what with which program."""
    found = {}
    for name, records in records_by_experiment.items():
        for record in records:
            host = record.get("host", {})
            values = tuple(SAID[key](host) if key in SAID else host.get(key) for key in HOST_KEYS)
            found.setdefault(values, collections.Counter())[name] += 1
    return found


def bindings(records):
    """{host name: (a host key, {roles of the run: {processing units: [role]}})}, of runs with roles."""
    found = {}
    for record in records:
        for role in record.get("roles") or []:
            host, binding = role.get("host"), role.get("binding")
            if host and binding:
                _, by_np = found.setdefault(host, (record["host"], {}))
                roles = by_np.setdefault(record["np"], {}).setdefault(binding, [])
                if role["role"] not in roles:
                    roles.append(role["role"])
    return found


def absent(records_by_experiment, barriers):
    """{(what, why): {experiment: runs}} of all that could not be measured, or not be used."""
    found = {}
    for name, records in records_by_experiment.items():
        for record in records:
            meters = record.get("meters") or {}
            whys = {"cycles": meters.get("cycles"), "instructions": meters.get("instructions"),
                    "energy": (meters.get("energy") or {}).get("reason"),
                    "a core for every rank": record.get("oversubscribed") and
                    "more ranks than cores; trust counts, but neither seconds nor their ratios"}
            for what, why in whys.items():
                if why:
                    found.setdefault((what, why), collections.Counter())[name] += 1
    for record in barriers.values():
        for what, why in absent_in_barrier(record):
            found.setdefault((what, why), collections.Counter())["barrier"] += 1
    return found


def absent_in_barrier(record):
    """[(what, why)] of a record of `rollbench barrier`; a meter's reasons are several."""
    rows = [(f"technique {t['name']}", t["absent"] or t["trouble"]) for t in record["techniques"]
            if t["absent"] or t["trouble"]]
    whys = {}
    for meter in record.get("meters", []):
        if not meter["ok"]:
            what = {"instr": "instructions"}.get(meter["what"], meter["what"])
            whys.setdefault((what, meter["rank"]), []).append(meter["text"])
    return [*rows, *dict.fromkeys((what, "; ".join(why)) for (what, _), why in whys.items())]


def finished(record):
    """Seconds since 1970; None: it does not say."""
    try:
        return datetime.datetime.fromisoformat(record["finished_at"]).timestamp()
    except (KeyError, ValueError):
        return None


def time_taken(records):
    """Seconds: {"runs": of all launches, "loops": of their time-step loops, "between": what the
    harness took between runs (None if unknown), "pauses": how often it was stopped}.

    A run's end is known to the second; the errors of many runs cancel.
    """
    by_host, between, pauses = {}, 0, 0
    for record in records:
        by_host.setdefault(record.get("host", {}).get("hostname"), []).append(record)
    for mine in by_host.values():
        ends = sorted((finished(r), r.get("wall_s")) for r in mine
                      if finished(r) is not None and r.get("wall_s") is not None)
        for (before, _), (now, wall) in zip(ends, ends[1:]):
            if now - before - wall > PAUSE:
                pauses += 1
            else:
                between += now - before - wall
    loops = [r["loop_s"] for r in records if r.get("loop_s") is not None]
    return {"runs": sum(r.get("wall_s") or 0 for r in records), "loops": sum(loops),
            "between": max(between, 0) if len(records) > 1 else None, "pauses": pauses}


def drawn_by(path):
    """The command line that a figure has in itself (plots/common/drawing.py), as words; None without one."""
    data, at = path.read_bytes(), 8
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if kind == b"tEXt" and chunk.startswith(b"Source\0"):
            return chunk.split(b"\0", 1)[1].decode("latin-1").split()
        if kind == b"IDAT":
            return None
        at += size + 12
    return None


def script(path):
    """Where a script of plots/ lies, seen from the checkout, by its name or by where it lay when it drew."""
    found = [] if (ROOT / path).exists() else sorted(ROOT.glob(f"plots/*/{pathlib.Path(path).stem}.py"))
    return str(found[0].relative_to(ROOT)) if found else path


# What a plot left: in figures/ itself (folder "") or in a folder below it, one per experiment, since two
# experiments may have the same plot. figure, table: paths, one of them perhaps None.
Drawing = collections.namedtuple("Drawing", "folder name figure table")


def drawings(results):
    """Those in figures/, then folder by folder."""
    top, found = results / "figures", {}
    for kind in ("png", "md"):
        for path in [*top.glob(f"*.{kind}"), *top.glob(f"*/*.{kind}")]:
            folder = "" if path.parent == top else path.parent.name
            found.setdefault((folder, path.stem), {})[kind] = path
    return [Drawing(*key, of.get("png"), of.get("md")) for key, of in sorted(found.items())]


def barrier_command(path, record):
    return (f"./rollbench barrier --np {record['np']} --seconds {record['seconds']:g} --repetitions "
            f"{record['repetitions']} --seed {record['seed']} --json {path}")


def simulate_commands(folder):
    """What makes the records of a folder of simulations, or of runs with --protocol."""
    return [kind.command(folder) for kind in (simulations.LISTED, ELC) if kind.listed(folder)]


def elc_runs(results):
    """{name of the experiment: records} of the folders with runs with --protocol; a record that cannot be read is None."""
    found = {}
    for path in sorted([*results.glob("*/sweep.json"), *results.glob("sweep.json")]):
        listed = ELC.listed(path.parent)
        if listed:
            found[listed["name"]] = [_elc_record(path.parent / f"{name}.json") for name in listed["runs"]]
    return found


def _elc_record(path):
    """None: there is none, or it is none."""
    try:
        record = read_record(path)
    except (OSError, ValueError):
        return None
    return record if ELC.has(record) else None


def interval_commands(script, path):
    """What has found the best interval that a script draws, as its record says."""
    if script != "interval_simulated":
        return []
    try:
        return [json.loads(path.read_text(encoding="utf-8"))["command"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # it is no longer there


def study_commands(script, path):
    """What makes the file that a script of plots/study draws. Profiles that were made from patterns lie beside it."""
    if script == "mcml_saving":
        return [f"./rollbench model mcml --study table2 --study {shlex.quote(str(path.parent / 'study.json'))} --json "
                f">{shlex.quote(str(path))}"]
    if script not in ("study_matrix", "study_load", "table_study"):
        return []
    try:
        studies = json.loads(path.read_text(encoding="utf-8"))
        files = [study["file"] for study in (studies if isinstance(studies, list) else [studies])]
    except (OSError, ValueError, KeyError, TypeError):
        return []  # it is no longer there
    return [f"./rollbench study {shlex.join(files)} --matrix-cells 256 --json {shlex.quote(str(path))}"]


def forecast_commands(script, folder):
    """What computes, without a run, the files beside a folder of records that a script of plots/tables reads."""
    records, results = shlex.quote(str(folder)), shlex.quote(str(folder.parent))
    explained, studied = (shlex.quote(f"{folder}.{what}.json") for what in ("explained", "study"))
    return {"table_logging": [f"./rollbench papers forecasts --results {results}"],
            "table_memory": [f"./rollbench papers forecasts --results {results}"],
            "table_active": [f"./rollbench papers forecasts --results {results}", f"./rollbench explain --record {records} --json >{explained}"],
            "reduction_shapes": [f"./rollbench papers forecasts --results {results}"],
            "rollback_sets": [f"./rollbench study --records {records} --json {studied}"],
            "table_kills": [f"./rollbench study --records {records} --json {studied}"]}.get(script, [])
