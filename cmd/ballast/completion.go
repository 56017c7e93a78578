package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The scripts call `ballast __complete` for the candidates of the word under the cursor. Without
// candidates the shell offers file names.
var completionScripts = map[string]string{
	"bash": `# bash completion of ballast
_ballast() {
    local word
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        COMPREPLY+=("$word")
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _ballast ballast
`,
	"zsh": `#compdef ballast
_ballast() {
    local word help
    local -a found
    "${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null | while IFS=$'\t' read -r word help; do
        found+=("${word//:/\\:}${help:+:$help}")
    done
    if (( $#found )); then
        _describe ballast found
    else
        _files
    fi
}
if [ "$funcstack[1]" = _ballast ]; then
    _ballast
else
    compdef _ballast ballast
fi
`,
	"fish": `# fish completion of ballast
function __ballast_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($words[1] __complete -- $words[2..] "$word" 2>/dev/null)
    if count $found >/dev/null
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end
complete -c ballast -f -a '(__ballast_complete)'
`,
}

// Run prints the completion script of a shell.
func (c *completionCmd) Run() error {
	_, err := fmt.Print(completionScripts[c.Shell])
	return err
}

// Run prints the candidates for the last word, each with its description after a tab.
func (c *completeCmd) Run(ctx *kong.Context) error {
	for _, found := range complete(ctx.Model.Node, c.Words) {
		fmt.Printf("%s\t%s\n", found.word, found.help)
	}
	return nil
}

type candidate struct{ word, help string }

// complete returns the candidates for the last word of a command line without the program's name.
func complete(node *kong.Node, words []string) (found []candidate) {
	if len(words) == 0 {
		return nil
	}
	flags := slices.Clone(node.Flags)
	var pending *kong.Flag // a flag whose value comes next
	values := false        // true after --
	arguments := 0
	last := len(words) - 1
	for _, word := range words[:last] {
		name, _, whole := strings.Cut(word, "=")
		switch {
		case pending != nil && word == "=": // bash splits --flag=value into three words
		case pending != nil:
			pending = nil
		case word == "--":
			values = true
		case !values && strings.HasPrefix(word, "-"):
			if f := flagNamed(flags, name); f != nil && !f.IsBool() && !whole {
				pending = f
			}
		default:
			i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
			if i < 0 {
				arguments++
				continue
			}
			node = node.Children[i]
			flags = append(flags, node.Flags...)
		}
	}
	word := words[last]
	offer := func(name, help string) {
		if strings.HasPrefix(name, word) {
			found = append(found, candidate{name, help})
		}
	}
	name, _, whole := strings.Cut(word, "=")
	switch {
	case pending != nil:
		word = strings.TrimPrefix(word, "=")
		for _, v := range valuesOf(pending.Value) {
			offer(v, "")
		}
	case !values && strings.HasPrefix(word, "-") && whole:
		if f := flagNamed(flags, name); f != nil {
			for _, v := range valuesOf(f.Value) {
				offer(name+"="+v, "")
			}
		}
	case !values && strings.HasPrefix(word, "-"):
		for _, f := range flags {
			offer("--"+f.Name, f.Help)
		}
	case len(node.Children) > 0 && arguments == 0:
		for _, child := range node.Children {
			if !child.Hidden {
				offer(child.Name, child.Help)
			}
		}
	case arguments < len(node.Positional):
		for _, v := range valuesOf(node.Positional[arguments]) {
			offer(v, "")
		}
	}
	return found
}

func flagNamed(flags []*kong.Flag, name string) *kong.Flag {
	i := slices.IndexFunc(flags, func(f *kong.Flag) bool { return "--"+f.Name == name })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// valuesOf returns the possible values of a flag or argument, if they are known.
func valuesOf(v *kong.Value) []string {
	if v.Enum != "" {
		return v.EnumSlice()
	}
	if listed := v.Tag.Get("values"); listed != "" {
		return strings.Split(listed, ",")
	}
	return nil
}
