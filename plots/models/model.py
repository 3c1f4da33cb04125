#!/usr/bin/env python3
"""`rollbench model WHAT [OPTION ...]`: what a paper's model says, by its name."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import command
from plots.common.command import Refused
from plots.models import dataflow, energy, mcml

MODELS = {"energy": energy, "dataflow": dataflow, "mcml": mcml}


def help_of_all():
    """The usages, then what stands below each."""
    texts = [model.__doc__.strip().partition("\n\n") for model in MODELS.values()]
    usages = [usage.removeprefix("usage: ") for usage, _, _ in texts]
    return "\n\n".join(["usage: " + "\n       ".join(usages), *(rest for _, _, rest in texts)])


def main(words):
    if words and words[0] in MODELS:
        return MODELS[words[0]].main(words[1:])
    if command.wants_help(words):
        print(help_of_all())
        return 0
    raise Refused(f"{words[0] + ': ' if words else ''}expected what to model: {', '.join(MODELS)}")


if __name__ == "__main__":
    command.run("model", main)
