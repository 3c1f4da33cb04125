"""The options in `rollbench list options` are also in the help and in the documents."""
import re

import schema
from rollbench import ROOT, call

SWEEP_KEYS = {"name", "power_model", "watts", "watts_min", "repetitions", "references", "restart_repetitions", "warm_up", "order", "seed", "budget", "runs",
              "kernel", "options", "roles", "iterations", "phases"}  # of experiment files alone


def listed():
    """{option: {"experiment file": key, "record": key, "list": whether entries are multiplied by it, ...}}."""
    options = {}
    for line in call("list", "options").stdout.splitlines()[1:]:
        name, *parts = re.split(r"  +|; ", line.strip())
        options[name] = dict(part.split(": ", 1) for part in parts if ": " in part)
        star = options[name].pop("experiment file, a list", None)
        options[name].update({"list": star is not None, **({"experiment file": star} if star else {})})
    assert len(options) > 15 and options["--np"]["record"] == "np", options
    return options


def experiment_keys():
    """{key: whether it has a star} of the example in docs/experiments.md."""
    text = (ROOT / "docs" / "experiments.md").read_text()
    example = text[text.index("```yaml"):text.index("```\n", text.index("```yaml") + 7)]
    return {m[1]: bool(m[2]) for m in re.finditer(r"^[ -]*([a-z_]+):.*?(# \*|$)", example, re.MULTILINE)}


def test_every_option_is_in_the_help():
    text = call("run", "--help").stdout
    told = set(re.findall(r"^  (--[a-z][\w-]*)", text, re.MULTILINE))
    assert set(listed()) <= told, set(listed()) - told
    assert {"--ckpt-sync", "--kill-node", "--spare-hosts", "--json", "--help"} <= told, told
    assert max(map(len, text[:text.index("kernels and")].split("\n"))) <= 100


def test_every_key_of_an_experiment_file_is_documented():
    keys = experiment_keys()
    files = {o["experiment file"]: o["list"] for o in listed().values() if "experiment file" in o}
    assert set(files) | SWEEP_KEYS == set(keys), set(files).symmetric_difference(set(keys) - SWEEP_KEYS)
    stars = {key for key, star in keys.items() if star}
    assert stars - {"options", "roles", "iterations", "phases"} == {key for key, star in files.items() if star}, stars


def test_every_key_of_a_record_is_documented():
    for option, where in listed().items():
        told = schema.whole()["$defs"]["rollbench-run-1"]
        for key in where["record"].split(".") if "record" in where else ():
            assert key in told["properties"], (option, where)
            told = told["properties"][key]
