# A Ramble application: `ramble repo add packaging/ramble`, then applications: rollbench: workloads: kill.
from ramble.appkit import *


class Rollbench(ExecutableApplication):
    """MPI rollback recovery: a role dies, and the run must verify."""

    name = "rollbench"

    executable(
        "run",
        "rollbench run {kernel} --np {roles} --policy {policy} --kill {kill} --summary",
        use_mpi=False,
    )
    workload("kill", executables=["run"])

    for option, default, meaning in (
        ("kernel", "cg", "kernel, with its options behind it"),
        ("roles", "4", "ranks that compute"),
        ("policy", "all", "which messages are logged"),
        ("kill", "1@13", "role and iteration"),
    ):
        workload_variable(option, default=default, description=meaning, workloads=["kill"])

    for figure, unit in (
        ("loop_time", "s"),
        ("wall_time", "s"),
        ("repair_time", "s"),
        ("iterations_repeated", "iterations"),
        ("log_peak", "bytes"),
    ):
        figure_of_merit(
            figure,
            fom_regex=rf"^{figure}: (?P<value>\S+) {unit}$",
            group_name="value",
            units=unit,
            log_file="{log_file}",
        )
    success_criteria("verified", mode="string", match=r"^status: ok -$", file="{log_file}")
