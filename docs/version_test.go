package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestVersions: everything that names the version of the next release names that of the file VERSION.
func TestVersions(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile("../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	version := strings.TrimSpace(read("VERSION"))
	const any = `\d+\.\d+\.\d+`
	for path, pattern := range map[string]string{
		"deploy/README.md":                     `ballast(?:_risk)?[-_:](` + any + `)`,
		"deploy/compose.yaml":                  `ballast[_:](` + any + `)`,
		"deploy/kubernetes.yaml":               `ballast:(` + any + `)`,
		"clients/python/pyproject.toml":        `(?m)^version = "(` + any + `)"`,
		"clients/python/README.md":             `ballast_risk-(` + any + `)`,
		"clients/typescript/README.md":         `ballast-(` + any + `)\.tgz`,
		"clients/typescript/package.json":      `"name": "ballast",\s+"version": "(` + any + `)"`,
		"clients/typescript/package-lock.json": `"name": "ballast",\s+"version": "(` + any + `)"`,
		"README.md":                            `@v(` + any + `)`,
		"cmd/ballast/clients_test.go":          `@v(` + any + `)`,
		"clients/go/README.md":                 `(?:ballast_|@v)(` + any + `)`,
	} {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(read(path), -1)
		if len(found) == 0 {
			t.Errorf("%s names no version", path)
		}
		for _, m := range found {
			if m[1] != version {
				t.Errorf("%s: %s, but VERSION is %s", path, m[0], version)
			}
		}
	}
	if series := version[:strings.LastIndexByte(version, '.')] + ".x"; !strings.Contains(read("SECURITY.md"), series) {
		t.Errorf("SECURITY.md does not name %s", series)
	}
	if !strings.Contains(read("CHANGELOG.md"), "\n## ["+version+"]") {
		t.Errorf("CHANGELOG.md has no section %s", version)
	}
}
