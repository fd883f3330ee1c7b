# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for nsecwatch. Commands and options come from its own --help, so they are those of the program that is there.

_nsecwatch_words() { # of a --help: what stands at the start of its lines
	"$1" ${2:+$2} ${3:+$3} --help 2>/dev/null
}

_nsecwatch() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} sub= first=2

	COMPREPLY=()
	[[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
	[[ $word == = ]] && word=
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "$(_nsecwatch_words "$program" | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u) --help" -- "$word"))
		return
	fi
	if [[ $command == bisect ]]; then
		if ((COMP_CWORD == 2)); then
			COMPREPLY=($(compgen -W "start judge log" -- "$word"))
			return
		fi
		sub=${COMP_WORDS[2]} first=3
	fi
	case $before in
	--format)
		COMPREPLY=($(compgen -W "$(_nsecwatch_words "$program" push | sed -n '/^Formats:/,/^$/p' | tr ',' ' ' | sed 's/^Formats://; s/(.*//')" -- "$word"))
		return ;;
	--thp)
		COMPREPLY=($(compgen -W "as-is off advised never always madvise" -- "$word"))
		return ;;
	--mapping)
		COMPREPLY=($(compgen -W "as-is pte pmd" -- "$word"))
		return ;;
	--root | --spool | --state)
		COMPREPLY=($(compgen -d -- "$word"))
		return ;;
	esac
	if [[ $word == -* ]]; then
		COMPREPLY=($(compgen -W "$(_nsecwatch_words "$program" "$command" $sub | sed -n 's/^  \(--[a-z-]*\).*/\1/p')" -- "$word"))
	elif [[ $command == bench ]]; then
		COMPREPLY=($(compgen -W "all $("$program" bench --list 2>/dev/null | cut -d ' ' -f 1)" -- "$word"))
	else
		COMPREPLY=($(compgen -f -- "$word"))
	fi
}

complete -o filenames -F _nsecwatch nsecwatch
