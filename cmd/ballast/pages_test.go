package main

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"ballast/compute/risk"
	"ballast/server/api"
)

var update = flag.Bool("update", false, "write anew what docs/ takes from the code")

// TestPages: docs/flags.md and the manual page match the command-line flags.
func TestPages(t *testing.T) {
	parser, err := newParser(&settings{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"../../docs/flags.md": flagsPage(parser.Model.Node),
		"../../docs/ballast.1": manualPage(parser.Model.Node)} {
		if *update {
			writeFile(t, path, want)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is not what the flag table gives: `make docs` writes it anew (%v)", path, err)
		}
	}
}

// TestFlagTable: docs/api.md contains the engine's table of risk flags, and every reason for which
// the venue would reject an order.
func TestFlagTable(t *testing.T) {
	const path, begin, end = "../../docs/api.md", "<!-- flags: written by `make docs` -->\n", "<!-- end of flags -->"
	page := contents(t, path)
	head, rest, begun := strings.Cut(page, begin)
	_, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s lacks %q or %q", path, begin, end)
	}
	var b strings.Builder
	fmt.Fprint(&b, "| Flag | Severity | Meaning | Unit | Raised when |\n|---|---|---|---|---|\n")
	for _, f := range risk.FlagTable {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.Severity, f.Meaning, f.Unit,
			strings.ReplaceAll(f.Raised, "|", `\|`))
	}
	want := head + begin + b.String() + end + tail
	if *update {
		writeFile(t, path, want)
	} else if want != page {
		t.Errorf("%s: the table of flags is not the engine's: `make docs` writes it anew", path)
	}
	var issues risk.Admissibility
	for i := range issues.Issues {
		code := risk.IssueCode(i)
		if row := fmt.Sprintf("| `%s` | `%s` |", code, code.Field()); !strings.Contains(want, row) {
			t.Errorf("%s lacks %s", path, row)
		}
	}
}

// TestOutage: all pages state the same rule for an agent that gets no answer.
func TestOutage(t *testing.T) {
	const rule = "An agent that gets no answer opens or increases nothing; what only reduces a position needs no " +
		"answer."
	for _, path := range []string{"../../docs/first-request.md", "../../docs/operations.md", "../../SKILL.md"} {
		if page, err := os.ReadFile(path); err != nil || strings.Count(string(page), rule) != 1 {
			t.Errorf("%s: want once: %s (%v)", path, rule, err)
		}
	}
}

// TestTableOfErrors: docs/api.md has a row for every error that the service gives.
func TestTableOfErrors(t *testing.T) {
	page := contents(t, "../../docs/api.md")
	for _, code := range api.Codes() {
		if code == api.InvalidKey {
			continue // documented in the row of the other 401 error
		}
		if row := fmt.Sprintf("\n| %d | `%s`", api.RuleOf(code).Status, code); strings.Count(page, row) != 1 {
			t.Errorf("docs/api.md: want one row %q", row)
		}
	}
}

// commands returns the commands that can be run, each with its own flags and those of its parent
// commands, without --help and --version.
func commands(node *kong.Node) (leaves []*kong.Node) {
	for _, child := range node.Children {
		switch {
		case child.Hidden:
		case len(child.Children) > 0:
			leaves = append(leaves, commands(child)...)
		default:
			leaves = append(leaves, child)
		}
	}
	return leaves
}

// option is a row in a command's table of flags.
type option struct{ name, env, standard, meaning string }

func options(command *kong.Node) (rows []option) {
	for _, argument := range command.Positional {
		rows = append(rows, option{name: argument.Summary(), meaning: argument.Help})
	}
	for _, f := range command.Flags {
		row := option{name: "--" + f.Name, env: strings.Join(f.Envs, ", "), standard: f.Default, meaning: f.Help}
		switch {
		case f.PlaceHolder != "":
			row.name += "=" + f.PlaceHolder
		case f.Enum != "":
			row.name += "=" + strings.Join(f.EnumSlice(), "|")
		case !f.IsBool():
			row.name += "=" + map[reflect.Kind]string{
				reflect.String: "TEXT", reflect.Slice: "LIST", reflect.Int: "NUMBER", reflect.Float64: "NUMBER",
				reflect.Int64: "TIME",
			}[f.Target.Kind()]
		}
		if f.Required {
			row.standard = "required"
		}
		rows = append(rows, row)
	}
	return rows
}

const (
	aboutSettings = "A flag on the command line wins over the environment, the environment over the default. " +
		"An unknown flag and an unknown name in the environment that begins with BALLAST_ are errors. Names that " +
		"begin with BALLAST_LOAD_ belong to ballast-load and are ignored. A file of such names, an EnvironmentFile " +
		"of systemd, may hold secrets: let nobody else read it. ballast serve --check reads everything, tries " +
		"whether the data directory can be written, and starts nothing."
	exitStatuses = "Exit status: 0 when all went well, 1 after an error, 2 when the call could not be understood: an " +
		"unknown flag, a flag given twice that takes one value, a value that cannot be. ballast validate: 0 " +
		"proceed, 10 " +
		"proceed with caution, or proceed on stale data unless it is a close, 20 abort, 1 and 2 as above."
)

func flagsPage(app *kong.Node) string {
	var b strings.Builder
	fmt.Fprint(&b, "# Command-line flags: how do I set it up?\n\n<!-- Written by `make docs` from "+
		"cmd/ballast/flags.go. -->\n\n"+aboutSettings+" The flags of an answer are another thing: "+
		"[api.md](api.md#flags)."+"\n\n"+exitStatuses+"\n")
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	code := func(text string) string {
		if text == "" || text == "required" {
			return text
		}
		return "`" + text + "`"
	}
	for _, command := range commands(app) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", command.FullPath(), command.Help)
		rows := options(command)
		if len(rows) == 0 {
			continue
		}
		fmt.Fprint(&b, "\n| Flag | Environment | Default | Meaning |\n|---|---|---|---|\n")
		for _, o := range rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(cell(o.name)), code(o.env), code(cell(o.standard)),
				cell(o.meaning))
		}
	}
	return b.String()
}

// manualPage returns the manual page in the man macros of roff.
func manualPage(app *kong.Node) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace
	line(`.\" Written by make docs from cmd/ballast/flags.go.`)
	line(`.TH BALLAST 1 "" ballast "User Commands"`)
	line(".SH NAME\nballast \\- %s", text("pre-trade risk for perpetual futures on Hyperliquid"))
	line(".SH SYNOPSIS\n.B ballast\n.I command\n.RI [ flags ]")
	line(".SH DESCRIPTION\n%s", text(app.Help))
	line(".SH COMMANDS")
	for _, command := range commands(app) {
		line(".SS %s\n%s", text(command.FullPath()), text(command.Help))
		for _, o := range options(command) {
			meaning := o.meaning
			if o.standard == "required" {
				meaning += " Required."
			} else if o.standard != "" {
				meaning += " Default: " + o.standard + "."
			}
			line(".TP\n.B %s\n%s", text(o.name), text(meaning))
		}
	}
	line(".SH ENVIRONMENT\n%s",
		text("A flag's name in the environment is BALLAST_ and the name of the flag in capitals, with _ for -: "+
			"BALLAST_DATA_DIR for --data-dir. "+aboutSettings))
	line(".TP\n.B NO_COLOR\nWhen it is set and not empty, reports have no colours. They have none either where they " +
		"do not go to a terminal.")
	line(".SH EXIT STATUS\n%s", text(strings.TrimPrefix(exitStatuses, "Exit status: ")))
	return b.String()
}
