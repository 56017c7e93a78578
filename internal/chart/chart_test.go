package chart

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for path, good := range map[string]bool{
		"a.png": true, "b/c.SVG": true, "a.pdf": false, "png": false, "": false, "a.png.gz": false,
	} {
		if err := Check(path); (err == nil) != good ||
			err != nil && !(strings.Contains(err.Error(), ".png") && strings.Contains(err.Error(), ".svg")) {
			t.Errorf("%q: %v", path, err)
		}
	}
	paint := func(Canvas) {}
	if err := Save(filepath.Join(t.TempDir(), "a.gif"), paint); err == nil {
		t.Error("a GIF was drawn")
	}
	if err := Save(filepath.Join(t.TempDir(), "no", "such", "folder.png"), paint); err == nil {
		t.Error("a picture in a folder that is not there")
	}
}
