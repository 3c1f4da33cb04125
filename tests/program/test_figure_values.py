"""The numbers in figures, compared with their hand-made records."""
import drawing
import power_records
from power_records import NP, STEP

ACTIVE = (1, 4)
BLOCKED = (2, 3, 5, 6, 7)


def near(found, expected):
    return len(found) == len(expected) and all(abs(a - b) < 1e-9 for a, b in zip(found, expected))


def share(role, seconds, busy):
    """The failing iteration of a survivor: aborted, repaired, `seconds` of something, its own step."""
    step = STEP * (1 + 0.01 * (role % 3))
    return (0.006 * 0.9 + seconds * busy + step * 0.97) / (0.006 + seconds + step)


def test_parts_in_a_recovery():
    parts = drawing.ask("[part(records, role) for role in range(8)]", power_records.make("all"), "from plots.common.spans import part")
    assert parts == ["restarted", "active", "blocked", "blocked", "active", "blocked", "blocked", "blocked"], parts
    parts = drawing.ask("[part(records, role) for role in range(8)]", power_records.make("none"), "from plots.common.spans import part")
    assert parts == ["restarted"] * NP, parts


def test_two_peaks_where_blocked_roles_sleep():
    sleeping, spinning = ([power_records.make("all", power, r) for r in range(3)] for power in ("sleep", "none"))
    asleep, awake = drawing.ask("[f.values_by_part(runs, busy_share) for runs in records]", [sleeping, spinning],
                                "from plots.figures import fig7_distribution as f; from plots.common.spans import busy_share")
    long = STEP * (power_records.FAILED - 1)
    for found, busy in ((asleep, 0.02), (awake, 0.99)):
        assert set(found) == {"restarted", "active", "blocked"}, found
        assert near(found["blocked"], [share(r, long, busy) for r in BLOCKED] * 3), found
        assert near(found["active"], [share(r, long, 0.9) for r in ACTIVE] * 3), found
        assert len(found["restarted"]) == 3 and min(found["restarted"]) > 0.9, found
    assert max(asleep["blocked"]) < 0.15 < 0.85 < min(asleep["active"] + asleep["restarted"]), asleep
    assert min(awake["blocked"]) > 0.9, awake


def test_measured_power_is_of_packages_whatever_their_roles_do():
    found = drawing.ask("f.values_by_part(records, measured_watts)",
                        [power_records.make("all", "sleep", energy="measured")],
                        "from plots.figures import fig7_distribution as f; from plots.common.spans import measured_watts")
    assert list(found) == ["all that runs on a package"], found
    expected = [20 + watts * share(role, STEP * 17, 0.02) for role, watts in ((2, 60.0), (5, 58.0))]
    assert near(found["all that runs on a package"], expected), (found, expected)


BY_ROLE = """from plots.figures.fig5_power import by_role, seconds
from plots.common.spans import busy_share, measured_watts
from plots.common.stats import mean_and_deviation
def sums(wall, joules=None):
    return {"wall_s": wall, "cpu_s": wall / 4, "package_j": joules}
one, two = ({"energy": {"packages": [{"host": "h", "package": 0, "reader": role}]}} for role in (1, 2))
runs = [(one, {0: {5: sums(1.0), 6: sums(9.0)}, 1: {5: sums(3.0, 60.0)}}),
        (two, {0: {5: sums(2.0)}, 2: {5: sums(4.0, 120.0)}})]
done = True"""


def test_bars_are_of_roles_or_packages():
    """The mean over the runs of each; a package is one, whichever role reads it."""
    times, late, none, watts, busy = drawing.ask(
        "[by_role(runs, 5, seconds), by_role(runs, 6, seconds), by_role(runs, 7, seconds), "
        "by_role(runs, 5, measured_watts), by_role(runs, 5, busy_share)]", {}, BY_ROLE)
    assert (times, late, none, watts, busy) == ([1.5, 3.0, 4.0], [9.0], [], [25.0], [0.25] * 3), (times, watts)
    assert drawing.ask("[mean_and_deviation([2, 4, 4, 4, 5, 5, 7, 9]), mean_and_deviation([])]", {},
                       BY_ROLE) == [[5, 2], None]


def test_milliseconds_of_a_recovery():
    repaired = {"detect_s": 0.003, "repair_s": 0.006, "shrink_s": 0.004, "resume_s": 0.010, "restore_s": 0.002, "restored_s": 0.013}
    restarted = {**dict.fromkeys(repaired), "restored_s": 0.5}
    half = {**repaired, "restore_s": None, "restored_s": None}
    found = drawing.ask("[{part: r.milliseconds([{'failures': [f]} for f in failures], part) for part in r.PARTS} "
                        "for failures in records]", [[repaired], [restarted], [repaired, half]],
                        "from plots.figures import recovery_time as r")
    expected = {"all restored": 13, "repaired": 10, "detect": 3, "shrink": 4, "rest of\nrepair": 2, "restore": 2}
    assert list(found[0]) == list(expected) and near([v for v, in found[0].values()], list(expected.values())), found[0]
    assert found[1] == {**dict.fromkeys(expected, []), "all restored": [500]}, found[1]
    assert len(found[2]["all restored"]) == 1 and len(found[2]["repaired"]) == 2, found[2]
