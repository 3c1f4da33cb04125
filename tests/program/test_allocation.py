"""Several hosts without --hostfile: those of a batch system's allocation are used, and the doctor looks at them. The batch systems are only their
environment variables here; the hosts are those of a virtual cluster."""
import json
import os

import pytest

from cluster import CG, need_cluster, on_cluster
from rollbench import call, new_folder, refuse
from schema import loads

SLURM = "SLURM_JOB_NODELIST='h[1-3]'"


@pytest.fixture(autouse=True)
def with_allocations(monkeypatch):
    monkeypatch.delenv("ROLLBENCH_NO_ALLOCATION", raising=False)  # not set with --pdb


def doctor(there):
    """{what: [(verdict, text)]}"""
    found = {}
    for line in there.stdout.splitlines():
        if line[10:11] == " " and line.strip():
            found.setdefault(line[:10].strip(), []).append((line[11:19].strip(), line[20:]))
    return found


def finds_hosts(variables, system):
    """Without --hostfile the doctor said: use Open MPI 5 with ULFM, and a run was an abort in odls. How the variables of LSF
    and others are read: tests/unit_hosts.c."""
    need_cluster()
    there = on_cluster(3, f'{variables} "$RB" doctor')
    said = doctor(there)
    assert there.returncode == 0, there
    assert said["hosts"][0][0] == "ok" and said["hosts"][0][1].startswith(f"3 of {system} ($") and "h1, h2, h3" in said["hosts"][0][1], said
    assert [(verdict, text.split()[0]) for verdict, text in said["host"]] == [("ok", "h1"), ("ok", "h2"), ("ok", "h3")], said
    assert said["ulfm"][0][0] == "ok" and "on two hosts" in said["messages"][0][1], said


def test_the_hosts_of_slurm_are_found():
    finds_hosts(SLURM, "Slurm")


@pytest.mark.long
def test_the_hosts_of_pbs_are_found():
    finds_hosts('PBS_NODEFILE="$HOSTS"', "PBS")


@pytest.mark.long
def test_the_hosts_of_flux_are_found():
    fake = new_folder() / "flux"
    fake.write_text('#!/bin/sh\n[ "$*" = "getattr hostlist" ] && echo "h[1-3]"\n')
    fake.chmod(0o755)
    finds_hosts(f"FLUX_URI=local:///x PATH='{fake.parent}':$PATH", "Flux")


@pytest.mark.long
@pytest.mark.timeout(240)
def test_all_commands_use_them():
    need_cluster()
    there = on_cluster(3, f'export {SLURM}; "$RB" run cg --np 4 --kill-node 1@38 --json "$TMPDIR/run" >&2; "$RB" run jacobi --grid 32 --steps 16 --np 2 '
                       '--interval 8 --spare-hosts 1 --spares 1 --json "$TMPDIR/spare" >&2; '
                       'sed 1d "$HOSTS" >"$TMPDIR/two"; "$RB" run cg --np 4 --hostfile "$TMPDIR/two" --json "$TMPDIR/named" >&2; '
                       '"$RB" barrier --np 3 --seconds 0.05 --repetitions 1 --techniques none --json "$TMPDIR/barrier" >&2; '
                       '"$RB" barrier --np 2 --seconds 0.05 --repetitions 1 --techniques none --hostfile "$TMPDIR/two" --json "$TMPDIR/two-barrier" >&2; '
                       '"$RB" torture --kills planned --runs 1 --kernel jacobi --results "$TMPDIR/t" >&2; cd "$TMPDIR"; '
                       'for f in run spare named barrier two-barrier; do tr -d "\\n" <$f; echo; done; '
                       'rm -rf run spare named two barrier two-barrier t', timeout=200)
    assert there.returncode == 0, there
    ran, spare, named, barrier, two = map(json.loads, there.stdout.splitlines())
    for record in (ran, spare, named):
        loads(json.dumps(record))
    assert "hosts of the allocation: h1, h2, h3\n" in there.stderr, there.stderr
    assert ran["status"] == "ok" and ran["hosts"] == ["h1", "h2", "h3"] and len(ran["failures"]) > 0, ran
    assert ran["host"]["network"]["host"] in ("h2", "h3") and ran["host"]["transport"]["parameters"]["pml"]["value"] == "ob1"
    assert spare["hosts"] == ran["hosts"] and {r["host"] for r in spare["roles"]} == {"h1", "h2"}, spare["roles"]
    assert named["hosts"] == ["h2", "h3"], "--hostfile counts more"
    assert [r["host"] for r in barrier["ranks"]] == ["h1", "h2", "h3"] and [r["host"] for r in two["ranks"]] == ["h2", "h3"], (barrier, two)


@pytest.mark.timeout(240)
def test_the_doctor_names_what_hosts_lack():
    need_cluster()
    there = on_cluster(2, 'set +e; "$RB" doctor --hostfile "$HOSTS" --workdir /dev/shm; echo "status $?"; '
                          'cp "$HOSTS" "$TMPDIR/more"; echo h9 >>"$TMPDIR/more"; '
                       '"$RB" doctor --hostfile "$TMPDIR/more"; echo "status $?"; rm "$TMPDIR/more"; '
                       'export ROLLBENCH_TEST_AHEAD="h2 -0.25" ROLLBENCH_MPIRUN_ARGS="$ROLLBENCH_MPIRUN_ARGS -x ROLLBENCH_TEST_AHEAD"; '
                       '"$RB" doctor --hostfile "$HOSTS"; echo "status $?"; "$RB" run cg --np 4 --hostfile "$HOSTS" --workdir /dev/shm', timeout=200)
    folder, missing, clock, ran = there.stdout.split("status ")
    assert "FAIL     h2 does not see /dev/shm/" in folder and "remedy: --workdir" in folder, folder
    assert missing.startswith("1") and "mpirun cannot start its daemon on h9;" in missing and "use Open MPI 5 with ULFM" not in missing, missing
    assert clock.startswith("1") and "h2: its clock is 0.25 s behind" in clock and "h1 sees" in clock, clock
    assert ran.startswith("0"), "a warning only"
    assert "all hosts must see the folder of the run (--workdir)" in ran, ran


def test_a_job_on_this_host_needs_no_allocation_and_no_policy():
    """mpirun reads both by itself: it started srun and ssh to the other hosts, and ended for a policy of the site."""
    slurm = {"SLURM_JOB_ID": "7", "SLURM_JOBID": "7", "SLURM_NNODES": "2", "SLURM_TASKS_PER_NODE": "1(x2)",
             "SLURM_NODELIST": "nosuch[1-2]", "SLURM_JOB_NODELIST": "nosuch[1-2]"}
    site = {"PRTE_MCA_rmaps_default_mapping_policy": "ppr:1:node", "PRTE_MCA_rmaps_default_ranking_policy": "fill"}
    done = call("run", "jacobi", "--grid", 16, "--steps", 4, "--np", 2, env={**os.environ, **slurm, **site, "ROLLBENCH_NO_ALLOCATION": "1"})
    assert done.returncode == 0 and "status: ok" in done.stdout, done


def test_who_named_the_hosts():
    """It was: --hostfile (null)."""
    mpirun = new_folder() / "mpirun"
    mpirun.write_text("#!/bin/sh\n")
    mpirun.chmod(0o755)
    refuse("run", "gauss_jordan", "--np", 2, "--protocol", "events", words=("the allocation: host h1 does not share",),
           env={**os.environ, "ROLLBENCH_MPIRUN": str(mpirun), "SLURM_JOB_NODELIST": "h[1-2]"})


def test_an_allocation_that_cannot_be_read_is_refused():
    for variable, value, word in (("PBS_NODEFILE", "/no/such/file", "PBS"), ("SLURM_JOB_NODELIST", "h[1-", "Slurm")):
        refuse("run", *CG, words=(word, variable, "--hostfile"), env={variable: value})
