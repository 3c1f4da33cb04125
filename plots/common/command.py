"""What scripts have in common: options, files that they draw, refusals, how those that the rollbench command becomes end."""
import errno
import json
import math
import os
import pathlib
import re
import signal
import sys

DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
REFUSED, LOST = 2, 7  # exit statuses; LOST as base/streams.h has it


class Refused(Exception):
    """What was asked for cannot be done; its text names the option or file, and the remedy."""


def refuse(text):
    raise Refused(text)


class Options:
    """A command line, word by word: `--name value`, `--name=value`, switches, the rest."""

    def __init__(self, words):
        self.words, self.name, self.behind = list(words), "", None

    def __iter__(self):
        """(name without dashes, what stands behind '='), or ("", word) for what is no option."""
        while self.words:
            word = self.words.pop(0)
            if word.startswith("--") and len(word) > 2:
                self.name, equals, text = word[2:].partition("=")
                self.behind = text if equals else None
            else:
                self.name, self.behind = "", word
            yield self.name, self.behind

    def value(self):
        """That of the option read last, which may be the next word."""
        if self.behind is None:
            if not self.words:
                raise Refused(f"--{self.name}: a value is missing")
            self.behind = self.words.pop(0)
        return self.behind

    def form(self, before):
        """The option read last, json or csv, as the form of what is printed. "-" may follow, as where other commands take a file."""
        if before not in ("text", self.name):
            raise Refused("--json, --csv: only one of them")
        if self.words[:1] == ["-"]:
            self.words.pop(0)
        return self.name

    def unexpected(self, remedy):
        """The refusal of the word read last."""
        return Refused(f"--{self.name}{remedy}" if self.name else f"{self.behind}{remedy}")


def real(text):
    """The decimal number that this text is, as text_real() of base/text.h reads it; None if it is none, or not finite."""
    value = float(text) if DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def is_terminal(stream):
    """As streams_terminal() of base/streams.h: one on which what was written can be written over."""
    return os.environ.get("TERM", "dumb") not in ("", "dumb") and stream.isatty()


def arguments(usage):
    """The two words behind the name of a figure's or table's script; with more or fewer it ends with its usage."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    return sys.argv[1:]


def read_json(path, remedy):
    """What a file of JSON says; without it the script ends and names the remedy."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: {error}; {remedy}")


def read_made(path, schema, remedy):
    """As read_json(), an object of this schema."""
    found = read_json(path, remedy)
    if not isinstance(found, dict) or found.get("schema") != schema:
        sys.exit(f"{path}: not {schema}; {remedy}")
    return found


def read_model(path, name):
    """What `rollbench model NAME --json` printed into a file; without it the script ends and names that command."""
    return read_made(path, f"rollbench-model-{name}-1", f"make it with `rollbench model {name} --json`")


def wants_help(words):
    return "--help" in words or "-h" in words


def lost(error):
    """Is it that standard output cannot be written? A file that cannot be has a name."""
    return error.filename is None and error.errno in (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT)


def run(name, main):
    """Be the command: main takes the words behind its name and returns the exit status."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `rollbench ... | head` says nothing of it
    for stream in (sys.stdout, sys.stderr):  # paths may be of any bytes
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    status = 0
    try:
        status = main(sys.argv[1:]) or 0
        sys.stdout.flush()
        sys.exit(status)
    except OSError as error:
        if not lost(error):
            raise
        print(f"rollbench {name}: standard output cannot be written: {error.strerror}; output is lost", file=sys.stderr)
        os._exit(status or LOST)  # not exit(), which would try again to write what is buffered
    except Refused as error:
        sys.stdout.flush()
        print(f"rollbench {name}: {error}", file=sys.stderr)
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
