"""How messages travel: lists of components are those of Open MPI's fault-tolerant set joined with the user's and Rollbench's, recorded as the MPI says that
they are in force, part of the key of runs, and refused with a remedy where a death would not be survived."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from rollbench import ROOT, call, enter_namespace, new_folder, reference, run
from schema import loads

JACOBI = ("jacobi", "--grid", 32, "--steps", 24, "--np", 2, "--interval", 8)
KILL = ("--spares", 1, "--kill", "1@13")
ARGS = "ROLLBENCH_MPIRUN_ARGS"


def with_env(**variables):
    return {"env": {**os.environ, **variables}}


def transport(*args, **kwargs):
    return run(*JACOBI, *args, **kwargs)["host"]["transport"]


def the_set(found):
    """{name: value} of the file of the installation, read here by other means."""
    lines = (line.split("#")[0].split("=", 1) for line in pathlib.Path(found["set"]).read_text().splitlines())
    return {words[0].strip(): words[1].strip() for words in lines if len(words) == 2}


def excluded(value):
    assert value.startswith("^"), value
    return set(value[1:].split(","))


def test_what_the_mpi_has_in_force_keeps_its_own_set():
    """`--mca coll ^han` alone replaced ^hcoll,portals4."""
    found = transport(*KILL)
    wanted, parameters = the_set(found), found["parameters"]
    assert excluded(wanted["coll"]) >= {"hcoll", "portals4"}, wanted
    assert excluded(parameters["coll"]["value"]) >= excluded(wanted["coll"]) | {"han"}, parameters["coll"]
    assert parameters["coll"]["from"][0] == "ft-mpi" and parameters["coll"]["from"][-1] == "rollbench"
    for name in ("btl", "mtl"):
        assert excluded(parameters[name]["value"]) >= excluded(wanted[name]), parameters[name]
    assert parameters["pml"]["value"] == wanted["pml"] == "ob1" and found["components"]["pml"] == ["ob1"]
    assert "han" not in found["components"]["coll"] and "ftagree" in found["components"]["coll"], found["components"]
    assert parameters["mpi_ft_enable"]["value"] == "1"
    assert parameters["mpi_event_tick_rate"] == {"value": "100", "from": ["rollbench"]}
    assert not any("asked" in one for one in parameters.values()), parameters


def test_a_job_without_protection_has_the_same_transport():
    with_ft, without = transport(), transport("--strategy", "restart")
    for name in ("pml", "btl", "mtl", "coll"):
        assert with_ft["parameters"][name] == without["parameters"][name], name
    assert without["parameters"]["mpi_ft_enable"]["value"] == "0"
    assert without["parameters"]["mpi_event_tick_rate"] == {"value": "-1", "from": ["default"]}


def test_the_environment_and_arguments_choose_and_are_named():
    for kwargs, who in ((with_env(OMPI_MCA_btl="self,tcp"), "environment"), (with_env(**{ARGS: "--mca btl self,tcp"}), "command line")):
        found = transport(*KILL, **kwargs)
        assert found["parameters"]["btl"] == {"value": "self,tcp", "from": ["ft-mpi", who]}, found["parameters"]["btl"]
        assert sorted(found["components"]["btl"]) == ["self", "tcp"], found
    found = transport(*KILL, **with_env(**{ARGS: "--mca coll ^tuned --mca btl_tcp_eager_limit 70000"}))
    assert excluded(found["parameters"]["coll"]["value"]) >= {"hcoll", "portals4", "han", "tuned"}
    assert "tuned" not in found["components"]["coll"]
    assert found["parameters"]["btl_tcp_eager_limit"] == {"value": "70000", "from": ["command line"]}


def user_file(text):
    """A home with a file of parameters of the user."""
    home = new_folder()
    (home / ".openmpi").mkdir()
    (home / ".openmpi/mca-params.conf").write_text(text)
    return home


def test_a_file_cannot_choose_what_a_death_would_break():
    home = user_file("pml = ucx\nbtl_tcp_eager_limit = 70001\n")
    found = transport(*KILL, **with_env(HOME=str(home)))
    assert found["parameters"]["pml"] == {"value": "ob1", "from": ["ft-mpi"]}, found["parameters"]["pml"]
    assert found["parameters"]["btl_tcp_eager_limit"]["from"] == [f"file {home}/.openmpi/mca-params.conf"]
    said = call("doctor", **with_env(HOME=str(home)))
    assert said.returncode == 0 and "pml=ucx of file" in said.stdout and "replaced by ob1" in said.stdout, said


def test_a_transport_that_is_not_fit_is_refused_with_the_remedy():
    """It ended as abort, and the doctor said: use Open MPI 5 with ULFM."""
    for variables, words in (({"OMPI_MCA_pml": "ucx"}, ("pml=ucx", "unset OMPI_MCA_pml", "ft-mpi")),
                             ({ARGS: "--mca pml cm"}, ("pml=cm", "leave --mca pml out of $" + ARGS)),
                             ({"OMPI_MCA_coll": "basic,libnbc"}, ("without ftagree",))):
        for args in (("run", *JACOBI), ("doctor",), ("torture", "--runs", 1)):
            done = call(*args, **with_env(**variables))
            assert done.returncode == (1 if args[0] == "doctor" else 2), (variables, args, done)
            assert all(word in done.stdout + done.stderr for word in words), (variables, done)
            assert "use Open MPI 5" not in done.stdout


def test_tcp_for_want_of_shared_memory_is_told():
    """It is some times slower. The doctor said: use Open MPI 5 with ULFM, since Open MPI prints a byte 0 behind its warning."""
    assert transport()["shared_memory"] is True
    assert "shared_memory" not in transport(**with_env(OMPI_MCA_btl="self,tcp"))
    enter_namespace()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", "/dev/shm"], check=True)
    path = new_folder() / "record.json"
    done = call("run", *JACOBI, *KILL, "--json", path)
    record = loads(path.read_text(encoding="utf-8"))
    assert done.returncode == 0 and record["state_hash"] == reference(*JACOBI), done
    assert record["host"]["transport"]["shared_memory"] is False and "warning: messages within a host travelled by TCP" in done.stdout, done
    of_report = "import json, sys; from plots.report import data; print(data.transport(json.load(sys.stdin)))"
    said = subprocess.run([sys.executable, "-c", of_report], input=json.dumps(record["host"]), cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("TCP within a host, too, for want of room in /dev/shm; pml=ob1"), said
    done = call("doctor")
    assert done.returncode == 0 and re.search("^ulfm +ok ", done.stdout, re.M), done.stdout
    assert re.search("^messages +warning .*--shm-size", done.stdout, re.M), done.stdout


def test_without_protection_the_user_may_choose_it():
    """Such a job needs no agreement, and this choice can run here."""
    found = transport("--strategy", "restart", **with_env(OMPI_MCA_coll="basic,libnbc,self,inter,tuned"))
    assert found["parameters"]["coll"]["value"] == "basic,libnbc,self,inter,tuned"


def test_a_process_refuses_what_it_should_not_have():
    """An mpirun that loses a part of the list, as the harness once did."""
    work = new_folder()
    wrapper = work / "mpirun"
    real = os.environ.get("ROLLBENCH_MPIRUN") or shutil.which("mpirun")
    wrapper.write_text('#!/usr/bin/env python3\nimport os, sys\n'
                       f'words = [("^han" if "portals4" in w and "han" in w else w) for w in sys.argv[1:]]\nos.execv({real!r}, [{real!r}, *words])\n')
    wrapper.chmod(0o755)
    done = call("run", *JACOBI, *KILL, "--json", "-", "--workdir", work, **with_env(ROLLBENCH_MPIRUN=str(wrapper)))
    record = json.loads(done.stdout)
    assert record["status"] == "abort" and 'coll = "^han" is in force' in record["message"], record["message"]
    coll = record["host"]["transport"]["parameters"]["coll"]
    assert coll["value"] == "^han" and "hcoll" in coll["asked"], coll


def config():
    path = new_folder() / "one.yaml"
    path.write_text("name: one\nruns:\n  - kernel: jacobi\n    grid: 32\n    steps: 16\n    np: 2\n    interval: 8\n    policy: none\n")
    return path


def done_runs(path, results, **variables):
    listed = call("sweep", path, "--results", results, "--dry-run", "--json", **with_env(**variables))
    assert listed.returncode == 0, listed.stderr
    return [r["done"] for r in json.loads(listed.stdout)["runs"]]


def test_another_transport_is_another_run():
    """OMPI_MCA_btl=self,tcp gave a finished sweep the old records."""
    results, path = new_folder() / "results", config()
    assert call("sweep", path, "--results", results).returncode == 0
    home = user_file("btl_tcp_sndbuf = 70000\n")
    network = {"OMPI_MCA_btl_tcp_if_include": "lo,10.0.0.0/8"}
    assert all(done_runs(path, results)) and done_runs(path, results)
    for variables in ({"OMPI_MCA_btl": "self,tcp"}, {"OMPI_MCA_btl_tcp_eager_limit": "70000"}, {"HOME": str(home)}, network):
        assert not any(done_runs(path, results, **variables)), variables
    assert call("sweep", path, "--results", results, **with_env(OMPI_MCA_btl="self,tcp")).returncode == 0
    records = [json.loads(p.read_text()) for p in results.glob("*.json") if p.name != "sweep.json"]
    assert {r["host"]["transport"]["parameters"]["btl"]["value"] for r in records} == {"self,tcp"}, "made again"
    assert all(done_runs(path, results, OMPI_MCA_btl="self,tcp")) and not any(done_runs(path, results))
    results = new_folder() / "results"
    assert call("sweep", path, "--results", results, **with_env(**network)).returncode == 0
    assert all(done_runs(path, results, OMPI_MCA_btl_tcp_if_include="lo,10.9.0.0/16")), "only where"


@pytest.mark.timeout(240)
def test_other_commands_tell_it_too():
    done = call("barrier", "--np", 2, "--seconds", 0.05, "--repetitions", 1, "--techniques", "none", "--json", "-")
    assert json.loads(done.stdout)["host"]["transport"]["parameters"]["pml"]["value"] == "ob1", done
    done = call("run", "gauss_jordan", "--protocol", "events", "--np", 2, "--size", 60, "--lines", 2, "--line-interval", 1, "--json", "-")
    assert json.loads(done.stdout)["host"]["transport"]["parameters"]["coll"]["value"].endswith("han"), done
    said = call("doctor")
    assert said.returncode == 0 and "pml=ob1 (ft-mpi" in said.stdout and "the MPI says: pml = ob1" in said.stdout, said
