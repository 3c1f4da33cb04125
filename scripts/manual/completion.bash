# bash completion for rollbench. Generated from its own --help and `rollbench list`; do not edit.
# zsh loads it after: autoload -U +X bashcompinit && bashcompinit

_rollbench_candidates() { # usage: _rollbench_candidates WHAT VALUE: one a line
	case $1 in
	phases) # R@I:PH; two of them need a number behind a plus
		[[ $2 != *@*:* ]] || compgen -P "${2%:*}:" -W "@phases@" -- "${2##*:}"
		;;
	folders) compgen -d -- "$2" ;;
	files) compgen -f -- "$2" ;;
	yaml)
		compgen -d -- "$2"
		compgen -f -X "!*.yaml" -- "$2"
		;;
	=*) compgen -W "${1#=}" -- "$2" ;;
	esac
}

_rollbench_options() { # usage: _rollbench_options COMMAND KERNEL
	case $1 in
@options@
	esac
	[ "$(_rollbench_argument "$1")" = "@kernel@" ] || return 0
	case $2 in
@kernel_options@
	esac
}

_rollbench_value() { # usage: _rollbench_value COMMAND OPTION: what its value is; 1: it takes none
	case $1:$2 in
@values@
	*) return 1 ;;
	esac
}

_rollbench_argument() { # usage: _rollbench_argument COMMAND: what its argument is
	case $1 in
@arguments@
	esac
}

_rollbench() {
	local line=${COMP_LINE:0:$COMP_POINT} command argument rest current before value kind word
	current=${line##*[[:space:]]}
	before=${line%"$current"}
	read -r _ command argument rest <<<"$before"
	before=${before%"${before##*[![:space:]]}"}
	value=$current
	if [ -z "$command" ]; then
		kind="=@commands@ --help --version"
	elif [[ $current == --*=* ]] && kind=$(_rollbench_value "$command" "${current%%=*}"); then
		value=${current#*=}
	elif ! kind=$(_rollbench_value "$command" "${before##*[[:space:]]}"); then
		kind=$(_rollbench_argument "$command")
		if [[ $current != -* && -n $argument && " @of_folders@ " == *" $command "* ]]; then
			kind=folders
		elif [[ $current == -* || -n $argument || -z $kind ]]; then
			kind="=$(_rollbench_options "$command" "$argument")"
		fi
	fi
	COMPREPLY=()
	while IFS= read -r word; do
		COMPREPLY+=("${current%"$value"}$word")
	done < <(_rollbench_candidates "$kind" "$value")
	# bash splits words there, zsh does not
	[ -n "${ZSH_VERSION-}" ] || COMPREPLY=("${COMPREPLY[@]#"${current%"${current##*[@:=]}"}"}")
	case $kind in
	files | folders | yaml) compopt -o filenames 2>/dev/null ;;
	*) [[ ${COMPREPLY[0]-} != *[:=+] ]] || compopt -o nospace 2>/dev/null ;;
	esac
	return 0
}
complete -o default -F _rollbench rollbench ./rollbench
