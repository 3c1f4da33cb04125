"""The columns of the tables (docs/record.md): {name: where in a row it stands, as export/table.py has it}.

A row is the record, failure or role itself, with what plots/export/rows.py adds.
"""

RUNS = {
    "id": "id", "key": "key", "status": "status", "message": "message", "equal": "compared.equal",
    "reference": "compared.reference", "warm_up": "warm_up", "kernel": "kernel", "params": "params_text",
    "layout": "layout", "np": "np", "spares": "spares", "strategy": "strategy", "policy": "policy",
    "policy_asked": "policy_asked", "recompute": "recompute", "control": "control", "power": "power", "interval": "interval", "ckpt": "ckpt",
    "ckpt_lag": "ckpt_lag", "replace": "replace", "node_size": "node_size", "meters": "meters.detail",
    "plan": "plan", "failures": "#failures", "unfired": "#unfired", "restarts": "restarts", "escalations": "escalations",
    "resumed": "resumed", "lingered": "lingered", "oversubscribed": "oversubscribed",
    "power_trouble": "power_trouble_text", "verdict_ok": "verdict.ok", "verdict_value": "verdict.value",
    "verdict_reference": "verdict.reference", "state_hash": "state_hash",
    "iterations_useful": "iterations.useful", "iterations_executed": "iterations.executed",
    "iterations_repeated": "iterations.repeated", "iterations_aborted": "iterations.aborted",
    "iterations_supported": "iterations.supported", "results_bytes": "dataflow.results_bytes",
    "kept_bytes": "dataflow.kept_bytes",
    "loop_s": "loop_s", "wall_s": "wall_s", "deadline_s": "deadline_s",
    "log_peak_max_bytes": "log.bytes_peak.max", "log_peak_sum_bytes": "log.bytes_peak.sum",
    "log_total_max_bytes": "log.bytes_total.max", "log_total_sum_bytes": "log.bytes_total.sum",
    "checkpoints": "checkpoints.count", "checkpoints_bytes": "checkpoints.bytes",
    "checkpoints_max_s": "checkpoints.seconds_max", "package_j": "energy.package_j",
    "core_j": "energy.core_j", "uncore_j": "energy.uncore_j", "dram_j": "energy.dram_j",
    "psys_j": "energy.psys_j", "modelled_j": "modelled.energy_j",
    "modelled_profile": "modelled.profile.name", "modelled_unmeasured": "modelled.unmeasured",
    "modelled_reason": "modelled.reason", "hosts": "hosts", "lost_hosts": "lost_hosts",
    "host": "host.hostname", "cpu": "host.cpu", "cores": "host.cores", "mpi": "host.mpi",
    "mpirun": "host.mpirun", "compiler": "host.compiler", "flags": "host.flags", "commit": "host.commit",
    "network_one_way_s": "host.network.one_way_s", "network_bytes_per_s": "host.network.bytes_per_s",
    "finished_at": "finished_at",
}

FAILURES = {
    "id": "id", "failure": "number", "role": "role", "iteration": "iteration", "phase": "phase",
    "kill": "kill", "epoch": "epoch", "checkpoint": "checkpoint", "rollback_set": "rollback_set",
    "rolled_back": "#rollback_set", "active": "active", "blocked": "blocked", "chain": "chain",
    "replayed_bytes": "replayed_bytes", "replaced_by": "replaced_by", "blocked_wait_s": "blocked_wait_s",
    "blocked_cpu_s": "blocked_cpu_s", "detect_s": "detect_s", "shrink_s": "shrink_s",
    "repair_s": "repair_s", "resume_s": "resume_s", "restart_s": "restart_s", "restore_s": "restore_s",
    "replay_s": "replay_s", "catchup_s": "catchup_s", "wait_s": "wait_s",
    "recompute": "recompute", "lost": "lost", "supporting": "supporting", "sending": "sending", "supported": "supported",
    "duplicate_bytes": "duplicate_bytes", "support_s": "support_s",
}

ROLES = {
    "id": "id", "role": "role", "iteration": "iteration", "host": "host", "binding": "binding",
    "spans": "spans", "wall_s": "wall_s", "cpu_s": "cpu_s", "cycles": "cycles",
    "instructions": "instructions", "package_j": "package_j", "core_j": "core_j", "dram_j": "dram_j",
    "setup_s": "in.setup", "step_s": "in.step", "checkpoint_s": "in.checkpoint", "aborted_s": "in.aborted",
    "repair_s": "in.repair", "restore_s": "in.restore", "replay_s": "in.replay", "support_s": "in.support", "blocked_s": "in.blocked",
    "finish_s": "in.finish", "verify_s": "in.verify", "close_s": "in.close",
    "first_incarnation": "first_incarnation", "last_incarnation": "last_incarnation", "end_s": "end_s",
    "executed": "whole.executed", "aborted": "whole.aborted", "incarnations": "whole.incarnations",
    "lost": "whole.used.lost", "loop_s": "whole.loop_s", "log_peak_bytes": "whole.log_bytes_peak",
    "log_total_bytes": "whole.log_bytes_total", "log_memory_bytes": "whole.log_memory",
    "rss_peak_bytes": "whole.rss_peak", "checkpoint_memory_bytes": "whole.checkpoint_memory",
    "drain_s": "whole.drain_s",
}

SUMMED = ("wall_s", "cpu_s", "cycles", "instructions", "package_j", "core_j", "dram_j")  # over spans
