"""The guides "add your own kernel" and "add your own policy": their code is built unchanged, and runs of it
are killed.

In the guides a code block that belongs to a file names it behind the fence; `+` appends to the file."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

from rollbench import ROOT
from schema import loads

BUILD = pathlib.Path(os.environ.get("ROLLBENCH_BIN_DIR", "build"))
FENCE = re.compile(r"^```c (\S+)( \+)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = ("--interval", 20, "--json", "-", "--quiet")
PHASES = ("start", "send", "commit", "checkpoint")


def code(guide):
    """The code blocks of a guide: (file name, whether to append, text)."""
    found = FENCE.findall((ROOT / "docs" / guide).read_text(encoding="utf-8"))
    assert len(found) == 2, f"{guide}: a file and its registration, not {[f[0] for f in found]}"
    return [(name, bool(more), text) for name, more, text in found]


def environment():
    """The environment of this test, without the job server of a make that runs it."""
    kept = dict(os.environ)
    flags = kept.pop("MAKEFLAGS", "").split()
    flags = [f for f in flags if not f.startswith(("-j", "--jobserver"))]
    # Keep only variables (CFLAGS=...), so that the objects still match their flags.
    kept["MAKEFLAGS"] = " ".join(f for f in flags if "=" in f or f == "--")
    return kept


@contextlib.contextmanager
def tree_with(*guides):
    """A copy of the sources and what has been built of them, with the guides' code in it, built."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "rollbench"
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "results", "build", "__pycache__"),
                        symlinks=True)
        shutil.copytree(ROOT / BUILD, tree / "build" / BUILD.name,
                        ignore=shutil.ignore_patterns("tests", "ulfm_probe", "rollbench", "rollbench_worker"))
        for guide in guides:
            for name, more, text in code(guide):
                path = tree / name
                assert path.exists() == more, f"{guide}: {name} is {'not ' * more}there already"
                path.parent.mkdir(exist_ok=True)
                with path.open("a", encoding="utf-8") as file:
                    file.write(text)
        done = subprocess.run(["make", "-C", tree, "-j2", "all"], capture_output=True, text=True,
                              env=environment(), stdin=subprocess.DEVNULL, timeout=240, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not re.search(r":\d+:\d+: (warning|error):", done.stderr), done.stderr
        yield tree / "build" / BUILD.name / "rollbench", done.stdout


def run(program, *args, cwd="/"):
    done = subprocess.run([program, *map(str, args)], capture_output=True, text=True, cwd=cwd,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)
    assert done.returncode == 0, f"{args}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr}"
    return done.stdout


def same_bits(program, problem, cases):
    """Every (policy, kill) fires and ends in the state of the failure-free run; their failures."""
    clean = loads(run(program, "run", *problem, *RUN))
    assert clean["status"] == "ok" and clean["verdict"]["ok"], clean
    records = {}
    for policy, kill in cases:
        record = loads(run(program, "run", *problem, *RUN, "--ckpt-sync", "--policy", policy, "--kill", kill))
        assert record["state_hash"] == clean["state_hash"], (policy, kill, record)
        assert record["verdict"]["ok"] and not record["unfired"], (policy, kill, record)
        records[policy, kill] = record["failures"][0]
    return records


@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_kernel_of_the_guide():
    (_, _, kernel), (_, _, line) = code("add-a-kernel.md")
    assert (kernel + line).count("\n") <= 160 and line.count("\n") == 1
    with tree_with("add-a-kernel.md") as (program, built):
        assert "CC    kernels/heat/heat.c" in built, built
        assert "heat" in run(program, "list", "kernels")
        problem = ("heat", "--points", 240, "--steps", 50, "--np", 4)
        died = same_bits(program, problem, [(policy, f"2@{40 if phase == 'checkpoint' else 33}:{phase}")
                                            for policy in ("none", "all") for phase in PHASES])
        assert all(f["rollback_set"] == ([2] if policy == "all" else [0, 1, 2, 3])
                   for (policy, kill), f in died.items() if not kill.endswith("checkpoint")), died
        # Its regions are enough to start again from a checkpoint alone.
        same_bits(program, (*problem, "--strategy", "restart"), [("none", "1@33:commit")])
        for bad in ("--points=3", "--steps=0"):
            done = subprocess.run([program, "run", "heat", "--np", "4", bad], capture_output=True,
                                  text=True, timeout=20, check=False)
            assert done.returncode == 2 and bad.split("=")[0] in done.stderr, done.stderr


@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_policy_of_the_guide():
    (_, _, policy), (_, _, line) = code("add-a-policy.md")
    assert (policy + line).count("\n") < 50 and line.count("\n") == 1
    with tree_with("add-a-policy.md", "add-a-kernel.md") as (program, built):
        assert "CC    ft/log/policy_small.c" in built, built
        assert "small:BYTES" in run(program, "list", "policies")
        problem = ("jacobi", "--grid", 96, "--decomp", "2x3", "--np", 6, "--steps", 50)
        died = same_bits(program, problem, [("none", "4@33:send"), ("all", "4@33:commit"),
                                             *(("small:300", f"4@33:{phase}") for phase in PHASES[:3])])
        for (name, _), failure in died.items():
            expected = {"none": {0, 1, 2, 3, 4, 5}, "all": {4}, "small:300": {3, 4, 5}}[name]
            # Under small:300 a role of the other row may lack a message, too, as the guide says.
            assert set(failure["rollback_set"]) >= expected, (name, failure)
            assert name == "small:300" or set(failure["rollback_set"]) == expected, (name, failure)
        same_bits(program, ("heat", "--points", 240, "--steps", 50, "--np", 4), [("small:8", "2@33:send")])
        for size, rolled in ((300, "3-5"), (400, "4"), (100, "0-5")):  # the guide's numbers
            told = run(program, "explain", *problem, "--policy", f"small:{size}", "--interval", 20,
                       "--kill", "4@33")
            assert re.search(rf"  restarted +\d: {rolled}\n", told), told
        done = subprocess.run([program, "run", "heat", "--policy", "small:x"], capture_output=True,
                              text=True, timeout=20, check=False)
        assert done.returncode == 2 and "small:BYTES" in done.stderr, done.stderr


def test_the_examples_of_the_tests_readme_pass():
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "tests" / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    found = {}
    exec("".join(blocks), found)  # a test module is this text in a file
    tests = [value for name, value in found.items() if name.startswith("test_")]
    assert len(tests) == 2, [*found]
    for test in tests:
        test()
