"""The completion for zsh and fish, from completion_model.Model."""
import re
import textwrap

ZSH = r"""#compdef rollbench
# zsh completion for rollbench. Generated from its own --help and `rollbench list`; do not edit.

_rollbench_phases() { # R@I:PH
	if compset -P '*@*:'; then
		compadd -S '' -- @phases@
	else
		_message 'ROLE@ITERATION[:PHASE]'
	fi
}
"""
FISH = r"""# fish completion for rollbench. Generated from its own --help and `rollbench list`; do not edit.

function __rollbench_in # is the command line of that command?
	set -l words (commandline -opc)
	test (count $words) -ge 2; and test $words[2] = $argv[1]
end

function __rollbench_at # is the word that many after the name the next one?
	set -l words (commandline -opc)
	test (count $words) -eq $argv[1]
end

function __rollbench_kernel # is the command line of that command and kernel?
	set -l words (commandline -opc)
	test (count $words) -ge 3; and test $words[2] = $argv[1]; and test $words[3] = $argv[2]
end

function __rollbench_phases # R@I:PH
	set -l now (commandline -ct)
	string match -q -- '*@*:*' $now; and for phase in @phases@
		echo (string replace -r ':[^:]*$' '' -- $now):$phase
	end
end

complete -c rollbench -f
"""


def short(text):
    """The first clause of a help text, without what is in parentheses: what a list of choices has room for."""
    clause = re.split(r" \(|[.;:] |[.;:]$", text)[0]
    return textwrap.shorten(text if " " not in clause else clause, 72, placeholder=" ...")


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def zsh_quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", short(text))


def zsh_action(m, kind):
    """How _arguments completes a value."""
    if words := m.words(kind) if kind != "phases" else {}:
        return "(" + " ".join(re.sub(r"([:()])", r"\\\1", word) for word in words) + ")"
    return {"phases": "_rollbench_phases", "files": "_files", "folders": "_files -/", "yaml": '_files -g "*.yaml"'}.get(kind, " ")


def zsh_option(m, option):
    value = f":value:{zsh_action(m, option.kind)}" if option.kind else ""
    return zsh_quoted(f"*{option.name}{'=' if option.kind else ''}[{zsh_text(option.text)}]{value}")


def zsh_command(m, command):
    yield f"\t{command.name})"
    yield "\t\tspecs=("
    yield from (f"\t\t\t{zsh_option(m, option)}" for option in command.options)
    if command.argument:
        yield f"\t\t\t{zsh_quoted(f'1:argument:{zsh_action(m, command.argument)}')}"
    rest = "_files -/" if command.folders or command.argument == "folders" else "_files"
    yield f"\t\t\t{zsh_quoted(f'*:argument:{rest}')}"
    yield "\t\t)"
    if command.kernels:
        yield "\t\tcase $words[2] in"
        for kernel, options in m.of_kernel.items():
            yield f"\t\t{kernel}) specs+=({' '.join(zsh_option(m, option) for option in options)}) ;;"
        yield "\t\tesac"
    yield "\t\t;;"


def zsh(m):
    yield ZSH.replace("@phases@", " ".join(m.phases)) + "\n_rollbench() {"
    yield "\tlocal -a commands specs\n\tcommands=("
    yield from (f"\t\t{zsh_quoted(f'{c.name}:{zsh_text(c.text)}')}" for c in m.commands)
    yield "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\tcompadd -- --help --version\n\t\treturn\n\tfi"
    yield "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in"
    for command in m.commands:
        yield from zsh_command(m, command)
    yield "\t*) return 1 ;;\n\tesac\n\t_arguments $specs\n}\n"
    yield '_rollbench "$@"'


def fish_words(m, kind):
    """The -a of a value or an argument; "" if it has no words."""
    if kind == "phases":
        return " -a '(__rollbench_phases)'"
    words = m.words(kind)
    if not words:
        return {"files": " -F", "folders": " -a '(__fish_complete_directories)'", "yaml": " -a '(__fish_complete_suffix .yaml)'"}.get(kind, "")
    return " -a " + quoted(" ".join(words))


def fish_option(m, condition, option):
    value = f" -x{fish_words(m, option.kind)}" if option.kind not in (None, "files") else " -r -F" if option.kind else ""
    return f"complete -c rollbench -n {quoted(condition)} -l {option.name[2:]} -d {quoted(short(option.text))}{value}"


def fish(m):
    yield FISH.replace("@phases@", " ".join(m.phases))
    for command in m.commands:
        yield f"complete -c rollbench -n '__rollbench_at 1' -a {command.name} -d {quoted(short(command.text))}"
    yield "complete -c rollbench -n '__rollbench_at 1' -l help -d 'what the commands are'"
    yield "complete -c rollbench -n '__rollbench_at 1' -l version -d 'the version, and the commit that was built'"
    for command in m.commands:
        here = f"__rollbench_in {command.name}"
        if command.argument:
            first = f"{here}; and __rollbench_at 2"
            yield f"complete -c rollbench -n {quoted(first)}{fish_words(m, command.argument)}"
        if command.folders or command.argument in ("folders", "yaml"):
            yield f"complete -c rollbench -n {quoted(here)} -a '(__fish_complete_directories)'"
        yield from (fish_option(m, here, option) for option in command.options)
        for kernel, options in m.of_kernel.items() if command.kernels else ():
            yield from (fish_option(m, f"__rollbench_kernel {command.name} {kernel}", option) for option in options)
