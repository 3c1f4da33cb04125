"""Make the man pages of the program and of libelc, and the completion of bash, from what they say of themselves."""
import argparse
import pathlib
import sys

import completion
import helptext
import libelc
import pages


def made(program):
    """{path of a file below share/: its text}."""
    elc = libelc.pages(f"Rollbench {program.version.split()[1]}")
    return {**{f"man/man1/{name}.1": text for name, text in pages.pages(program).items()},
            "man/man3/elc.3": elc["elc"], "man/man7/libelc.7": elc["libelc"],
            "bash-completion/completions/rollbench": completion.bash(program)}


def main():
    parser = argparse.ArgumentParser(prog="python3 scripts/manual", description=__doc__)
    parser.add_argument("program", help="path of rollbench")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("file", nargs="?", help="the file to print: rollbench-run.1, libelc.7, completions/rollbench")
    what.add_argument("--into", metavar="FOLDER", type=pathlib.Path, help="write all files below that folder, which stands for share/ of a prefix")
    words = parser.parse_args()
    files = made(helptext.read(words.program))
    if words.into:
        for name, text in files.items():
            (words.into / name).parent.mkdir(parents=True, exist_ok=True)
            (words.into / name).write_text(text, encoding="utf-8")
        return
    found = [text for name, text in files.items() if name.endswith(f"/{words.file}")]
    if not found:
        parser.error(f"{words.file} is none of these: {' '.join(files)}")
    sys.stdout.write(found[0])


if __name__ == "__main__":
    main()
