package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	parser, err := newParser(&settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ words, want string }{
		{"s", "serve size"},
		{"keys _", "issue list revoke rebuild"},
		{"completion _", "bash zsh fish"},
		{"completion bash _", ""},
		{"serve --tls", "--tls-cert --tls-key"},
		{"serve --feed _", "own shared"},
		{"serve --feed s", "shared"},
		{"serve --feed=s", "--feed=shared"},
		{"serve --feed = s", "shared"}, // bash splits --feed=s into three words
		{"serve --feed =", "own shared"},
		{"serve --feed own --log-format j", "json"},
		{"serve --feed=own --venue t", "testnet"},
		{"serve --no-console --feed o", "own"}, // a switch takes no value
		{"serve --listen serve --feed o", "own"},
		{"keys issue --smtp-tls st", "starttls"},
		{"validate --action _", "long short close"},
		{"validate --size _", ""},
		{"validate --bogus=_", ""},
		{"nothing _", ""},
		{"__", ""},
		{"serve -- --f", ""},
		{"--v", "--version"},
	} {
		words := strings.Fields(c.words)
		if last := len(words) - 1; words[last] == "_" {
			words[last] = ""
		}
		var got []string
		for _, found := range complete(parser.Model.Node, words) {
			got = append(got, found.word)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
	if found := complete(parser.Model.Node, []string{"version"}); len(found) != 1 || !strings.HasPrefix(found[0].help,
		"Print version") {
		t.Errorf("%+v", found)
	}
	if complete(parser.Model.Node, nil) != nil {
		t.Error("nothing to complete")
	}
}

// TestE2ECompletion runs the completion scripts in their shells. The display of candidates in zsh
// is not tested, because it needs a terminal.
func TestE2ECompletion(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(binary(t, "ballast"), filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "a.csv"), "")
	for _, shell := range []struct{ name, program, files string }{
		{"bash", `source <(ballast completion bash)
			complete -p ballast >&2
			// without candidates bash itself offers file names
			COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ballast ballast; printf '%s\n' "${COMPREPLY[@]}"`, ""},
		{"zsh", `compdef() { :; }; _describe() { print -l -- ${${(P)2}%%:*}; }; _files() { print a.csv; }
			source <(ballast completion zsh); words=("$@"); CURRENT=$#; _ballast`, "a.csv"},
		{"fish", `ballast completion fish | source; complete -C "$argv" | string replace -r '\t.*' ''; true`, "a.csv"},
	} {
		t.Run(shell.name, func(t *testing.T) {
			if _, err := exec.LookPath(shell.name); err != nil {
				t.Skip("this shell is not installed")
			}
			for _, c := range []struct {
				words []string
				want  string
			}{
				{[]string{"va"}, "validate"},
				{[]string{"keys", ""}, "issue list rebuild revoke"},
				{[]string{"serve", "--fee"}, "--feed"},
				{[]string{"serve", "--feed", ""}, "own shared"},
				{[]string{"serve", "--feed=s"}, "--feed=shared"},
				{[]string{"calibrate", "--candles", "a"}, shell.files},
			} {
				args := append([]string{"ballast"}, c.words...)
				if shell.name == "bash" || shell.name == "zsh" {
					args = append([]string{shell.name}, args...) // the first argument is $0
				}
				cmd := exec.Command(shell.name, append([]string{"-c", shell.program}, args...)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
				var errs strings.Builder
				cmd.Stderr = &errs
				out, err := cmd.Output()
				got := strings.Fields(string(out))
				slices.Sort(got)
				if err != nil || strings.Join(got, " ") != c.want {
					t.Errorf("%q: %q, want %q: %v %s", c.words, got, c.want, err, errs.String())
				}
				if shell.name == "bash" && !strings.Contains(errs.String(), "-o default -F _ballast ballast") {
					t.Error(errs.String())
				}
			}
		})
	}
}
