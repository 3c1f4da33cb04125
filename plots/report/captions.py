"""What the report says beside each figure and table: ours, the paper's in words, and the difference.

Keys are the names of files in results/figures or a folder in it. `script` and `folder` are what drew
it, for figures that do not say so themselves. What no paper has is without `paper`, `shows` and
`differs`. `alt` is for who does not see the figure: axes and marks, and no result, since what is to be seen
is the records' to say. FOLDERS has what is different for figures of one experiment of the paper profile.
"""

from plots.report.captions_study import CAPTIONS_STUDY

PAPERS = {
    "message-logging-kernels": "Dichev and Nikolopoulos, Implementing Efficient Message Logging "
                               "Protocols as MPI Application Extensions",
    "power-log-n-roll": "Dichev, De Sensi, Nikolopoulos, Cameron and Spence, Power Log'n'Roll: "
                        "Power-Efficient Localized Rollback for MPI Applications Using Message "
                        "Logging Protocols",
    "memory-constrained-logging": "Meneses and Kalé, A Fault-Tolerance Protocol for Parallel "
                                  "Applications with Communication Imbalance",
    "data-flow-rollback": "Dichev, Cameron and Nikolopoulos, Energy-efficient localised rollback via data "
                          "flow analysis and frequency scaling",
    "event-logging-checkpoint": "Zhao and Lastovetsky, Event Logging: Portable and Efficient Checkpointing in Heterogeneous "
                                "Environments with Non-FIFO Communication Platforms",
}

SIZES = ("Sizes: the paper ran on a cluster, these are the sizes of the experiment file. "
         "Kernels: the same algorithms, written anew; bit for bit equality is required of every run. ")
CROWDED = ("Where there are more roles than cores, seconds include waiting for a core, and roles that wait for a message leave the core to "
           "others. How many wait depends on the way of recovery, so the ratio of two ways is distorted, too: trust the counts. ")
WATTS = ("Energy: the paper has counters and frequency scaling. Without counters the axis is the busy "
         "share (CPU time / wall time), which is no power and not called so, or what a named profile "
         "models. The paper's DVFS and clock modulation appear where the machine allows them; sleeping "
         "while blocked is ours. ")
SIMULATED = ("The simulator: SimDag, which the paper used, no longer exists; this is a model of our own (docs/simulator.md), "
             "without contention. Failures during a recovery are simulated and not excluded. A checkpoint takes the time "
             "of one message. Failures are exponential, elements have 8 bytes; the paper says neither. ")

CAPTIONS = {
    "fig6-iterations": {
        "title": "Iterations executed, by failing iteration",
        "script": "fig6_iterations", "folder": "run-all",
        "caption": "Iterations of all roles together when one role dies in the iteration below, one run per dot. Exact "
                   "counts: no error bars. Dotted lines: checkpoints. Behind the first one, the state is read from a "
                   "checkpoint, before it, roles go back to the initial state. The dashed line is a run without a failure.",
        "alt": "Scatter plot, one panel per problem. Across: the iteration in which a role is killed. Up: "
               "iterations executed, summed over all roles. A marker per run, of a shape and colour per "
               "strategy; a dashed line for the failure-free run.",
        "paper": ("message-logging-kernels", "Fig. 6"),
        "shows": "For CG class D and LULESH on 64 processes each: the later in the interval a process "
                 "dies, the more iterations are computed again. With global rollback all processes repeat "
                 "them, so the sum climbs steeply; with local rollback only the replaced process does, so "
                 "it stays near the failure-free sum.",
        "differs": SIZES + "Job restart is added as the baseline that most sites have: it repeats what "
                   "global rollback repeats. The hybrid is added: these are the counts behind the paper's Fig. 8. Jacobi is "
                   "added as a third kernel. The paper's process dies in the first interval, whose state its program writes "
                   "after iteration 0.",
    },
    "fig7-time": {
        "title": "Time to completion, by failing iteration",
        "script": "fig7_time", "folder": "times",
        "caption": "Seconds in the time-step loop of the longest role, recovery included. Small dots: runs; large dots: medians "
                   "of a failing iteration; dashed line and band: median and range of the failure-free runs, which are part "
                   "of the random order. The legend has Theil and Sen's slope with its bootstrap 95 % interval: where "
                   "the interval is above 0, the rise is seen and drawn as a line, and otherwise the figure says that it is not. Job "
                   "restart has a panel of its own.",
        "alt": "Scatter plots, two per problem. Across: the iteration in which a role is killed. Up: "
               "seconds. A small marker per run and a large one per median, of a shape and "
               "colour per strategy, with a line where a slope is seen; a dashed line in a grey band for the failure-free runs. A small "
               "panel has the same for job restart.",
        "paper": ("message-logging-kernels", "Fig. 7"),
        "shows": "Wall clock times of the same runs as in its Fig. 6: time grows with the failing "
                 "iteration, and local rollback is hardly faster than global rollback, since the replaced "
                 "process is on the critical path either way.",
        "differs": SIZES + "CG and Jacobi have a core for each role. LULESH needs 8 roles at least; where these share cores, the figure says "
                   "so, and local rollback can win clearly, because roles that do not repeat leave the cores to the one that does. "
                   "Runs are shorter than the paper's. In LULESH, lost work is hardly larger than the scatter.",
    },
    "noticed": {
        "title": "Where roles are when they notice a failure",
        "script": "noticed", "folder": "noticed",
        "caption": "For each surviving role the percentage of the runs in which it had already begun the iteration after that of the failure. "
                   "Counts, so no error bars. Role 2 is killed before its exchange with its transpose partner, role 8 (op+5), and just after it (op+7). "
                   "Grey dashes: the paper's snapshot. Dotted lines: rows of the grid of 4 x 4 roles, whose sums let a row go on only as a whole.",
        "alt": "Scatter plot. Across: the role. Up: percent of the runs. A marker per role and kill: at 0 for roles 0, 1 and 3, at or near 100 for "
               "4 to 7 and 12 to 15, and for 8 to 11 at 0 with the first kill and higher with the second. A grey dash per role for the paper.",
        "paper": ("message-logging-kernels", "Fig. 4"),
        "shows": "One snapshot of CG class C on 16 processes: rank 2 dies in iteration 13, just after the exchange with its transpose partner 8. "
                 "Its own row and the last one notice it in iteration 13, the two rows between in iteration 14.",
        "differs": "Class A, and twenty runs for each kill. Ranks 12 to 15 go on to iteration 14, too: of them only rank 12 needs a part from the "
                   "row of rank 2, and rank 3 has sent it before it waits for rank 2. Ranks 8 to 11 go on if rank 8 has got the part of rank 2.",
    },
    "fig8-hybrid": {
        "title": "Hybrid rollback: logs that hold half an interval",
        "script": "fig8_hybrid", "folder": "times",
        "caption": "Payloads are logged in as many iterations at the beginning of each interval as the panel's "
                   "title says (in the paper in half of them). First: iterations of all roles, exact; second: time "
                   "to completion, with Theil and Sen's slope of each mode and its interval. Colours say who rolled back, as "
                   "recorded. The dash-dotted line is where the paper's printed test (Alg. 4) would switch.",
        "alt": "Scatter plots, two per problem and window. Across: the iteration in which "
               "a role is killed. Up: in the first iterations summed over all roles, in the second seconds. A "
               "marker per run, of a shape and colour for whether one role, some or all rolled back.",
        "paper": ("message-logging-kernels", "Fig. 8"),
        "shows": "Time of the hybrid protocol with room for half an interval of payloads: failures in the "
                 "first half are recovered locally, later ones globally, and the time rises all along, "
                 "because the later the failure, the more has to be repeated by one process or by all.",
        "differs": SIZES + "The counts are added: they show the switch exactly, the times "
                   "hide it. Who rolls back is not decided by a switch here but by the closure over "
                   "messages that no log has. In the iteration behind the window, no message is missing yet, so the closure "
                   "is local for one iteration more than the paper's test.",
    },
    "fig3-barrier": {
        "title": "What waiting in a barrier costs",
        "script": "fig3_barrier", "folder": "barrier/barrier.json",
        "caption": "Left: power of all packages, or without counters the share of time that a rank was on "
                   "its core, while computing and while waiting with each technique. A share of time is no power, so how many watts a "
                   "sleeping rank saves does not follow from it. Right: how far behind "
                   "the late rank the last waiting rank goes on. Bars and lines: medians.",
        "alt": "Left, a bar per technique, beginning with a matrix product and a default barrier: power, or "
               "share of the time on a core; a dot per sample. Right, for each barrier a dot per repetition "
               "and a line at the median: milliseconds behind the late rank, logarithmic. Techniques that "
               "the machine lacks have their reason instead of a mark.",
        "paper": ("power-log-n-roll", "Fig. 3"),
        "shows": "CPU power of a node: 98 W for a matrix product, 91 W for a barrier that waits by "
                 "polling, 64 to 65 W with DVFS or clock modulation on all cores, about a third less than "
                 "polling with both. So waiting is not cheap by itself, and there is something to save.",
        "differs": "The late rank comes at full speed, barriers are repeated in changing order, and the "
                   "latency is measured. Sleeping is added. " + WATTS,
    },
    "fig5-power": {
        "title": "Time around the failing iteration, and power where it can be read",
        "script": "fig5_power", "folder": "power",
        "caption": "Each iteration from its start to its completion; the failing one (shaded) contains "
                   "whatever was repeated, restored and waited for. Bars: means over the roles, black "
                   "lines: their standard deviation. Where roles share cores and there is neither a power counter nor a "
                   "model, no power is drawn: the mean busy share is then the number of cores divided by that of roles.",
        "alt": "Bar charts, two per problem. Across: iterations around the failing one, "
               "which is shaded. Up: in the first seconds, in the second power or what stands for it. A bar per strategy, "
               "of a colour and hatch of its own.",
        "paper": ("power-log-n-roll", "Fig. 5"),
        "shows": "For LULESH, CG and Jacobi on its larger cluster: the failing iteration takes about as "
                 "long under global and local rollback, except for CG, where local rollback is much "
                 "faster. During it the power-saving local rollback takes about half the power, some 50 W "
                 "per node, with DVFS the better single technique there.",
        "differs": SIZES + CROWDED + WATTS,
    },
    "fig6-energy": {
        "title": "Time, energy (or CPU time, where no energy can be read) and their product, by strategy",
        "script": "fig6_energy", "folder": "power",
        "caption": "Of whole runs with one failure. Every run is a dot, the line its median. Where no "
                   "energy could be measured or modelled, CPU time stands in its place and is called so.",
        "alt": "Dot plots in three rows, time, energy or CPU time, and the product of both, one column per "
               "kernel, one group of dots per recovery strategy.",
        "paper": ("power-log-n-roll", "Fig. 6"),
        "shows": "Totals on two clusters: local rollback is as fast as global rollback or faster, CG by a "
                 "factor of 1.5 and more. With both techniques LULESH takes 45 % less CPU energy and Jacobi "
                 "24 % less in the larger runs, CG about the same; the energy-delay product of local "
                 "rollback is always the better one.",
        "differs": SIZES + CROWDED + WATTS,
    },
    "fig7-distribution": {
        "title": "How power, or the busy share where no power can be read, is spread over the roles in a recovery",
        "script": "fig7_distribution", "folder": "power",
        "caption": "Every role of every run, during the iteration in which the failure found it, by its "
                   "part in the recovery. Above each histogram: the median of the blocked roles divided by that of the active ones of the "
                   "same run, over the runs with its 95 % interval. One peak, as in the paper without power saving, is 1; where blocked "
                   "roles save power it is well below. The restarted role is in neither: it alone repeats iterations. With measured power "
                   "there is no such number, since a package has roles of all parts.",
        "alt": "Histograms, one row per recovery strategy, one column per problem. Across: power of a role or "
               "what stands for it. Up: roles. Bars are stacked by part in the recovery: blocked, active, "
               "restarted.",
        "paper": ("power-log-n-roll", "Fig. 7"),
        "shows": "Of Jacobi on the larger cluster: one peak under global and plain local rollback, two "
                 "with power saving. The lower one are the blocked processes, the upper one the restarted "
                 "process and those that replay messages to it.",
        "differs": SIZES + "All three kernels are shown. " + WATTS,
    },
    "active": {
        "title": "Who replays messages", "script": "table_active", "folder": "power",
        "caption": "Active sets that runs recorded beside those that rollbench explain foretells, and the "
                   "forecast for the paper's sizes. Then, from patterns, the sets by shape of the reduction, and how they grow with "
                   "the number of roles.",
        "paper": ("power-log-n-roll", "Table 2, last row"),
        "shows": "With process 0 killed, {1, 5, 25} replay in LULESH on 125, {1, 2, 4, 8} in CG on 128 and "
                 "{1, 8} in Jacobi on 144 processes.",
        "differs": "The paper's sizes need a cluster: for them there is the forecast alone. Exchanges and reductions were chosen so "
                   "that the sets are the paper's: that they agree proves nothing. Jacobi's set also "
                   "depends on the grid of processes, which is an option here.",
    },
    "compare": {
        "title": "Strategies compared", "script": "compare", "folder": "times",
        "caption": "Time to completion with each strategy, and every two against each other on the runs "
                   "with the same kill and repetition (`docs/experiments.md`).",
    },
    "budget": {
        "title": "Rollback under a cap on the log",
        "script": "table_budget", "folder": "budget",
        "caption": "Average share of the roles that roll back when one dies while the logs are fullest, "
                   "against the cap in percent of the largest log without a cap. Every role was killed "
                   "once. The largest log ever held is measured and must be below the cap.",
        "alt": "Line plots, one panel per problem. Across: the cap in percent of the largest log. Up: average "
               "share of the roles that roll back. A line per strategy to choose channels.",
        "paper": ("memory-constrained-logging", "Tables II and V"),
        "shows": "For applications with uneven communication on 256 cores: at 30 % of the log from "
                 "under 1 % to 70 % of the processes roll back, at 70 % at most 8 %. Choosing channels by "
                 "clusters is better than by weight where communication has clusters.",
        "differs": "Sizes: a few roles, so one role is many percent. CG, LULESH and Jacobi communicate "
                   "evenly, the unfavourable case for this protocol: the paper picks applications with "
                   "imbalance because of that. The length of the rollback chain is in the table.",
    },
    "kills": {
        "title": "Rollback sets of real kills under a cap, beside those of the study",
        "script": "table_kills", "folder": "kills",
        "caption": "Average share of the roles that roll back, and length of the rollback chain, when each role dies once at the "
                   "end of an interval, under caps on the log. Beside them stands what rollbench study computes for the same "
                   "iterations without a run: message by message, as the engine decides, and from the finished exchange matrix. "
                   "Sets of runs and of the study, message by message, are compared role by role.",
        "paper": ("memory-constrained-logging", "Tables II and III"),
        "shows": "Graph500 and MiniAMR on 256 cores, simulated: at 30 % of the log 2.3 % and 39 % of the processes roll back, at "
                 "70 % 0.4 % and 4.7 %.",
        "differs": "BFS is Graph500's search, and AMR a kernel of this suite, on 8 roles, so one role is 12.5 %. The paper kills "
                   "nobody: its sets are computed from the matrix.",
    },
    "budget-effort": {
        "title": "Rollback effort under a cap on the log: rollback and data-flow rollback",
        "script": "budget_effort", "folder": "budget",
        "caption": "Iterations computed again when one role dies while the logs are fullest, of all roles together "
                   "and with those on duplicates, in percent of n L: what global rollback repeats if L iterations "
                   "of n roles are lost. Large marks: medians over the killed roles; lines: from the least to the "
                   "most; small dots: runs. Only kills that all marks of a panel have in common. Exact counts; "
                   "they are no measure of time or energy.",
        "alt": "Dot plot, one panel per problem. Across: the cap in percent of the largest log. Up: iterations "
               "computed again, in percent of global rollback. A large marker per median with a line from the "
               "least to the most, of a shape and colour per way to recover, joined by dotted lines.",
        "paper": ("memory-constrained-logging", "Tables II and V"),
        "shows": "Rollback sets under a cap, with rollback of whoever lacks a log. Its tables count roles that "
                 "roll back; iterations are not counted.",
        "differs": "Data-flow rollback under a cap is in no paper: roles that lack a log keep their state and "
                   "repeat on a duplicate what is needed. Of them some roles are killed and not all. CG is left "
                   "out: its cone is everybody after one iteration.",
    },
    "dataflow-iterations": {
        "title": "Iterations computed again, by failing iteration: global, local and data-flow rollback",
        "script": "dataflow_iterations", "folder": "dataflow",
        "caption": "Iterations beyond those of a run without a failure, summed over all roles, also those on "
                   "duplicates that data-flow rollback throws away. One run per dot, with one death; the legend "
                   "has the number of runs, the title what is left out. Exact counts: no error bars. Dashed lines "
                   "are closed forms for L lost iterations. That of data-flow rollback ends where a supporter "
                   "would lie beyond the border of the grid of roles. Flat: each role that takes part repeats all "
                   "L iterations. Iterations say how much is computed: they are no measure of time or energy.",
        "alt": "Scatter plot, one panel per problem. Across: the iteration in which a role is killed. Up: "
               "iterations computed again, summed over all roles. A marker per run, of a shape and colour for "
               "global, local, flat and minimal data-flow rollback; dashed lines for closed forms.",
        "paper": ("data-flow-rollback", "Fig. 6a"),
        "shows": "A simulation of a line of 100 to 1000 processes with random failures: global rollback recomputes "
                 "more with every process, data-flow and log-based rollback do not depend on their number, and the "
                 "latter recomputes least.",
        "differs": "Not simulated: killed processes, few roles, every failing iteration of an interval in the "
                   "place of random ones. Grids and LULESH are added. On so few roles the cone meets the border "
                   "soon. Data-flow rollback follows the minimal cone of the paper's Fig. 7, and its flat variant "
                   "the paper's Alg. 1, in which the outermost roles repeat everything, too. Reductions are "
                   "recorded, which the paper passes over.",
    },
    "fig6a-simulated": {
        "title": "Iterations computed again on up to 1000 nodes, simulated",
        "script": "fig6_simulated", "folder": "fig6-simulated",
        "caption": "Modelled, not measured: `rollbench simulate` with `configs/laptop/simulate-fig6.yaml`. Iterations that "
                   "roles repeat and those on duplicates, of all roles together, with random failures. Small dots: runs, "
                   "40 seeds for each number of roles; large marks: their means. Dashed: expected values of a closed form, "
                   "if all roles execute their iterations in step. Without waiting, a delay takes an iteration to get to "
                   "the next role, so roles are in different iterations; the line is then the newest checkpoint that all "
                   "roles have, and whoever is ahead of the others loses more.",
        "alt": "Two scatter plots, with and without waiting before a checkpoint. Across: the number of roles. Up: iterations "
               "computed again, logarithmic. A small marker per run and a large one per mean, of a shape and colour for "
               "global, flat, minimal data-flow and local rollback; dashed lines for closed forms.",
        "paper": ("data-flow-rollback", "Fig. 6a"),
        "shows": "Means over ten seeds, 100 to 1000 processes, 2 to 30 crashes: global rollback recomputes more with every "
                 "process; data-flow and log-based rollback do not depend on their number, and the latter recomputes least.",
        "differs": SIMULATED + "Both variants of data-flow rollback are shown, since the paper does not say which one it "
                   "simulates. Its random numbers are others: compare means per crash (2.5 lost iterations if failures are "
                   "rare), not single points. Iterations that a failure breaks off are not counted.",
    },
    "fig6b-simulated": {
        "title": "Energy that data-flow rollback saves on up to 1000 nodes, simulated",
        "script": "fig6_simulated", "folder": "fig6-simulated",
        "caption": "Modelled, not measured: global rollback minus data-flow rollback with the same failures, by three prices. "
                   "First: 500 J per iteration that is not computed again, so nodes that wait take no power at all. Second: "
                   "10 W for 4 s per such iteration; that is 12.5 times less, in the same paper. Third: the power of each "
                   "state of the model for as long as it lasts, with the 10 W in it; an iteration lasts 10 s here, and a "
                   "role also waits while an iteration that was broken off is begun again. The watts are assumptions, "
                   "and if waiting takes as much power as computing, nothing is saved. Lines: quadratic "
                   "least-squares fits to all runs, with their coefficients; each title says where the mean is not above the "
                   "standard deviation over the seeds.",
        "alt": "Three scatter plots, one for each price of an iteration. Across: the number of roles. Up: joules saved. A small "
               "marker per run and a large one per mean, of a shape and colour for with and without waiting before a "
               "checkpoint; a line for the quadratic fit of each.",
        "paper": ("data-flow-rollback", "Fig. 6b and Sect. 6"),
        "shows": "500 J times the difference in iterations, with a polynomial of second degree: 4 x 10^7 J on 1000 nodes, "
                 "with 31 crashes. Its Sect. 6 has 10 W for 4 s instead.",
        "differs": SIMULATED + "The paper's two prices are drawn side by side, and a third one below them. All runs are shown "
                   "and not only their means.",
    },
    "fig6c-simulated": {
        "title": "Time of the run on up to 1000 nodes, simulated",
        "script": "fig6_simulated", "folder": "fig6-simulated",
        "caption": "Modelled, not measured. Above: time until the last role ends. Below: the difference to global rollback with "
                   "the same failures; the legend says at which numbers of roles its mean is above the standard deviation of "
                   "global rollback over the seeds, and where it is not. Marks are side by side so that equal ones are "
                   "seen. Triangles: local rollback in which each role goes back to its own newest checkpoint, taken at its "
                   "own time. Only there do delays of failures at distant roles overlap (failure masking). With a common "
                   "line the role that has died begins again at that line when it dies, whatever the method and the waiting, "
                   "and the others wait for it in the end.",
        "alt": "Scatter plots in two rows and two columns, with and without waiting before a checkpoint. Across: the number of "
               "roles. Up: seconds of the run above, below seconds minus those of global rollback. A small marker per run "
               "and a large one per mean, of a shape and colour per method; a dashed line for the closed form.",
        "paper": ("data-flow-rollback", "Fig. 6c"),
        "shows": "No consistent reduction of the time by data-flow or log-based rollback; failure masking is known from other "
                 "work, with higher failure rates.",
        "differs": SIMULATED + "The paper does not say whether roles wait for each other before a checkpoint, and which "
                   "checkpoint a role goes back to, so three kinds are drawn. Differences of runs with the same failures "
                   "are added.",
    },
    "maps-energy-simulated": {
        "title": "Which method needs the least energy, simulated",
        "script": "maps", "folder": "maps-simulated",
        "caption": "Modelled, not measured: `rollbench simulate` with `configs/laptop/simulate-maps.yaml`. A cell with one colour has "
                   "a method (G: global, D: data-flow, L: local rollback) whose energy differs from that of both others by more "
                   "than the scatter of the seeds: a paired permutation test over runs with the same failures, p < 0.01, and a "
                   "difference above 0.5 %. In a cell with two pale colours these two do not differ by so much and the third is worse; in a grey one none "
                   "does. Per cent: by how much the next one behind is worse. Above: MTBF of a node; middle: what logging "
                   "takes of an iteration, which only local rollback pays; below: what a role that waits takes, of the same runs. Watts and costs are "
                   "assumptions; nothing is left out. If failures are rare, few runs differ, and the test finds nothing.",
        "alt": "Maps of coloured cells, a column for each of four patterns, three rows. Across: the number of roles. Up: MTBF of a "
               "node, time of the log, power of a role that waits. Letters and colours for the best methods, grey where there is "
               "no difference.",
    },
    "maps-time-simulated": {
        "title": "Which method takes the least time, simulated",
        "script": "maps", "folder": "maps-simulated",
        "caption": "Modelled, not measured. The same runs and the same test as for energy. With a common line all methods begin again "
                   "at that line and end together, so times differ only by the log, and by what the others have to wait for.",
        "alt": "Maps of coloured cells, a column for each of four patterns, two rows. Across: the number of roles. Up: MTBF of a node, "
               "time of the log. Letters and colours for the best methods, grey where there is no difference.",
    },
    "scaling-simulated": {
        "title": "Weak and strong scaling with failures, simulated",
        "script": "scaling", "folder": "scaling-simulated",
        "caption": "Modelled, not measured: `rollbench simulate` with `configs/laptop/simulate-scaling.yaml`, a line of up to 10^6 roles. "
                   "On the left each role has as much to do at all numbers of roles; on the right all roles together have, so iterations "
                   "become shorter. Time and energy are divided by those of the work alone. Small dots: runs; large marks: means "
                   "over the seeds with their 95 % intervals, side by side. A mean of 0 is named in the title; runs with 0 are in the means, but not among "
                   "the dots of a logarithmic axis. The MTBF of "
                   "a node, the interval and the costs are the same at all numbers of roles.",
        "alt": "Eight scatter plots in two columns, weak and strong scaling. Across: the number of roles, logarithmic. Up: time, "
               "iterations computed again, energy, bytes in logs. A marker of a shape and colour for each method.",
    },
    "masking-simulated": {
        "title": "Failure masking: do delays of distant failures overlap?",
        "script": "scaling", "folder": "scaling-simulated",
        "caption": "Modelled, not measured. Local rollback of a line of roles; repairs stop only those that take part. The time of all "
                   "runs beyond those without failures, divided by the failures of all, with a 95 % interval; small dots: runs that had one. "
                   "Where delays of failures at distant roles overlap, more failures cost less each. With a common line they do not: "
                   "whoever dies begins again at the newest checkpoint that all roles have.",
        "alt": "Scatter plot. Across: the number of roles, logarithmic. Up: seconds lost to a failure. Circles: a common line; "
               "triangles: each role has its own checkpoints.",
        "paper": ("data-flow-rollback", "Sect. 5.2"),
        "shows": "It sees no failure masking in its Fig. 6c and says that others found it at higher failure rates.",
        "differs": SIMULATED + "The failure rates are higher than in its Fig. 6, and logs of all messages are needed.",
    },
    "interval-simulated": {
        "title": "The best interval between checkpoints, by simulation",
        "script": "interval_simulated", "folder": "interval-simulated/interval.json",
        "caption": "Modelled, not measured: `rollbench interval --simulate`, a case with a known answer: global rollback of roles in step, "
                   "exponential failures, no cost of repair. Time of the run over time without failures and checkpoints: means of 60 "
                   "seeds with bootstrap intervals of 95 %. Dash-dotted: the closed form. Vertical lines: the optimum of Young and of "
                   "Daly. The bar below spans the intervals whose times do not differ from the best one's (paired permutation test "
                   "over the seeds, 5 %, each for itself): within it the simulation says nothing more.",
        "alt": "A curve with error bars. Across: iterations between checkpoints, logarithmic. Up: time of the run. Two vertical lines for "
               "Young and Daly near its minimum, a bar below it, a dash-dotted closed form along it.",
    },
    "power-over-time": {
        "title": "Power over time in a recovery: roles that take part, and idle roles",
        "script": "power_over_time", "folder": "power-over-time",
        "caption": "A panel for each part that roles have in data-flow rollback; a line per way to recover, always "
                   "of the same roles. Lines are means over roles (or nodes) and runs, as long as half of the runs "
                   "last, bands their standard deviation over runs; the legend has the mean within the recovery. 0 "
                   "is when the first survivor noticed the failure. Bars and shade: until the last restarted role "
                   "is where the failure found it (median of the runs). The control, in which restarted and "
                   "supporting roles are slowed down, too, is of the paper's Sect. 3.3, not of its Fig. 5.",
        "alt": "Three line plots: roles that recompute on a duplicate, roles that only send from their checkpoint, "
               "idle roles. Across: seconds since the failure was noticed. Up: watts of a node, or modelled watts "
               "of a role or its CPU time per time. A line with a band for each way to recover; above, a bar as "
               "long as its recovery.",
        "paper": ("data-flow-rollback", "Fig. 5"),
        "shows": "The power of two of four nodes, read at the plug every half second: node 3 has a process that "
                 "takes part in the recovery, node 4 only idle ones. Global rollback shows no dip; data-flow "
                 "rollback alone saves 1 to 2 W on node 4, and with its processors at 1.2 GHz about 15 of 125 W "
                 "until the rollback ends, without a longer run.",
        "differs": "Layout, checkpoint and failure are the paper's; blocks are smaller, so restoring the state "
                   "takes most of the recovery and repeating iterations little. In the paper all processes within "
                   "the distance recompute everything (its Alg. 1; `dataflow:flat`), here only what is needed: "
                   "role 5 only sends. Where there is no wattmeter, no watts are shown: modelled watts if a "
                   "profile is given, else the busy share, which is no power. " + CROWDED,
    },
    "dataflow-map": {
        "title": "A map of methods: bytes logged against iterations computed again",
        "script": "dataflow_map", "folder": "partial-logs",
        "caption": "A point per policy, with rollback (squares), with data-flow rollback (crosses) and with its "
                   "flat variant (hexagons) of the roles that lack a log; equal points are drawn around each "
                   "other. The step line goes through the methods that no other one beats in one of the two without losing in "
                   "the other. Means over the kills that all methods of a panel have; the title says which, what is "
                   "left out, and how much data-flow rollback keeps in no log (recorded reductions, and the "
                   "messages of one iteration). Iterations are no measure of time or energy.",
        "alt": "Scatter plot, one panel per problem. Across: the bytes of payload in the fullest log of a role. "
               "Up: iterations computed again, summed over all roles. A square, a cross or a hexagon per method "
               "with its name, a dotted line between the two of one policy, and a grey step line through some of them.",
        "paper": ("data-flow-rollback", "Fig. 8"),
        "shows": "A sketch without numbers that places published protocols by how much they log and how far they roll "
                 "back: data-flow rollback logs nothing and rolls back as far as the data dependencies of the kernel "
                 "reach.",
        "differs": "Recorded numbers on both axes, and the policies of this program in the place of published "
                   "protocols. Policies that log a part, combined with data-flow rollback, are in no paper.",
    },
    "dataflow-saving": {
        "title": "What data-flow rollback saves, by the paper's model",
        "script": "dataflow_saving", "folder": "dataflow-model/model.json",
        "caption": "Modelled, not measured. Left: energy saved per second of the whole run compared with global "
                   "rollback, against the number of nodes, both logarithmic. Right: processes that compute again "
                   "besides the replacement, against the checkpoint interval. Dotted: as the paper prints its "
                   "equations; solid: what follows from its assumptions (docs/energy.md). A printed value that is "
                   "negative is not drawn.",
        "alt": "Two line plots. Left: joules per second against nodes, both logarithmic. Right: number of "
               "processes, logarithmic, against iterations between checkpoints. A colour for stencils in one and "
               "in two dimensions, dotted for as printed and solid for exact.",
        "paper": ("data-flow-rollback", "Eq. 3 to 7"),
        "shows": "About 13 J/s saved on 10^4 nodes and 1300 J/s on 10^5, at an MTBF of 50 years a node and a "
                 "checkpoint every 10 iterations. It has no such figure.",
        "differs": "The equations are evaluated as printed and exactly: 2 r (r + 1) neighbours on a grid, C "
                   "iterations from 0 on, the replacement not idle, products averaged and not multiplied averages.",
    },
    "event-logging": {
        "title": "What event-logging checkpoints cost",
        "script": "event_logging", "folder": "event-logging",
        "caption": "Seconds of a program with the library, without lines (protocol) and with four lines at places drawn from a seed "
                   "(checkpoint), divided by those without the library (source) with the same seed. Across: the number of processes where "
                   "there are several and one size, else the size of the problem. A small dot per pair of runs, a large mark for the ratio of "
                   "the medians over the pairs, with its 95 % interval. An interval that contains 1 says that no cost was found beyond the "
                   "noise. For each of four lines every process forces a file to the disk, which is a large part of runs that are as short "
                   "as these. What the paper's cost model expects of runs with lines has logging and identification only. matmul: columns are those in "
                   "a message, 0 for all of a worker, which are 2 and 8 MB; message tagging copies them, as in the paper.",
        "alt": "Dot plots, one panel per program and its options. Across: the size of the problem or the number of processes. Up: a ratio of "
               "seconds, with a line at 1. Circles: protocol; squares: checkpoint; crosses: what the cost model expects; triangles: message "
               "tagging, without lines (up) and with them (down); a bar for each interval.",
        "paper": ("event-logging-checkpoint", "Fig. 5 to 8"),
        "shows": "Seconds of four programs by size or by processes, in the modes source, protocol and checkpoint, and what its cost model "
                 "expects: 2 to 33 % with checkpoints.",
        "differs": "The paper's programs are not available; these communicate in the same way. On a laptop up to 16 processes share two cores, and "
                   "most runs take less than a second; make run-long has linear systems of 4000 and 8000 unknowns.",
    },
    "crossing": {
        "title": "How many messages cross a line, by the number of processes",
        "script": "crossing", "folder": "crossing",
        "caption": "Process 0 begins a line every 20 ms and cuts; the others cut at their next safe point when they have heard of it. Left: messages in "
                   "transit (sent before a line and received behind it) and orphans (received before it and sent behind it), for each committed "
                   "line. Right: wall time of closing the logs and identification for each line, of the process that needed most. In the place of "
                   "a collective function each process sends a message to every process. Small dots: runs; large marks: medians.",
        "alt": "Two dot plots against the number of processes. Left: messages a line; squares: in transit, circles: orphans. Right: milliseconds "
               "a line.",
        "paper": ("event-logging-checkpoint", "Sect. 6.3"),
        "shows": "With more processes much fewer messages are in transit or orphans, which it gives as the reason why the overhead falls in its "
                 "Fig. 6. It has no numbers of them.",
        "differs": "On a laptop up to 16 processes share two cores. Processes cut at the safe points of the program, a step apart; the paper's library cuts in "
                   "any send or receive.",
    },
    "lines": {
        "title": "Kinds of checkpoints, and what a line costs",
        "script": "table_lines", "folder": "crossing",
        "caption": "Table 1 of the event-logging-checkpoint paper, and what the lines of this program cost in the respects that it names: the time until all "
                   "processes have committed, how long the program stands still for it, and the messages that cross it.",
        "paper": ("event-logging-checkpoint", "Table 1"),
        "shows": "Advantages and disadvantages of six kinds of checkpoints, without numbers.",
        "differs": "Three of the six kinds have numbers. On a laptop up to 16 processes share two cores.",
    },
    "message-logging-kernels": {
        "title": "Related work, lines and time, in the rows of the message-logging-kernels paper",
        "script": "table_logging", "folder": "times",
        "caption": "Its Tables 1, 2 and 4 with our numbers beside them. A share of the whole time is given only where each role has a core.",
        "paper": ("message-logging-kernels", "Tables 1, 2 and 4"),
        "shows": "Logging in an MPI library costs CG 1 to 5 %. A few hundred lines a kernel; copies of payloads take 6.2 % of CG's time and 0.02 % of "
                 "LULESH's, copies of buffers 1 % and 8 %.",
        "differs": SIZES + "Pointers are swapped instead of buffers copied (table transactions has copies). LULESH "
                   "with messages needs eight roles, so on two cores it has no share of the whole.",
    },
    "memory": {
        "title": "What a process logs in an iteration, as a share of its heap",
        "script": "table_memory", "folder": "memory",
        "caption": "Table 3 of the message-logging-kernels paper with our numbers beside it, at its sizes. The heap is what malloc() has given out when the "
                   "iterations are done, and the kernel's constants, with the MPI library in it. Where the "
                   "paper's arithmetic is wrong, the number as printed and "
                   "the corrected one have columns of their own.",
        "paper": ("message-logging-kernels", "Table 3"),
        "shows": "Payloads of an iteration take up to 0.1 % (CG) and 0.7 % (LULESH) of the heap.",
        "differs": "Payloads are computed, not run. CG's class D with 20 GB is not run on a laptop. The paper does not say at which moment of "
                   "the run its heap is taken.",
    },
    "transactions": {
        "title": "Second buffers and copies of the state: memory and time",
        "script": "table_transactions", "folder": "transactions",
        "caption": "An iteration that a failure has interrupted can be begun again if it computes out of place (second buffers), or if the state "
                   "was copied before. Without a failure: the heap of a process, the time of the loop against the first way of each run, and the "
                   "share of an iteration that copying takes.",
        "paper": ("message-logging-kernels", "Table 4, the row of buffer copies"),
        "shows": "Copies of all of LULESH's data take 8 % of its time, copies of a few vectors 1 % of CG's.",
        "differs": SIZES + "Copied is what an iteration changes, 11 of LULESH's 26 arrays. A role of LULESH runs alone, so it has no messages.",
    },
    "rollback-sets": {
        "title": "Rollback sets of real kills, against those of the exchange matrix",
        "script": "rollback_sets", "folder": "kills",
        "caption": "Mean share of the roles that go back with a victim, over all roles as the victim. Filled marks: real kills at the end of an "
                   "interval; their sets are those of the study that plays the messages in their order (table kills). Hollow marks: from the "
                   "exchange matrix of the interval, the heaviest channels are switched off until the rest is within the cap (docs/study.md has "
                   "all differences). Numbers over the marks: of how many victims the two sets differ; both can be of one size.",
        "alt": "Line plots, one panel per problem. Across: the cap on the log in percent of the largest log. Up: the mean share of the roles "
               "that go back. Filled marks with a solid line, hollow ones with a dashed line, and a count over each pair.",
    },
    "recovery-time": {
        "title": "How long a death keeps the job, and with what",
        "script": "recovery_time", "folder": "recovery-time",
        "caption": "From the SIGKILL until every role has its state, and the parts of "
                   "that: detection, shrinking, the rest of the repair, loading the checkpoint. Every run "
                   "is a dot, lines are medians, the axis is logarithmic.",
        "alt": "Dot plot, one panel per problem. Across: until all is restored, until repaired, and the parts "
               "of that. Up: milliseconds, logarithmic. A dot per run, of a shape and colour per strategy, "
               "lines at the medians.",
        "paper": ("message-logging-kernels", "Sect. 8.2.4"),
        "shows": "It has no such figure: recovery is within the times to completion of its Fig. 7, where "
                 "local rollback is found to be hardly faster than global rollback.",
        "differs": "The parts are separated here because they have different remedies. " + CROWDED,
    },
    "recovery-timeline": {
        "title": "A recovery as its processes saw it",
        "script": "recovery_timeline", "folder": "recovery-timeline",
        "caption": "A row per process; the time is 0 at the SIGKILL. Broad bars are iterations and the phases of the recovery, narrow ones what the "
                   "process did within them. Of several runs the one is drawn whose time until all is restored is their median.",
        "alt": "Bars over time, one panel per way to recover and a row per process. Across: milliseconds since the SIGKILL. Colours: iterations, "
               "waits for others, agreements, the shrink, the rest of the repair, the state restored, iterations repeated.",
        "differs": "No paper shows one. " + CROWDED,
    },
    **CAPTIONS_STUDY,
}

BALANCED = ("These kernels are balanced, and the paper's programs are not: the numbers are not to be compared with the paper's. "
            "They check, by killing every role, what the study computes from the same patterns (study-sets).")
FOLDERS = {  # (folder, figure): what is not as in CAPTIONS
    ("memory-constrained-logging-table2", "budget"): {
        "paper": ("memory-constrained-logging", "Table II"),
        "shows": "The average rollback set and chain of seven programs with imbalance on 256 cores, at caps of 30 to 70 %.",
        "differs": BALANCED,
    },
    ("memory-constrained-logging-table5", "budget"): {
        "paper": ("memory-constrained-logging", "Table V"),
        "shows": "The average rollback set of FLASH on 256 cores by strategy, at caps of 30 to 70 %.",
        "differs": BALANCED,
    },
}


def caption_of(folder, name):
    """What is said beside a figure or table; None if nobody wrote anything."""
    caption = CAPTIONS.get(name)
    return {**caption, **FOLDERS.get((folder, name), {})} if caption else None
