"""`rollbench run --protocol` and its sweeps on several hosts, on a virtual cluster (scripts/vcluster)."""
import json

import pytest

from cluster import need_cluster, on_cluster
from rollbench import new_folder, refuse_all
from schema import loads

GAUSS = "gauss_jordan --np 3 --size 150"


@pytest.mark.long
@pytest.mark.timeout(200)
def test_a_killed_program_goes_on_on_several_hosts():
    need_cluster()
    done = on_cluster(3, f'"$RB" run {GAUSS} --hostfile "$HOSTS" --kill 1@60 --kill 0@80:committed --json -')
    assert done.returncode == 0, done
    record = loads(done.stdout)
    assert record["hosts"] == ["h1", "h2", "h3"] and [job["end"] for job in record["jobs"]] == ["killed", "killed", "finished"], record
    assert record["jobs"][2]["restored"] >= 1 and record["compared"]["equal"], record


@pytest.mark.timeout(200)
def test_a_folder_that_hosts_do_not_share_is_refused():
    """h2 has another file system where the run folder is; then it is switched off."""
    need_cluster()
    done = on_cluster(2, f'''mkdir "$TMPDIR/own"; "$VC" h2 "mount -t tmpfs none $TMPDIR/own"
        "$RB" run {GAUSS} --hostfile "$HOSTS" --workdir "$TMPDIR/own" || echo "status $?"
        rmdir "$TMPDIR/own" 2>/dev/null || echo left
        "$VC" kill h2
        "$RB" run {GAUSS} --hostfile "$HOSTS" || echo "status $?"''')
    assert done.stdout.split() == ["status", "2", "status", "2"], done
    assert "host h2 does not share" in done.stderr and "--workdir" in done.stderr, done.stderr
    assert "cannot start a process on host h2" in done.stderr, done.stderr


@pytest.mark.timeout(200)
def test_a_sweep_on_several_hosts():
    """In another allocation of the same shape nothing is made again; on one host all of it is."""
    need_cluster()
    results = new_folder() / "results"
    path = results.parent / "two.yaml"
    path.write_text("name: two\nprogram: gauss_jordan\nsize: 60\nnp: 2\nprotocol: [source, events]\nlines: 0\n")
    done = on_cluster(2, f'''"$RB" sweep {path} --results {results} --hostfile "$HOSTS"
        "$RB" sweep {path} --results {results} --hostfile "$HOSTS"; "$RB" sweep {path} --results {results}''')
    said = done.stdout.split(f"records: {results}\n")  # of three sweeps, each but for its last lines
    assert done.returncode == 0 and ["2 of 2 runs were already done" in one for one in said] == [False, True, False, False], done
    assert "2 records of another program or description" in said[3], done.stdout
    assert "hosts" not in json.loads((results / "gauss_jordan-size=60-np2-events-free-r0.json").read_text())


def test_what_is_refused_on_hosts():
    folder = new_folder()
    (folder / "hosts").write_text("localhost slots=2\n")
    (folder / "x.yaml").write_text("name: x\nprogram: gauss_jordan\nsize: 60\nnp: 2\nhostfile: hosts\nprotocol: [source]\n")
    words = ("run", *GAUSS.split(), "--hostfile", folder / "hosts")
    refuse_all((*words, "--kill-at", "0.1:1", ("--kill-at", "this machine only")),
               ("run", *GAUSS.split(), "--hostfile", folder / "none", (str(folder / "none"),)),
               ("sweep", folder / "x.yaml", ("x.yaml:5: ", "hostfile: unknown key")))
