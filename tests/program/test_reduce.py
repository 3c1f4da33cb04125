"""Shapes of a reduction (--reduce): recovery with each of them, who is active then, and names of runs."""
import io
import json

import pytest

import drawing
from forecasts import explain, within
from problems import JACOBI, LULESH, SYNC, kill
from rollbench import call, cpu_limit, new_folder, reference, refuse_all, run

from plots.tables import active_shapes

SHAPES = ("doubling", "binomial", "ring", "central", "grid")
KILLS = ("0@33", "3@47:send", "0@61:op+5", "5@79:commit", "2@93:op+4")  # each in an interval of its own


def survives_in_each_shape(kernel):
    """Role 0, which is the root of a tree and the centre, and others; local rollback. Returns the failure-free hashes."""
    for shape in SHAPES:
        args = (*kernel, "--reduce", shape)
        record = kill(args, "all", *KILLS)
        for plan, failure in zip(KILLS, record["failures"], strict=True):
            forecast = explain(*args, "--policy", "all", "--kill", plan)
            assert failure["rollback_set"] == forecast["restarted"] == [failure["role"]], failure
            within(forecast, failure["active"], "active", "perhaps_active")
    return {shape: reference(*kernel, "--reduce", shape) for shape in SHAPES}


@pytest.mark.long
@pytest.mark.timeout(300)
def test_lulesh_survives_in_each_shape():
    hashes = survives_in_each_shape(LULESH)
    assert set(hashes.values()) == {reference(*LULESH)}, hashes  # a maximum has no rounding errors


@pytest.mark.long
@pytest.mark.timeout(300)
def test_jacobi_survives_in_each_shape():
    """The residual of this grid shows the order of additions in its last bit; that of most does not."""
    jacobi = ("jacobi", "--grid", 131, "--steps", 99, "--np", 6, "--interval", 20, SYNC)
    hashes = survives_in_each_shape(jacobi)
    assert hashes["grid"] == reference(*jacobi) != hashes["ring"], hashes


@pytest.mark.long
@pytest.mark.timeout(200)
def test_cg_survives_in_each_shape():
    cg = ("cg", "--class", "S", "--steps", 60, "--np", 8, "--interval", 20, SYNC)
    for shape in SHAPES[:-1]:
        kill((*cg, "--reduce", shape), "all", "0@13", "5@37:op+7")
    assert reference(*cg, "--reduce", "doubling") == reference(*cg)


@pytest.mark.long
def test_cones_do_not_need_the_messages_of_a_reduction():
    """Data-flow rollback takes results from the record, whatever the shape: who supports does not depend on it."""
    cases = [run(*JACOBI, "--reduce", shape, "--policy", "none", "--recompute", "dataflow", "--kill", "0@33") for shape in SHAPES]
    assert len({json.dumps(record["failures"][0]["supported"]) for record in cases}) == 1
    for shape, record in zip(SHAPES, cases):
        assert record["state_hash"] == reference(*JACOBI, "--reduce", shape), shape


def test_wrong_shapes_are_refused():
    refuse_all(("run", "jacobi", "--reduce", "tree", ("--reduce tree", "binomial", "grid")),
               ("run", "cg", "--reduce", "grid", ("--reduce grid", "over a grid of roles")),
               ("simulate", "allreduce", "--np", 8, "--reduce", "grid", ("--reduce grid",)),
               ("partners", "allreduce", "--np", 8, "--role", 8, ("--role 8", "8 roles")),
               ("partners", "cg", "--np", 4, "--parts", 375, ("--parts 375", "375 iterations, from 0 on")),
               ("partners", "cg", "--np", 4, "--parts", 3, "--repeats", 2, ("--parts", "--repeats")),
               ("partners", "triangle", "--np", 8, ("triangle",)))


def test_only_another_shape_is_in_the_name_of_a_run():
    path = new_folder() / "shapes.yaml"
    path.write_text("name: shapes\nruns:\n" + "".join(
        f"  - kernel: jacobi\n    steps: 60\n{option}    np: 2\n    interval: 25\n    policy: none\n"
        for option in ("", "    reduce: auto\n", "    reduce: ring\n")))
    done = call("sweep", path, "--dry-run", "--json", "--results", path.parent / "none")
    names = {run["id"].partition("-np")[0] for run in json.loads(done.stdout)["runs"]}
    assert names == {"jacobi-grid=256-steps=60-decomp=auto", "jacobi-grid=256-steps=60-decomp=auto-reduce=ring"}, names


def partners(*args):
    done = call("partners", *args, "--json", preexec_fn=cpu_limit(20))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_partners_by_shape():
    """power-log-n-roll, Fig. 4 and Sect. 6.3, up to 2^20 roles."""
    def allreduce(shape, np, *more):
        return partners("allreduce", "--np", np, "--reduce", shape, *more)

    assert allreduce("ring", 8, "--role", 5)["active"] == [4]
    assert allreduce("binomial", 8, "--role", 5)["active"] == [4]
    assert allreduce("binomial", 8, "--role", 4)["active"] == [0, 5, 6]
    assert allreduce("doubling", 128, "--role", 0)["active"] == [1, 2, 4, 8, 16, 32, 64]
    for power in (3, 10, 20):
        np = 2 ** power
        assert allreduce("doubling", np)["least"] == allreduce("doubling", np)["most"] == power
        binomial, ring, central = (allreduce(shape, np) for shape in ("binomial", "ring", "central"))
        assert (binomial["role_0"], binomial["most"], binomial["least"]) == (power, power, 1), binomial
        assert binomial["mean"] == central["mean"] == 2 * (np - 1) / np, (binomial, central)
        assert (ring["least"], ring["most"]) == (1, 1) and (central["role_of_most"], central["most"]) == (0, np - 1)
    for kernel in (("jacobi", "--np", 12, "--decomp", "3x4"), ("lulesh", "--np", 27), ("cg", "--np", 16)):
        for shape in SHAPES[:-1]:
            forecast = explain(*kernel, "--reduce", shape, "--policy", "all", "--kill", "5@33")
            assert partners(*kernel, "--reduce", shape, "--role", 5)["active"] == forecast["active"], (kernel, shape)


def test_the_table_of_shapes():
    out = io.StringIO()
    active_shapes.write_variants(out, drawing.Asked(), active_shapes.KERNELS[:1])
    active_shapes.write_growth(out, drawing.Asked(), (3, 10, 12, 14))
    for row in ("| lulesh, 5x5x5 roles | ring | {1, 5, 25, 124} | {1, 5, 25} | 5 | 6 |",
                "| lulesh, 5x5x5 roles | grid | {1, 5, 25} | {1, 5, 25} | 4.8 | 6 |",
                "| binomial | the role with most | 3 | 10 | 12 | 14 | log2 P |",
                "| binomial | mean of all roles | 1.75 | 1.998 | 2 | 2 | constant, 2 |",
                "| ring | the role with most | 1 | 1 | 1 | 1 | constant, 1 |",
                "| central | role 0 | 7 | 1023 | 4095 | 16383 | P - 1 |",
                "| grid | the role with most | 3 | 4 | 4 | 4 | constant, 4 |"):
        assert row in out.getvalue(), (row, out.getvalue())
