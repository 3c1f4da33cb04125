"""What the report says beside the figures of profiles and of their model (plots/study); see plots/report/captions.py."""

PAPER = "memory-constrained-logging"
PROGRAMS = ("Programs: BFS is Graph500's search with the paper's scale and edge factor; AMR is a kernel of this suite. CG, LULESH and "
            "Jacobi are balanced: their ranks all send about the same. These are from patterns. miniFE, miniAMR, BT-MZ (of "
            "NPB-MZ) and Graph500 were measured, with inputs of our own (data/profiles), since the paper gives its own in part only: "
            "its miniAMR has blocks of 16^3 cells, ours of 8^3. "
            "The paper has seven programs with "
            "imbalance; FLASH needs a licence. ")

CAPTIONS_STUDY = {
    "study-matrix": {
        "title": "Who sends how much to whom",
        "script": "study_matrix", "folder": "study/study.json",
        "caption": "Exchange matrices from profiles: bytes of point-to-point messages by sender and receiver. Titles have the "
                   "Gini index of the bytes that a rank sends, and the share of the bytes within clusters of 8 ranks.",
        "alt": "Heat maps, one panel per profile. Across: the receiver's rank. Down: the sender's. Colour: bytes, on a linear "
               "scale; white for none.",
        "paper": (PAPER, "Fig. 3 and 6"),
        "shows": "NPB-CG: clusters along the diagonal, coverage of 8 ranks 0.78. MiniAMR: 0.51. FLASH and MiniFE have clusters, "
                 "in Graph500 a few ranks dominate, Lassen and MCCK have zones, NPB-MZ looks chaotic.",
        "differs": PROGRAMS + "The paper does not say how many ranks its CG has. 64 were taken because they have its coverage, if what diagonal "
                   "ranks send to themselves is counted.",
    },
    "study-load": {
        "title": "How unequal the ranks' shares of the traffic are",
        "script": "study_load", "folder": "study/study.json",
        "caption": "First: bytes that each rank sends, ranks sorted by them. Second: Lorenz curve; the Gini index is twice the area "
                   "between it and the straight line. Third: share of the bytes within clusters of consecutive ranks. "
                   "A colour is a program, a style of line a number of ranks, a mark both.",
        "alt": "Three line plots with a line per profile. First: bytes of a rank in units of the mean, against the share of the "
               "ranks. Second: cumulative share of the bytes against that of the ranks, with the identity. Third: coverage "
               "against the ranks in a cluster, logarithmic.",
        "paper": (PAPER, "Fig. 4"),
        "shows": "The load of MiniAMR's ranks, sorted, and its Lorenz curve with a Gini index of 0.36; NPB-CG has 0.",
        "differs": PROGRAMS + "The formula of the index is missing in the paper; this is the usual one. Coverage by cluster size "
                   "is ours: the paper has it for 8 ranks.",
    },
    "study-sets": {
        "title": "Rollback sets under a cap on the log, from profiles",
        "script": "table_study", "folder": "study/study.json",
        "caption": "Average share of the ranks that roll back with a victim, over all ranks as the victim, against the cap in "
                   "percent of the largest log. Computed from exchange matrices by the closure; no run, no kill. The tables "
                   "have exact values, in brackets those of whole ranks as the paper prints them, and the paper's own below.",
        "alt": "Line plots, one panel per profile. Across: the cap in percent of the largest log. Up: average share of the ranks "
               "that roll back. A line per strategy; a dashed line for teams of 8 ranks.",
        "paper": (PAPER, "Tables II to V"),
        "shows": "Sets shrink as the cap rises, and are small where the Gini index is large; clusters are better than the "
                 "heaviest channel where communication has clusters.",
        "differs": PROGRAMS + "BFS is to be compared with Table IV, whose problem it has; the paper's input at 256 cores (Table II) is "
                   "not given. Rows of balanced programs are to be compared with none of the paper's. Teams log without a "
                   "cap; their largest log is in the table.",
    },
    "mcml-saving": {
        "title": "What memory-constrained logging saves at scale, by the paper's model",
        "script": "mcml_saving", "folder": "study/mcml.json",
        "caption": "Modelled, not measured. Above: time and energy of memory-constrained logging (MCML) relative to "
                   "logging everything (SCML), whose log is full after omega of the optimum interval. Below: energy saved if "
                   "the share of recovering processes is not 0.1 but the rollback set under a cap of omega: as the paper prints "
                   "it in Table II (left), and as the study finds it (right).",
        "alt": "Line plots. Above: relative time and energy against sockets, logarithmic, with a line per omega. Below: "
               "percent of energy saved against omega, with a line per program and one for a fixed share.",
        "paper": (PAPER, "Fig. 7 and Table VI"),
        "shows": "At 512,000 sockets between 24.5 % (omega 0.3) and 2.7 % (0.7) of the time and between 15.9 % and 0.4 % of the "
                 "energy are saved.",
        "differs": "The paper does not print its formulas; these are a reconstruction (docs/study.md). It has no lower panels: its "
                   "share of recovering processes is 0.1 whatever the cap.",
    },
    "reduction-shapes": {
        "title": "Who replays, by the shape of the reduction",
        "script": "reduction_shapes", "folder": "forecasts.json",
        "caption": "From patterns, nothing is run: how many roles send to a role in a sum over all roles, and so replay to it if it fails under "
                   "local rollback. Left the role to which most send, right the mean. Equal values are drawn over each other: those of the "
                   "tree are those of doubling on the left, and of one role that adds on the right.",
        "alt": "Two line plots with logarithmic axes. Across: roles from 8 to a million. Up: roles that send to one. A line and a mark for each of "
               "five shapes.",
    },
    "fronts-simulated": {
        "title": "How far roles are apart when a failure is found, by kind of recovery line",
        "script": "fronts", "folder": "fronts-simulated",
        "caption": "Modelled, not measured: `rollbench simulate` with `configs/laptop/simulate-fronts.yaml`, local rollback. Above: of "
                   "one run, how many iterations each role is behind the furthest one at each failure, from the first failure (dark) to the last "
                   "(light). A failure delays its neighbours, and this delay travels along the line of roles, one role an iteration. Below: the "
                   "mean spread of a run's failures against the number of roles.",
        "alt": "Two panels with a curve per failure: across the role, up the iterations behind the furthest role. A third panel: roles across, "
               "logarithmic, spread up, logarithmic from 1 on, small dots for runs, large marks for means, a dashed line at the interval.",
    },
}
