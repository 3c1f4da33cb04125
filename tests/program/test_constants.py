"""What a kernel computes once outlives the process that computed it, unless the node is lost; the answer is the same in any case."""
from problems import CG, CG4, JACOBI, kill, survive
from rollbench import refuse_all, run

BFS = ("bfs", "--scale", 10, "--np", 4, "--interval", 4, "--ckpt-sync")


def sources(record):
    return [failure.get("constants_from") for failure in record["failures"]]


def test_a_replacement_uses_those_of_the_dead_process():
    """Also one that is killed in its turn, with local and global rollback, and where it gives duplicates something to compute with."""
    assert sources(kill(CG4, "all", "1@33", "1@58", "2@83")) == [{"kept": [1]}, {"kept": [1]}, {"kept": [2]}]
    assert sources(kill(CG4, "none", "0@33", "3@33:recovery"))[0] == {"kept": [0, 3]}
    assert sources(kill(CG4, "none", "1@33", more=("--recompute", "dataflow"))) == [{"kept": [1]}]
    assert sources(kill(BFS, "all", "2@9")) == [{"kept": [2]}]


def test_a_process_that_was_started_for_the_role_uses_them():
    assert sources(kill(CG4, "all", "1@33", "1@58", spares=0, more=("--replace", "spawn", "--no-escalation"))) == [{"kept": [1]}] * 2


def test_those_that_are_computed_in_a_recovery_are_kept_for_the_next():
    """Role 0 dies with both roles that have its matrix open. It computes so long that the others are through their first iteration by then."""
    record = kill(("cg", "--class", "A", "--np", 4, "--interval", 25, "--ckpt-sync"), "all", "0@33", "2@33", "3@33", "0@58", spares=0,
                  more=("--replace", "spawn", "--no-escalation"))
    assert sources(record)[-1] == {"kept": [0]}, sources(record)


def test_on_another_node_they_are_computed():
    record = survive(CG, "all", more=("--node-size", 2, "--kill-node", "1@38"))
    assert sources(record) == [{"computed": [2, 3]}] * 2, sources(record)


def test_they_are_computed_where_that_is_asked_for():
    record = kill(CG4, "all", "1@33", more=("--constants", "compute"))
    assert sources(record) == [{"computed": [1]}] and record["constants"] == "compute", record
    assert "constants" not in run(*CG4)
    refuse_all(("run", "cg", "--constants", "kept", ("--constants kept", "keep", "compute")))


def test_a_new_job_computes_them():
    assert sources(kill(CG4, "none", "1@33", more=("--strategy", "restart"))) == [{"computed": [0, 1, 2, 3]}]


def test_a_kernel_without_any_says_nothing():
    assert sources(kill(JACOBI, "all", "2@33")) == [None]
