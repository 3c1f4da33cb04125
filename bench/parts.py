"""All that `make bench` measures, in its order."""
import checkpoints
import closure
import constants
import detector
import elc
import elc_beside
import elc_protocols
import lines
import memory
import peers
import phases
import planning
import power
import profile_calls
import protection
import repair
import roof
import simulate
import study
import sweep

# name: (function, arguments, arguments with --quick)
PARTS = {
    "protection": (protection.paired_runs, (10,), (2,)),
    "transactions": (protection.transactions, (31,), (3,)),
    "timeline": (protection.timelines, (12,), (3,)),
    "phases": (phases.shares, (7,), (1,)),
    "recovery": (phases.recovery, (12,), (4,)),
    "detector": (detector.costs, (12, 12), (2, 2)),
    "repair": (repair.beside, (12, tuple(repair.RUNS)), (2, (8,))),
    "constants": (constants.costs, (7, 8), (2, 2)),
    "catch-up": (phases.catch_up, (16,), (2,)),
    "local-global": (phases.local_against_global, (12,), (2,)),
    "memory": (memory.weigh, (), ()),
    "growth": (memory.grow, (), ()),
    "checkpoints": (checkpoints.costs, (6, 15, True), (1, 1, False)),
    "closure": (closure.costs, (9,), (3,)),
    "roof": (roof.shares, (6, 24), (2, 2)),
    "power": (power.blocked, (7,), (2,)),
    "barrier": (power.waiting, (6,), (1,)),
    "planning": (planning.costs, (6,), (1,)),
    "sweep": (sweep.overhead, (6,), (1,)),
    "simulate": (simulate.speeds, (6,), (2,)),
    "profile": (profile_calls.costs, (9,), (2,)),
    "study": (study.speeds, (3,), (1,)),
    "elc": (elc.costs, (15,), (1,)),
    "protocols": (elc_protocols.costs, (15,), (1,)),
    "beside": (elc_beside.costs, (15,), (1,)),
    "peers": (peers.compare, (9, 6), (2, 1)),
    "lines": (lines.report_lines, (), ()),
}
