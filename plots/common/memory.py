"""What a process needs memory for: the heaps of recorded runs, and what copies of its state cost it."""
from plots.common.runs import USUAL, crowded, failure_free, title
from plots.common.stats import mean

# Ways to begin an iteration again: a copy of the state before each, second buffers (for LULESH, which can do without), or nothing.
COPIES, OUT_OF_PLACE, IN_PLACE = "copies of the state", "second buffers", "in place"
BOTH = "second buffers and copies"  # copies that LULESH does not need
WAYS = (IN_PLACE, OUT_OF_PLACE, COPIES, BOTH)
OF_A_FAILURE = ("policy", "interval", "kill")  # options of `rollbench explain` that are not the problem's


def asked(words):
    """{option: value} of a command line as `cg --class B --np 16`; "kernel" is one of them."""
    kernel, *options = words.split()
    return {"kernel": kernel, **{name.removeprefix("--"): value for name, value in zip(options[::2], options[1::2])}}


def is_of(record, words):
    """Is it a run of that kernel with these options, as many roles, and the defaults of what is not named? How many steps is of no matter."""
    wanted, has = asked(words), {**record["params"], "kernel": record["kernel"], "np": record["np"]}
    return (all(str(has.get(name)) == value for name, value in wanted.items() if name not in OF_A_FAILURE)
            and all(value in USUAL for name, value in record["params"].items() if name not in wanted and name != "steps"))


def heaps(record):
    """[bytes by role]; None: the C library did not tell."""
    found = [role.get("heap_bytes") for role in record["roles"]]
    return None if None in found else found


def heaps_of(records, words):
    """Those of the first run of that problem without a log and without a failure; None: there is none, or its C library did not tell."""
    return next((found for record in failure_free(records, "none") if is_of(record, words) and (found := heaps(record))), None)


def way_of(record):
    """Which way to begin an iteration again a run has."""
    buffers = record["params"].get("buffers")
    if record.get("transaction") == "copy":
        return BOTH if buffers == "double" else COPIES
    return IN_PLACE if buffers == "single" else OUT_OF_PLACE


def by_way(records):
    """{problem: {way: runs}} of runs without a log and without a failure whose roles have a core each."""
    found = {}
    for policy in ("none", "none+copy"):
        for record in failure_free(records, policy):
            if not crowded([record]):
                name = title({**record, "params": {key: value for key, value in record["params"].items() if key != "buffers"}}).splitlines()[0]
                found.setdefault(name, {}).setdefault(way_of(record), []).append(record)
    return found


def mean_heap(record):
    """Mean over the roles; None: the C library did not tell."""
    found = heaps(record)
    return mean(found) if found else None


def copied(record):
    """Percent of the time of role 0's timed iterations that copies of its state take."""
    phases = record["roles"][0]["phases"]
    return 100 * phases["copy_s"] / phases["total_s"]
