package main

import (
	"strings"
	"testing"
)

const list = `# Reasons.
any   runs in a process
short takes seconds
notlinux the kernel`

func TestAllowed(t *testing.T) {
	if got := strings.Join(allowed(list, []string{"any", "short"}), "|"); got != "runs in a process|takes seconds" {
		t.Error(got)
	}
	if got := strings.Join(allowed(list, []string{"any", ""}), "|"); got != "runs in a process" {
		t.Error(got)
	}
}

func TestFilter(t *testing.T) {
	line := func(action, test, output string) string {
		return `{"Action":"` + action + `","Package":"p","Test":"` + test + `","Output":"` + output + `"}` + "\n"
	}
	skip := func(reason string) string {
		return line("output", "TestA", `=== RUN   TestA\n`) +
			line("output", "TestA", `    a_test.go:7: `+reason+`\n`) +
			line("output", "TestA", `--- SKIP: TestA (0.00s)\n`) + line("skip", "TestA", "")
	}
	end := line("output", "", `PASS\n`) + line("output", "", `ok  \tp\t0.1s\n`) + line("pass", "", "")
	for _, c := range []struct {
		name, in, out string
		bad           bool
	}{
		{"all passed", line("output", "TestA", `    a_test.go:7: chatter\n`) + line("pass", "TestA", "") + end,
			"ok  \tp\t0.1s\n", false},
		{"allowed", skip("runs in a process of its own") + end, "ok  \tp\t0.1s\n", false},
		{"not allowed", skip("no candles") + end,
			"SKIPPED, not for an allowed reason: p TestA: no candles\nok  \tp\t0.1s\n",
			true},
		{"without a reason", line("skip", "TestA", "") + end,
			"SKIPPED, not for an allowed reason: p TestA: \nok  \tp\t0.1s\n", true},
		{"failed", line("output", "TestA", `    a_test.go:7: wrong\n`) + line("fail", "TestA", "") + line("output", "",
			`FAIL\tp\n`) + line("fail", "", ""),
			"    a_test.go:7: wrong\nFAIL\tp\n", true},
		{"ended within a test", line("output", "TestA", `panic: x\n`) + line("fail", "", ""), "panic: x\n", true},
		{"does not compile", line("build-output", "", `p: no\n`) + line("build-fail", "", ""), "p: no\n", true},
		{"no test files", line("output", "", `?   \tp\t[no test files]\n`) + line("skip", "", ""),
			"?   \tp\t[no test files]\n", false},
		{"of the go command", "go: no such tool\n", "go: no such tool\n", false},
	} {
		var out strings.Builder
		bad, err := filter(strings.NewReader(c.in), &out, []string{"runs in a process"})
		if err != nil || bad != c.bad || out.String() != c.out {
			t.Errorf("%s: bad %v, %v\n%s", c.name, bad, err, out.String())
		}
	}
}
