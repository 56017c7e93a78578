// Package reference reads the values with which tests compare. Golden returns values of other
// implementations, which are part of the project. Price histories and recordings of the venue are not
// part of it: the functions that read them exist only with the build tag evidence (make evidence), so
// that no other test can depend on them.
package reference

import (
	"embed"
	"encoding/json"
	"testing"
)

//go:embed golden/*.json
var golden embed.FS

// Golden reads the file golden/<name>.json into a value. The test fails when there is no such file.
func Golden(t testing.TB, name string, into any) {
	t.Helper()
	b, err := golden.ReadFile("golden/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
