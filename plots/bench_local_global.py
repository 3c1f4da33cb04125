#!/usr/bin/env python3
"""Time to solution with a failure, local against global rollback.

usage: bench_local_global.py BENCH-FOLDER OUTPUT-FOLDER

Of `make bench`'s samples (local-global.json): ratios of paired runs, every pair a dot, the median
and its bootstrap 95 % interval. Below 1: local rollback is faster.
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))

from measure import interval  # noqa: E402  (the folder must be known first)
from records import panels, save  # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    bench, output = sys.argv[1:]
    path = pathlib.Path(bench) / "local-global.json"
    if not path.exists():
        sys.exit(f"{path}: not there; run `make bench` first")
    samples = json.loads(path.read_text())
    figure, axes = panels(1)
    axis = axes[0][0]
    for place, (name, ratios) in enumerate(samples.items()):
        wide = [place + 0.16 * ((i * 0.618) % 1 - 0.5) for i in range(len(ratios))]
        axis.plot(wide, ratios, linestyle="none", marker="o", markersize=3, alpha=0.5,
                  color="#4c72b0")
        median, low, high = interval(ratios)
        axis.errorbar([place + 0.22], [median], [[median - low], [high - median]], fmt="s",
                      color="black", capsize=4)
        axis.annotate(f"{median:.2f}", (place + 0.22, median), xytext=(7, -3),
                      textcoords="offset points", fontsize=8)
    axis.axhline(1, color="#555555", linewidth=1, linestyle="--")
    axis.set_xticks(range(len(samples)), samples)
    axis.set_xlim(-0.5, len(samples) - 0.3)
    axis.set_xlabel("")
    axis.set_ylabel("time to solution, local / global rollback")
    axis.set_title("One failure, 98 iterations lost; medians with 95 % intervals", fontsize=10)
    figure.tight_layout()
    save(figure, output, "local-global", "local against global rollback")


if __name__ == "__main__":
    main()
