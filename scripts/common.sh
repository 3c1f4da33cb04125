# Shared by the set-up scripts; sourced, never run. $root is the checkout.

say() {
	printf 'rollbench set-up: %s\n' "$*" >&2
}

fail() {
	printf 'rollbench set-up: %s\n' "$*" >&2
	exit 2
}

am_root() {
	[ "$(id -u)" -eq 0 ]
}

package_list() {
	sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$root/configs/packages.txt"
}

debian_release() { # "12", "13" or "" where this is not Debian
	(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_ID:-}") || true
}

# Run apt-get quietly, but let people see that something goes on and, on failure, what it said.
apt_quietly() {
	log=$(mktemp)
	begin=$(date +%s)
	DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1 </dev/null &
	job=$!
	trap 'kill "$job" 2>/dev/null; rm -f "$log"; exit 130' INT TERM
	while kill -0 "$job" 2>/dev/null; do
		sleep 1
		now=$(($(date +%s) - begin))
		[ $((now % 10)) -ne 0 ] || say "  ... ${now} s: $(tail -n 1 "$log" | cut -c1-90)"
	done
	status=0
	wait "$job" || status=$?
	trap - INT TERM
	[ "$status" -eq 0 ] || tail -n 15 "$log" >&2
	rm -f "$log"
	return "$status"
}
