"""The options in `rollbench list options` are also in the help and in the documents."""
import re

import schema
from rollbench import ROOT, call

SWEEP_KEYS = {"name", "power_model", "watts", "watts_min", "repetitions", "references", "warm_up", "order", "order_seed", "budget", "together", "runs",
              "kernel", "program", "roles", "iterations", "phases"}  # of experiment files alone
PROTOCOL_KEYS = {"protocol", "lines", "line_interval", "log_form"}  # options of runs with --protocol
OF_EXAMPLES = {"class", "size", "seed"}  # options of the kernel and of the program in the examples


def listed():
    """{option: {"experiment file": key, "record": key, "inner": whether its values form a group, ...}}."""
    options = {}
    for line in call("list", "options").stdout.splitlines()[1:]:
        name, *parts = re.split(r"  +|; ", line.strip())
        options[name] = dict(part.split(": ", 1) for part in parts if ": " in part)
        inner = options[name].pop("experiment file, inner", None)
        options[name].update({"inner": inner is not None, **({"experiment file": inner} if inner else {})})
    assert len(options) > 15 and options["--np"]["record"] == "np", options
    return options


def experiment_keys():
    """The keys of the examples in docs/experiments.md, and what it says of groups."""
    text = (ROOT / "docs" / "experiments.md").read_text()
    keys = {key for example in re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
            for key in re.findall(r"^[ -]*([a-z_]+):", example, re.MULTILINE)}
    return keys, re.search(r"^\*\*Groups\.\*\*(.*?)^$", text, re.DOTALL | re.MULTILINE)[1]


def test_every_option_is_in_the_help():
    text = call("run", "--help").stdout
    told = set(re.findall(r"^  (--[a-z][\w-]*)", text, re.MULTILINE))
    assert set(listed()) <= told, set(listed()) - told
    assert {"--ckpt-sync", "--kill-node", "--spare-hosts", "--json", "--help"} <= told, told
    assert max(map(len, text[:text.index("kernels and")].split("\n"))) <= 100


def test_every_key_of_an_experiment_file_is_documented():
    keys, groups = experiment_keys()
    files = {o["experiment file"]: o["inner"] for o in listed().values() if "experiment file" in o}
    others = SWEEP_KEYS | PROTOCOL_KEYS | OF_EXAMPLES
    assert set(files) | others == keys, set(files).symmetric_difference(keys - others)
    inner = {key for key, is_inner in files.items() if is_inner}
    assert {"policy", "recompute", "power", "strategy"} <= inner and all(f"`{key}`" in groups for key in inner | PROTOCOL_KEYS), (inner, groups)


def test_every_key_of_a_record_is_documented():
    for option, where in listed().items():
        told = schema.inline(schema.whole()["$defs"]["rollbench-run-1"], schema.whole()["$defs"])
        for key in where["record"].split(".") if "record" in where else ():
            assert key in told["properties"], (option, where)
            told = told["properties"][key]
