#!/usr/bin/env python3
"""How many roles replay to a failed one, against the number of roles, by the shape of the reduction: from patterns, without a run.

usage: reduction_shapes.py FORECASTS.json OUTPUT-FOLDER

From the answers of `rollbench papers forecasts`. Under local rollback those who send to a role replay to it. Left, the role to which most
send; right, the mean over all roles.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common.command import arguments
from plots.common.drawing import note, panels, save, share_range
from plots.common.forecasts import SHAPES, Forecasts, NoForecast, partners

LOOKS = {"doubling": dict(color="#4c72b0", marker="o", label="recursive doubling"),
         "binomial": dict(color="#c44e52", marker="s", label="binomial tree, and back"),
         "ring": dict(color="#8172b3", marker="v", label="ring"),
         "central": dict(color="#8c8c8c", marker="D", label="one role adds"),
         "grid": dict(color="#55a868", marker="^", label="along the axes of a grid, with Jacobi's halo")}


def draw(axis, found, key, title):
    for shape, by_np in found.items():
        axis.plot(list(by_np), [answer[key] for answer in by_np.values()], linewidth=1, markersize=6, fillstyle="none", **LOOKS[shape])
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xlabel("roles P, logarithmic")
    axis.set_ylabel("roles that send to it, logarithmic")
    axis.set_title(title, fontsize=10)


def main():
    path, output = arguments(__doc__)
    forecasts = Forecasts(pathlib.Path(path).parent)
    try:
        found = {shape: partners(forecasts, shape) for shape in SHAPES}
    except NoForecast as error:
        sys.exit(str(error))
    figure, axes = panels(2)
    draw(axes[0][0], found, "most", "the role to which most send")
    draw(axes[0][1], found, "mean", "mean over all roles")
    share_range(axes[0])
    axes[0][0].legend(fontsize=7.5, loc="upper left")
    figure.tight_layout()
    note(figure, "From the patterns of a sum over all roles (allreduce), and of jacobi; nothing is run. Under local rollback, all roles that send "
                 "to a failed one replay.")
    save(figure, output, "reduction-shapes", "active sets by shape of the reduction")


if __name__ == "__main__":
    main()
