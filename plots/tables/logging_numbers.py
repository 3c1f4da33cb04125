"""The message-logging-kernels paper's numbers for its tables, and how they are shown beside ours."""
import functools

from plots.claims import items

PAPER = "message-logging-kernels"
DECIMAL = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}


def forecast(forecasts, words, interval=1):
    """Of the fullest log at the end of an interval, and the data of a role; words: the kernel with its options."""
    return forecasts.answer(f"explain {words} --policy all --interval {interval} --kill 0@{interval - 1}")


@functools.lru_cache(maxsize=None)
def numbers(item):
    """{(what, unit): value} of one item of plots/papers."""
    return {(one["what"], one["unit"]): one["value"] for one in items.find(f"{PAPER}/{item}", items.load())["numbers"]}


def in_bytes(found, what):
    """The one that is a number of bytes."""
    (value, unit), = [(value, unit) for (name, unit), value in found.items() if name == what and unit in DECIMAL]
    return value * DECIMAL[unit]


def size(count):
    """Bytes in decimal units, as the paper has them."""
    unit = next(unit for unit in ("GB", "MB", "KB", "B") if count >= DECIMAL[unit] or unit == "B")
    return f"{count / DECIMAL[unit]:.3g} {unit}"


def percent(share):
    return f"{100 * share:.{3 if share >= 1 else 2}g} %"


def off(ours, theirs):
    """How far ours lies from theirs."""
    return f"{100 * (ours / theirs - 1):+.0f} %"
