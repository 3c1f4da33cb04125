"""Times as the rollbench program prints them (harness/options/duration.c)."""


def text(seconds):
    whole = int(min(seconds + 0.5, 1e15))
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if whole < 120:
        return f"{whole} s"
    if whole < 7200:
        return f"{whole // 60}:{whole % 60:02} min"
    if whole < 172800:
        return f"{whole // 3600}:{whole // 60 % 60:02} h"
    return f"{seconds / 86400:.3g} days"
