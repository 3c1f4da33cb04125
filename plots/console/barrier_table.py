#!/usr/bin/env python3
"""What `rollbench barrier` prints: the record on standard input as two tables, for people.

Each cell is a median with the least and the greatest value.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command, json_text
from plots.common.stats import median


def cell(values, form):
    """"median [least, most]"; "absent" if there are no values, or if one of them is missing."""
    if not values or None in values:
        return "absent"
    return f"{median(values):{form}} [{min(values):{form}}, {max(values):{form}}]"


def scaled(value, scale):
    return None if value is None else scale * value


def line(name, cells):
    print(f"{name:<18}{cells[0]:<25} {cells[1]:<25} {cells[2]:<25} {cells[3]}")


class Table:
    def __init__(self, record):
        self.record, self.phases = record, record["phases"]

    def of(self, technique):
        """The phases of a technique; None stands for the product."""
        return [phase for phase in self.phases if phase["technique"] == technique]

    def used(self, technique):
        """The samples of all ranks; in a barrier, only those of the ranks that waited."""
        return [sample for phase in self.of(technique) for sample in phase["samples"]
                if technique is None or sample["rank"] != self.record["late_rank"]]

    def watts(self, technique):
        """Those of the packages whose meter is read, in order of rank."""
        return " + ".join(cell([phase["samples"][rank["rank"]]["watts"] for phase in self.of(technique)], ".1f")
                          for rank in self.record["ranks"] if rank["reads_energy"]) or "absent"

    def use(self, technique):
        samples = self.used(technique)
        shares = [scaled(sample["cpu_s"], 1 / sample["wall_s"]) for sample in samples]
        counts = [[scaled(sample[key], 1e-9) for sample in samples] for key in ("cycles", "instructions")]
        return [cell(values, ".4f") for values in (shares, *counts)] + [self.watts(technique)]

    def latency(self, technique):
        """How much later than the late rank the others left, in microseconds; and how much more this is than with
        `none` in the same repetition."""
        cells = []
        for key in ("latency_max_s", "latency_median_s"):
            none = {phase["repetition"]: scaled(phase[key], 1e6) for phase in self.of("none")}
            late = [(phase["repetition"], scaled(phase[key], 1e6)) for phase in self.of(technique)]
            more = [None if value is None or none.get(repetition) is None else value - none[repetition]
                    for repetition, value in late]
            cells += [cell([value for _, value in late], ".0f"), "" if technique == "none" else cell(more, "+.0f")]
        return cells

    def rows(self, row, reasons):
        """A line for each technique. Those without numbers have their reason, in the first table only."""
        for technique in self.record["techniques"]:
            name, why = technique["name"], technique["absent"] or technique["trouble"]
            if not why:
                line(f"barrier, {name}", row(name))
            elif reasons:
                print(f"{f'barrier, {name}':<18}absent: {why}")

    def say_absent(self, what, column):
        """The last reason is the one with the remedy for all."""
        meters = [meter for meter in self.record["meters"] if meter["what"] == what]
        if meters and not any(meter["ok"] for meter in meters):
            print(f"{column} absent: {meters[-1]['text']}")

    def say(self):
        print("\nmedian [least, most] over repetitions and ranks; in barriers, over the ranks that wait")
        line("", ("CPU time / wall time", "10^9 cycles", "10^9 instructions", "W of each package"))
        line("matrix product", self.use(None))
        self.rows(self.use, reasons=True)
        for what, column in (("energy", "W"), ("cycles", "cycles"), ("instr", "instructions")):
            self.say_absent(what, column)
        print("\nmicroseconds from the late rank's entering until waiting ranks have left, and more than with none")
        line("", ("last rank", "more than none", "median rank", "more than none"))
        self.rows(self.latency, reasons=False)


def main(_):
    Table(json_text.parse(sys.stdin.buffer.read())).say()
    return 0


if __name__ == "__main__":
    command.run("barrier", main)
