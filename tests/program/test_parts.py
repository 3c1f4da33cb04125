"""The parts of an iteration (`rollbench partners --parts`), after Fig. 2 of the message-logging-kernels paper."""
import json

from rollbench import ROOT, call, run


def told(kernel, np, role, iteration, *options):
    done = call("partners", kernel, "--np", np, *options, "--role", role, "--parts", iteration, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def parts(*which):
    return told(*which)["parts"]


def exchanges(*which):
    """(messages, bytes, to, from, waits) of each"""
    return [(part["sends"], part["send_bytes"], part["to"], part["from"], part["waits"]) for part in parts(*which) if part["part"] == "exchange"]


def kinds(*which):
    return "".join(part["part"][0] for part in parts(*which))  # work, exchange, commit


def test_parts_of_cg():
    """Class W has 7000 rows, so of 4 x 4 roles each has 1750; doubling over a row of four roles takes two rounds."""
    row, transpose, one = (2, 2 * 1750 * 8, [0, 3], [0, 3], 2), (1, 1750 * 8, [8], [8], 1), (2, 16, [0, 3], [0, 3], 2)
    cg = ("cg", 16, 2)
    assert exchanges(*cg, 1, "--class", "W") == [row, transpose, one, one]
    assert kinds(*cg, 1) == "weewewewc", parts(*cg, 1)
    assert exchanges(*cg, 25, "--class", "W") == [one, row, transpose, one, one], "x.x at the start of an outer iteration"
    assert exchanges(*cg, 24, "--class", "W") == [row, transpose, one, one, row, transpose, (2, 48, [0, 3], [0, 3], 2)]
    assert exchanges("cg", 4, 3, 1)[1] == (0, 0, [], [], 0), "the transposed role of one on the diagonal is itself"


def test_parts_of_lulesh():
    """In the middle of 3 x 3 x 3 roles with 4 elements a side: 26 neighbours share 6 x 25 + 12 x 5 + 8 nodes, and 6 faces of 16 elements."""
    lulesh, around = ("lulesh", 27, 13, 2, "--edge", 4), [4, 10, 12, 14, 16, 22]
    everybody = sorted({*range(27)} - {13})
    time, force, gradient = exchanges(*lulesh, "--exchange", "all")
    assert time == (6, 6 * 16, around, around, 6) and force == (26, 24 * (6 * 25 + 12 * 5 + 8), everybody, everybody, 1)
    assert gradient == (6, 6 * 16 * 8, around, around, 1) and kinds(*lulesh) == "ewewec"
    assert exchanges(*lulesh, "--exchange", "reference")[2][:2] == (6, 3 * 6 * 16 * 8), "three components of the gradients"


def test_parts_have_all_that_a_run_logs():
    for kernel, np, steps, options in (("cg", 4, 26, ()), ("lulesh", 8, 4, ("--edge", 4)), ("jacobi", 6, 5, ("--grid", 48)),
                                       ("amr", 4, 12, ()), ("bfs", 4, 9, ("--scale", 10))):
        record = run(kernel, "--np", np, "--steps", steps, *options, "--policy", "all", "--interval", steps)
        for role in (0, np - 1):
            forecast = sum(part["send_bytes"] for i in range(steps) for part in parts(kernel, np, role, i, *options, "--steps", steps)
                           if part["part"] == "exchange")
            assert record["roles"][role]["log_bytes_total"] == forecast, (kernel, role, forecast)


def test_the_parts_of_each_kernel():
    """Work, exchanges and the commit, in the order of step() and commit()."""
    for which, expected in ((("jacobi", 4, 0, 3), "ewewec"), (("bfs", 4, 0, 3), "weec"), (("triad", 1, 0, 0), "wc"), (("amr", 4, 0, 9), "ewec"),
                            (("amr", 4, 0, 10), "wewewec")):
        assert kinds(*which) == expected and all(part["name"] for part in parts(*which)), (which, parts(*which))
    assert kinds("allreduce", 6, 0, 0) == "e"


def test_what_is_printed():
    text = call("partners", "lulesh", "--np", 27, "--role", 13, "--exchange", "all", "--parts", 0).stdout
    assert text.startswith("role 13 in iteration 0 (3x3x3 roles)\nexchange  smallest") and "to 26 roles; receives 26 (at most " in text, text
    assert "to 4 10 12 14 16 22; receives 6 (" in text and "Nothing committed has changed before the commit." in text, text
    quiet = call("partners", "triad", "--np", 2, "--parts", 0).stdout
    assert quiet == "role 0 in iteration 0 (2 roles)\nwork      a' = b + s c\ncommit    a' swapped with a\n", quiet


def test_messages_of_a_profile_have_no_name():
    profile = (ROOT / "data" / "profiles" / "miniFE-256.csv.gz", "--iterations", 10)
    done = call("partners", *profile, "--parts", 0)
    assert done.returncode == 0 and "\nexchange  (no name)\n" in done.stdout and "A failure" not in done.stdout, done
    exchange, = json.loads(call("partners", *profile, "--parts", 0, "--json").stdout)["parts"]
    who = json.loads(call("partners", *profile, "--role", 0, "--json").stdout)
    assert exchange["from"] == who["active"] and exchange["receives"] >= len(who["active"]) > 0, (exchange, who)


def test_an_update_in_place_is_told():
    def printed(*options):
        return call("partners", "lulesh", "--np", 8, "--parts", 0, *options).stdout

    assert "--transaction copy" in printed("--buffers", "single") and "--transaction" not in printed()
    assert told("lulesh", 8, 0, 0, "--buffers", "single")["in_place"] and not told("lulesh", 8, 0, 0)["in_place"]
    work = parts("lulesh", 8, 0, 0, "--buffers", "single")[3]["name"]
    assert "velocities and positions in place" in work, work
