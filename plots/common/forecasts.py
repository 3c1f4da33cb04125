"""What C has computed without a run, beside the folder of a sweep: forecasts.json and NAME.explained.json of the results."""
import functools
import json
import os
import pathlib

from plots.common.command import read_made


SHAPES = ("doubling", "binomial", "ring", "central", "grid")  # of a reduction over all roles
POWERS = (3, 7, 10, 12, 14, 17, 20)  # P = 2^3 ... 2^20


class NoForecast(Exception):
    """It is not there; the text says which command makes it."""


@functools.lru_cache(maxsize=4)
def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


class Forecasts:
    """The answers of `rollbench papers forecasts` to what items of the papers ask, in a folder of results."""

    def __init__(self, results):
        self.results = pathlib.Path(results)

    def answer(self, command):
        """What that command line of `rollbench explain` or `partners` prints with --json (docs/failures.md, docs/kernels.md)."""
        path, remedy = self.results / "forecasts.json", f"`rollbench papers forecasts --results {self.results}` makes it"
        try:
            answers = dict(_read(path)["answers"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise NoForecast(f"{path}: {error}; {remedy}") from error
        if command not in answers:
            raise NoForecast(f"{path} has no `rollbench {command}`; {remedy}")
        return answers[command]


def partners(forecasts, shape, powers=POWERS):
    """{P: how many roles send to role 0, to the one with most and to a role on average} with that shape of the reduction; with `grid`
    besides the halo of jacobi."""
    pattern = "jacobi --grid 4096" if shape == "grid" else "allreduce"
    return {2 ** k: forecasts.answer(f"partners {pattern} --np {2 ** k} --reduce {shape}") for k in powers}


def beside(folder):
    """Those of the results that the folder of a sweep is in."""
    return Forecasts(pathlib.Path(os.path.abspath(folder)).parent)


def explained(folder):
    """{id: record} of a sweep, with its "recoveries" or with "left_out", by `rollbench explain --record` (docs/failures.md)."""
    path = f"{os.path.abspath(folder)}.explained.json"
    found = read_made(path, "rollbench-explained-1", f"make it with `rollbench explain --record {folder} --json >{path}`")
    return {record["id"]: record for record in found["records"]}
