"""Shared cores and links in the simulator: `simulate --engine simgrid` against what is computed by hand (docs/simulator.md).

A message of 125 MB takes 1 s on a link of 1 Gbit/s.
"""
import json

import pytest

from rollbench import HELPERS, call, refuse_all

ROLES = ("--latency", "0s", "--work", "1s")
APART = (*ROLES, "--bytes", "1B", "--bandwidth", "1e18")  # messages take no time
HEAVY = (*ROLES, "--bytes", "125MB")
WATTS = ("--watts", "compute=100W,wait=50W,capped=40W,off=10W")
TICK = 2.0 ** -30


def simulate(*args, engine="simgrid"):
    if not (HELPERS.parent / "rollbench_simgrid").exists():
        pytest.skip("SimGrid is not installed")
    record = json.loads(call("simulate", *args, "--engine", engine, "--json", "-").stdout)
    return record["runs"][0] if len(record["runs"]) == 1 else record["runs"]


def expect(seconds, free, *args, ticks=0):
    """The run ends after so many seconds, and after `free` if nothing is shared."""
    run = simulate("stencil1d", *args, "--method", "local")
    assert abs(run["makespan_s"] - seconds) <= ticks * TICK and abs(run["contention_free_makespan_s"] - free) <= ticks * TICK, run
    assert abs(run["contention_ratio"] - run["makespan_s"] / run["contention_free_makespan_s"]) < 1e-12, run
    return run


def test_roles_share_cores():
    def hosts(roles, cores):
        return ("--roles-per-host", roles, "--cores-per-host", cores)
    # Two roles on one core take twice as long, and three on two cores half as long again.
    expect(20, 10, "--np", "2", "--steps", "10", *APART, *hosts(2, 1))
    expect(15, 10, "--np", "3", "--steps", "10", *APART, *hosts(3, 2), ticks=10)
    # On 2 cores, 4 roles take 2 s for an iteration. The one on the second host waits for its neighbour there.
    expect(2 * 10, 10, "--np", "5", "--steps", "10", *APART, *hosts(4, 2))
    # Two checkpoints of 3 s before iterations 4 and 8, also shared.
    expect(20 + 2 * 6, 16, "--np", "2", "--steps", "10", *APART, *hosts(2, 1), "--interval", "4", "--checkpoint", "3s")
    # Copies into the log: 2 messages of 125 MB at 1 Gbit/s in an iteration of role 1, 1 message of roles 0 and 2. With a core
    # for all: roles 0 and 2 are done after 3 s, role 1 has 1 s left alone. Then messages (no time), and work of 3 s.
    expect(4 + 3, 3, "--np", "3", "--steps", "1", *ROLES, "--bytes", "125MB", "--bandwidth", "1e18", "--log-bandwidth",
           "1Gbit/s", *hosts(3, 1), ticks=4)


def test_a_recovery_on_shared_cores():
    args = ("stencil1d", "--np", "2", "--steps", "10", *APART, "--interval", "20", "--roles-per-host", "2", "--cores-per-host",
            "1", "--fail", "0@4", "--method", "local,global")
    local, everyone = simulate(*args)
    # 4 iterations together, the lost ones alone on the core or again together, and the last 6 together.
    assert abs(local["makespan_s"] - (8 + 4 + 12)) < 3 * TICK and abs(everyone["makespan_s"] - (8 + 8 + 12)) < 3 * TICK
    for run in local, everyone:
        assert abs(run["contention_free_makespan_s"] - 14) < 3 * TICK, run


def test_the_printed_table_says_how_far_it_is_off():
    simulate("stencil1d", "--np", "2", "--steps", "1", *APART)  # is it here?
    text = call("simulate", "stencil1d", "--np", "2", "--steps", "10", *APART, "--roles-per-host", "2", "--cores-per-host", "1",
                "--method", "global", "--engine", "simgrid").stdout
    assert "if nothing is shared" in text and text.splitlines()[-1].split() == ["global", "10", "2"], text
    text = call("simulate", "stencil1d", "--np", "2", "--steps", "10", *APART, "--method", "global", "--engine", "simgrid").stdout
    assert "shared" not in text, text


def test_messages_share_links():
    # Role 1 sends two messages over its link to the switch, and gets two over the other direction.
    expect(3, 2, "--np", "3", "--steps", "1", *HEAVY, "--network", "star")
    # Alone, a message takes as long as if nothing were shared, whatever is on its way.
    for network in ("star", "torus:2", "fattree:2/1", "fattree:1x2/1x1"):
        expect(20, 20, "--np", "2", "--steps", "10", *HEAVY, "--network", network)
    # Along a ring each message has a link for itself.
    expect(20, 20, "--np", "6", "--steps", "10", "--periodic", *HEAVY, "--network", "torus:6")
    # Two switches with two hosts each and one link between them: roles 0, 1 | 2, 3. Roles 1 and 2 send two messages each.
    expect(3, 2, "--np", "4", "--steps", "1", *HEAVY, "--network", "fattree:2x2/1x1")
    # Two messages each way between hosts 0 and 1, from roles (0, 1) to (2, 3) in a grid of 2 x 2; others stay on a host.
    run = simulate("stencil2d", "--grid", "2x2", "--steps", "1", *HEAVY, "--roles-per-host", "2", "--network", "star", "--method",
                   "local")
    assert (run["makespan_s"], run["contention_free_makespan_s"]) == (3, 2), run
    # Each of the two links on the way adds 1 s.
    expect(4, 2, "--np", "2", "--steps", "1", *HEAVY, "--network", "star", "--hop-latency", "1s")


def test_with_a_core_for_each_role_nothing_changes():
    """To the bit, also over failures; and where messages occupy no links, on any network."""
    args = ("stencil2d", "--grid", "4x3", "--steps", "20", "--interval", "6", "--work", "1ms,2ms,7ms", "--detect", "1ms", "--repair",
            "2ms", "--checkpoint", "1ms", "--fail", "3@9,7@12", "--method", "dataflow")
    free = simulate(*args, engine="fast")
    run = simulate(*args, "--roles-per-host", "5", "--cores-per-host", "5")
    assert run["end_times_hash"] == free["end_times_hash"] and run["contention_ratio"] == 1, run
    assert run["iterations"] == free["iterations"] and run["iterations"]["supported"] > 0, run
    free = simulate(*args, "--bandwidth", "1e18", engine="fast")
    for network in ("star", "torus:4x3", "fattree:3x2x2/1x2x1/1x1x2"):
        run = simulate(*args, "--bandwidth", "1e18", "--network", network)
        assert run["end_times_hash"] == free["end_times_hash"], (network, run)


def test_energy_of_hosts():
    args = ("stencil1d", "--np", "3", "--steps", "10", *HEAVY, *WATTS, "--fail", "1@4", "--repair", "1s", "--method", "local")
    run = simulate(*args)
    sums = run["energy_j"]
    assert all(joules > 0 for joules in sums.values()), run
    assert abs(run["host_energy_j"] - sum(sums.values())) < 1e-6, run
    # A core that three roles share takes the power of one that computes.
    run = simulate("stencil1d", "--np", "3", "--steps", "1", *APART, *WATTS, "--roles-per-host", "3", "--cores-per-host", "1",
                   "--method", "local")
    assert abs(run["host_energy_j"] - 3 * (3 * 50 + 50)) < 1e-6 and abs(run["energy_j"]["compute"] - 9 * 100) < 1e-6, run
    # The second host has one role.
    run = simulate("stencil1d", "--np", "3", "--steps", "1", *HEAVY, *WATTS, "--roles-per-host", "2", "--network", "torus:2",
                   "--method", "local")
    assert run["makespan_s"] == 2 and abs(run["host_energy_j"] - 3 * (50 + 100)) < 1e-6, run


def test_what_is_refused():
    base = ("simulate", "stencil1d", "--np", "8", "--steps", "9")
    refuse_all(
        (*base, "--cores-per-host", "2", ("--cores-per-host", "engine fast", "--engine simgrid")),
        (*base, "--engine", "ref", ("--engine ref", "fast", "simgrid")),
        (*base, "--network", "star", ("--network", "--engine simgrid")),
        (*base, "--hop-latency", "1us", ("--hop-latency", "--engine simgrid")),
        (*base, "--engine", "simgrid", "--hop-latency", "1us", ("hop-latency", "give a network")),
        (*base, "--engine", "simgrid", "--network", "ring", ("network ring", "torus:AxB")),
        (*base, "--engine", "simgrid", "--network", "torus:3x3", ("torus:3x3", "9 hosts", "8 roles")),
        (*base, "--engine", "simgrid", "--network", "torus:8x1", ("torus:8x1", "at least 2")),
        (*base, "--engine", "simgrid", "--network", "fattree:2x4/1", ("fattree:2x4/1", "each")),
        (*base, "--engine", "simgrid", "--roles-per-host", "2", "--network", "fattree:8/1", ("8 hosts", "have 4")),
        (*base, "--engine", "simgrid", "--cores-per-host", "0", ("cores-per-host",)),
    )
