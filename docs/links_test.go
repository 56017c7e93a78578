package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	code    = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// anchors returns the anchors of a page's headings, by GitHub's rule.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(code.ReplaceAllString(page, ""), -1) {
		title := dropped.ReplaceAllString(strings.ToLower(h[1]), "")
		found[strings.ReplaceAll(title, " ", "-")] = true
	}
	return found
}

// TestLinks: every relative link of every page leads to an existing file and heading.
func TestLinks(t *testing.T) {
	listed, err := exec.Command("git", "ls-files", "--", "../*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	pages, links := map[string]string{}, 0
	for _, path := range strings.Fields(string(listed)) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Clean(path)] = string(text)
	}
	for path, text := range pages {
		for _, l := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(l[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			links++
			to := path
			if target != "" {
				to = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %s: no such file", path, l[1])
			} else if page, ok := pages[to]; anchor != "" && ok && !anchors(page)[anchor] {
				t.Errorf("%s: %s: no such heading", path, l[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links in %d pages", links, len(pages))
	}
}

// TestNamedTests: every test that a page names exists.
func TestNamedTests(t *testing.T) {
	source, err := exec.Command("git", "grep", "-hoE", "^func (Test|Benchmark)[A-Za-z0-9]+", "--",
		"../*_test.go").Output()
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, line := range strings.Split(string(source), "\n") {
		exists[strings.TrimPrefix(line, "func ")] = true
	}
	listed, err := exec.Command("git", "ls-files", "--", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, path := range strings.Fields(string(listed)) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1) {
			if named++; !exists[name[1]] {
				t.Errorf("%s: there is no %s", path, name[1])
			}
		}
	}
	if named < 40 {
		t.Errorf("%d tests are named", named)
	}
}
