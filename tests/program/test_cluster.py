"""Several hosts, on a virtual cluster (scripts/vcluster): where roles and spares go, a host's death in the job, and
the death of a host with its MPI daemon."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from cluster import CG, VCLUSTER, need_cluster, on_cluster
from rollbench import ROOT, descendants_named, door, new_folder, refuse, refuse_all, run, wait_until
from schema import loads

JACOBI = ("jacobi", "--grid", 48, "--steps", 40, "--np", 4, "--interval", 10)
LULESH = ("lulesh", "--edge", 3, "--np", 8, "--interval", 10)


def run_there(*args, hosts=3, expect=0, before=":"):
    words = " ".join(str(a) for a in args)
    done = on_cluster(hosts, f'{before}; "$RB" run {words} --hostfile "$HOSTS" --deadline 80 --json -')
    assert done.returncode == expect, (done.returncode, done.stdout[-1500:], done.stderr[-3000:])
    return loads(done.stdout)


def links():
    return subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout.count("\n")


def test_a_cluster_comes_and_goes():
    need_cluster()
    before = links()
    there = on_cluster(2, 'hostname; "$VC" h1 hostname; "$VC" h2 "cd / && pwd"; "$VC" kill h1; '
                       'while "$VC" hosts | grep -q h1; do sleep 0.01; done; "$VC" hosts; exit 7')
    assert there.returncode == 7 and there.stdout.split() == ["head", "h1", "/", "h2"], there
    assert links() == before


LINGER = f"600.{os.getpid():07d}"  # seconds; marks the command lines of this test's clusters only


def must_end():
    """All processes of a cluster of LINGER."""
    wait_until(lambda: not descendants_named(LINGER))


def test_a_cluster_ends_with_its_command():
    """Also if it is ended very early."""
    need_cluster()
    before = links()
    for i in range(40):
        with subprocess.Popen([VCLUSTER, "run", "2", "sleep", LINGER]) as process:
            time.sleep(0.005 * i)
            process.send_signal((signal.SIGKILL, signal.SIGTERM)[i % 2])
            process.wait(10)
    must_end()
    assert links() == before


def test_a_death_before_its_signal_is_set_ends_a_cluster():
    """The parts of a cluster end with each other by death signals, which an earlier death does not send."""
    need_cluster()
    late = {"setpriv": 'read -r _ <"$0.go"; exec "$real" "$@"',  # the command that began it is dead
            "unshare": '"$real" "$@" & exit 0'}  # the process whose death should be signalled is dead
    for tool, then in late.items():
        with tempfile.TemporaryDirectory(prefix="rollbench-test-") as work:
            begun, wrapper = pathlib.Path(work, "begun"), pathlib.Path(work, tool)
            wrapper.write_text(f"#!/bin/sh\nreal={shutil.which(tool)}\n"
                               f'case "$*" in *" head 2 "*) : >{begun} ;; *) exec "$real" "$@" ;; esac\n{then}\n')
            wrapper.chmod(0o755)
            env = {**os.environ, "PATH": f"{work}:{os.environ['PATH']}"}
            with door(wrapper.with_suffix(".go")) as go:
                process = subprocess.Popen([VCLUSTER, "run", "2", "sleep", LINGER], env=env)
                wait_until(lambda: begun.exists() or process.poll() is not None)
                assert begun.exists(), "no cluster"
                process.send_signal(signal.SIGKILL)
                process.wait()
                go.write(b"\n")
                must_end()


def test_roles_in_blocks_and_spares_apart():
    need_cluster()
    right = run(*CG)["state_hash"]
    record = run_there(*CG, "--spares", 1, "--spare-hosts", 1, "--kill", "1@13")
    assert record["hosts"] == ["h1", "h2", "h3"] and record["lost_hosts"] == [], record["hosts"]
    assert [r["host"] for r in record["roles"]] == ["h1", "h3", "h2", "h2"], record["roles"]
    assert record["state_hash"] == right


@pytest.mark.parametrize("hosts, names", (("3", "s/$/.a-domain/"), ("3", "s/h/10.77.0./"), ("3.lan", "s/.lan//")))
def test_a_host_has_several_names(hosts, names):
    """In the file, to itself and to the MPI. With each, it is found, and found to be lost when its daemon dies."""
    need_cluster()
    right = run(*CG)["state_hash"]
    record = run_there(*CG, "--kill", "host1@38", hosts=hosts, before=f"sed -i {shlex.quote(names)} \"$HOSTS\"")
    assert record["status"] == "ok" and record["state_hash"] == right, record
    assert record["restarts"] == 1 and record["lost_hosts"] == record["hosts"][1:2], (record["lost_hosts"], record["hosts"])


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_host_dies_and_the_job_goes_on():
    need_cluster()
    plan = [(CG, "buddy", [1, 2]), (JACOBI, "rs:2+2", [1, 2]), (LULESH, "file", [3, 4])]
    for kernel, level, there in plan:
        record = run_there(*kernel, "--ckpt", level, "--policy", "all", "--kill-node", "1@27")
        assert record["state_hash"] == run(*kernel)["state_hash"]
        assert sorted(f["role"] for f in record["failures"]) == there, record["failures"]
        assert all(f["replaced_by"] == "spare" for f in record["failures"])
        assert "h2" not in [r["host"] for r in record["roles"]] and record["restarts"] == 0
        if level != "file":
            assert "file" not in record["failures"][0]["restored_from"], record["failures"]


@pytest.mark.long
@pytest.mark.timeout(240)
def test_a_host_dies_with_its_daemon_and_the_others_start_again():
    """The runs are long: spares could finish a short one before mpirun notices the daemon's death."""
    need_cluster()
    jacobi = ("jacobi", "--grid", 48, "--steps", 3000, "--np", 4, "--interval", 10)
    for kernel in (CG, jacobi, LULESH):
        record = run_there(*kernel, "--kill", "host1@27")
        assert record["restarts"] == 1 and record["lost_hosts"] == ["h2"], record
        assert record["state_hash"] == run(*kernel)["state_hash"]
        # Spares may have replaced the dead before the daemon's death ended the job.
        assert {f["replaced_by"] for f in record["failures"]} <= {"restart", "spare"}, record["failures"]
        assert {r["host"] for r in record["roles"]} == {"h1", "h3"}


def torture_there(runs, seed):
    done = on_cluster(3, f'"$RB" torture --hostfile "$HOSTS" --kills planned --runs {runs} --seed {seed} --workdir "$TMPDIR"',
                      timeout=60 + 6 * runs)
    assert done.returncode == 0, (done.returncode, done.stdout[:3000], done.stderr[-1000:])  # bad runs come first
    total = re.search(rf"^total +{runs} +(\d+) +0 +0 +0 +\d+ +\d+$", done.stdout, re.MULTILINE)
    assert total and 2 * int(total[1]) > runs, done.stdout  # most of them did not lack spares


@pytest.mark.long
@pytest.mark.timeout(120)
def test_torture_on_hosts():
    need_cluster()
    torture_there(5, 5)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_more_torture_on_hosts():
    """Some of these hosts die with their MPI daemon."""
    need_cluster()
    torture_there(60, 6)


LONG = ("jacobi", "--grid", 48, "--steps", 4000, "--np", 2, "--interval", 50)


def begin_long(*args):
    """The beginning of a script: a run in the background, $!, that has its first checkpoint."""
    words = " ".join(map(str, (*LONG, *args)))
    return (f'"$RB" run {words} --hostfile "$HOSTS" --quiet & '
            'until ls "$TMPDIR"/*/role.1.iter.*.ckpt >/dev/null 2>&1; do sleep 0.02; done; ')


def test_a_host_is_switched_off():
    need_cluster()
    done = on_cluster(2, begin_long("--deadline", 25, "--json", '"$TMPDIR/r"') +
                      '"$VC" kill h2; wait $! || true; cat "$TMPDIR/r"; rm "$TMPDIR/r"')
    assert done.returncode == 0, done
    record = loads(done.stdout)
    assert record["lost_hosts"] == ["h2"] and record["restarts"] >= 1, record
    assert record["status"] == "ok", record
    assert record["state_hash"] == run(*LONG)["state_hash"]


def test_what_was_in_memory_is_lost_with_the_job():
    need_cluster()
    record = run_there(*CG, "--ckpt", "buddy", "--kill", "host1@27", expect=4)
    assert record["restarts"] == 0 and record["lost_hosts"] == ["h2"]
    assert "because a host was lost" in record["message"] and "terminate" in record["message"], record["message"]


def test_out_of_spares_with_all_hosts_alive():
    """If the job ends without a message of the MPI, this does not prove that a host is gone."""
    need_cluster()
    record = run_there(*CG, "--spares", 0, "--kill", "1@27", expect=5)
    assert record["status"] == "out-of-spares" and record["restarts"] == 0, record
    assert record["lost_hosts"] == [] and "more --spares" in record["message"], record


SWEEP = """\
name: hosts
runs:
  - {kernel: cg, class: S, np: 4, interval: 25, policy: [none, all],
     kill: {roles: [1], iterations: "27", phases: [send]}}
"""


@pytest.mark.long
def test_a_sweep_over_hosts():
    need_cluster()
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as folder:
        path, results = pathlib.Path(folder, "x.yaml"), pathlib.Path(folder, "x")
        path.write_text(SWEEP)
        sweep = f'"$RB" sweep {path} --results {results} --hostfile'
        done = on_cluster(3, f'{sweep} "$HOSTS"; mv "$HOSTS" {folder}/h; '
                          # The next allocation has other hosts: only their properties matter.
                          f'for there in s/h/node/ s/2/2\\ slots=2/; do sed "$there" {folder}/h >"$HOSTS"; '
                          f'{sweep} "$HOSTS" --dry-run; done; {sweep} {folder}/h --spare-hosts 1 --dry-run')
        assert done.returncode == 0, done
        found = [int(n) for n in re.findall(r"^(\d+) done", done.stdout, re.M)]
        assert found == [4, 0, 0], (found, done.stdout)
        records = [loads(p.read_text()) for p in results.glob("cg*.json")]
    assert len(records) == 4 and {r["state_hash"] for r in records} == {run(*CG)["state_hash"]}, records
    assert all(r["hosts"] == ["h1", "h2", "h3"] for r in records)
    assert sum(len(r["failures"]) for r in records) == 2


def test_a_killed_run_goes_on_on_another_host():
    need_cluster()
    done = on_cluster(3, begin_long("--spares", 1, "--kill", "host1@3999") +
                      'kill -KILL $!; wait $! || true; echo h3 >"$HOSTS"; run=$(echo "$TMPDIR"/rollbench-run-*); '
                      'until "$RB" resume "$run" --hostfile "$HOSTS" --json - --quiet; do sleep 0.2; done; '
                      'rm -rf "$run"')
    assert done.returncode == 0, done
    record = loads(done.stdout)
    assert record["state_hash"] == run(*LONG)["state_hash"]
    assert {r["host"] for r in record["roles"]} == {"h3"}, record["roles"]
    assert record["unfired"] == ["host1@3999:start"], record["unfired"]  # this host does not exist now


def test_run_all_passes_the_hosts_on():
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as folder:
        fake = pathlib.Path(folder, "rollbench")
        fake.write_text('#!/bin/sh\necho "$*" >>"$0.log"\n[ "$1" != sweep ] || exit 6\n')  # 6: nothing to draw yet
        fake.chmod(0o755)
        env = {**os.environ, "ROLLBENCH_BIN_DIR": folder, "PROFILE": "paper", "ROLLBENCH_HOSTFILE": "my hosts",
               "ROLLBENCH_SPARE_HOSTS": "2", "ROLLBENCH_WORKDIR": f"{folder}/w"}
        done = subprocess.run([ROOT / "scripts/run-all", f"{folder}/results"], capture_output=True, text=True, env=env)
        assert done.returncode != 0, done
        sweeps = [line for line in fake.with_suffix(".log").read_text().splitlines() if line.startswith("sweep")]
        assert len(sweeps) == len(list((ROOT / "configs/paper").glob("*.yaml"))), sweeps
        for line in sweeps:
            assert line.endswith(f"--hostfile my hosts --spare-hosts 2 --workdir {folder}/w"), line


def test_bad_host_files_are_refused():
    folder = new_folder()
    path = folder / "hosts"
    for text, words in (("a\nb slots=x\n", (":2:", "slots=x")), ("a\n\na\n", (":3:", "twice")),
                        ("# none\n", ("no host",)), ("a" * 70 + "\n", (":1:", "host names"))):
        path.write_text(text)
        refuse("run", *CG, "--hostfile", path, words=words)
    path.write_text("a slots=2\nb # the last\n")
    refuse_all(("run", *CG, "--hostfile", path, "--spare-hosts", 2, ("--spare-hosts 2", "roles")),
               ("run", *CG, "--hostfile", path, "--kill", "host2@3", ("host2", "no rank")),
               ("run", *CG, "--spare-hosts", 1, ("--hostfile",)),
               ("run", *CG, "--kill", "host0@3", ("without --hostfile",)),
               ("run", *CG, "--hostfile", folder / "none", ("none",)))
    path.unlink()
    folder.rmdir()
