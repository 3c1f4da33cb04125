"""What works on records, and needs neither MPI nor the engine, in rooms.

common   what the others share: which records count, statistics, the look of a figure
figures  scripts that draw, each `SCRIPT RESULTS OUTPUT`
tables   scripts that write Markdown, called in the same way
report   `rollbench report` and `rollbench watch`
export   `rollbench export`
models   `rollbench model`
claims   `rollbench papers`: the items of the papers and their verdicts
forecast scripts that draw what was simulated or computed
elc      figures of runs with --protocol

A script puts the folder above this one on its path, so it can be started from anywhere.
"""
