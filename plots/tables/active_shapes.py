"""Who replays, by the shape of the reduction over all roles, at several sizes: from patterns (`rollbench papers forecasts`), without a run.

After Sect. 6.3 of the power-log-n-roll paper, which says that the algorithm of the allreduce decides how many processes replay.
"""
import math

from plots.common.forecasts import POWERS, SHAPES, partners
from plots.common.stats import mean, straight

# (name, pattern, the paper's set of role 0)
KERNELS = (("lulesh, 5x5x5 roles", "lulesh --edge 45 --np 125", "{1, 5, 25}"),
           ("cg class D, 128 roles", "cg --class D --np 128", "{1, 2, 4, 8}"),
           ("jacobi, 18x8 roles", "jacobi --np 144 --decomp 18x8 --grid 90000", "{1, 8}"),
           ("allreduce, 128 roles", "allreduce --np 128", ""))
HAVE_GRIDS = ("lulesh", "jacobi")
NAMED = 10  # roles of a set that are named
FITTED = 10  # growth is that from so many on: a mean like 2 - 2 / P has come near its limit then
GROWTHS = (("1", lambda np: 0.0), ("log2 P", math.log2), ("P", float))


def show(roles):
    return "{" + ", ".join(map(str, roles[:NAMED])) + (f", ... of {len(roles)}" if len(roles) > NAMED else "") + "}"


def write_variants(out, forecasts, kernels=KERNELS):
    """Each kernel with each shape: the set of role 0, and how many of all roles."""
    out.write("\n### By shape of the reduction (`--reduce`), from patterns\n\nOf a failed role: who sends to it, and so replays. CG has its sums over "
              "rows of roles, so the shapes are those of a row.\n\n| pattern | shape | role 0 fails | the paper's | mean of all roles | most |\n"
              "|---|---|---|---|---|---|\n")
    for name, pattern, theirs in kernels:
        for shape in SHAPES:
            if shape != "grid" or pattern.split()[0] in HAVE_GRIDS:
                zero, every = (forecasts.answer(f"partners {pattern} --reduce {shape}{more}") for more in (" --role 0", ""))
                out.write(f"| {name} | {shape} | {show(zero['active'])} | {theirs} | {every['mean']:.3g} | {every['most']} |\n")


def growth(sizes):
    """(f, a, b): of a + b f(P), with f = 1, log2 P or P, what is nearest to the sizes; of those equally near the slower one."""
    def fit(of):
        points = [(of(np), size) for np, size in sizes.items()]
        slope = straight(points) or 0.0
        a = mean(sizes.values()) - slope * mean(x for x, _ in points)
        return mean([(a + slope * x - y) ** 2 for x, y in points]), a, slope

    near = (max(sizes.values()) / 50) ** 2
    fits = [(name, *fit(of)) for name, of in GROWTHS]
    name, _, a, slope = next((one for one in fits if one[1] <= near), min(fits, key=lambda one: one[1]))
    return name, a, slope


def said(sizes):
    name, a, slope = growth(sizes)
    if name == "1":
        return f"constant, {a:.3g}"
    start = "" if abs(a) < 0.005 else f" {'+' if a > 0 else '-'} {abs(a):.3g}"
    return (f"{slope:.3g} " if abs(slope - 1) > 0.005 else "") + name + start


def write_growth(out, forecasts, powers=POWERS, fitted=FITTED):
    """|S_active| by P: of the role that needs most, and the mean of all roles."""
    out.write("\n### Growth with the number of roles P, from patterns\n\n"
              "How many roles send to a failed one; `allreduce`, and `grid` the sum of `jacobi` with its "
              f"halo. Fitted from P = 2^{fitted} on, to a fiftieth of the largest.\n\n| shape | of | " + " | ".join(f"2^{k}" for k in powers)
              + " | grows as |\n|---|---|" + "---|" * (len(powers) + 1) + "\n")
    for shape in SHAPES:
        found = partners(forecasts, shape, powers)
        for what, key in (("role 0", "role_0"), ("the role with most", "most"), ("mean of all roles", "mean")):
            sizes = {np: one[key] for np, one in found.items()}
            cells = " | ".join(f"{sizes[2 ** k]:.4g}" if key == "mean" else str(sizes[2 ** k]) for k in powers)
            out.write(f"| {shape} | {what} | {cells} | {said({np: size for np, size in sizes.items() if np >= 2 ** fitted})} |\n")
