package server

import (
	"ballast/internal/printable"
	"ballast/server/api"
)

// mendPath suggests the path that is most like one that is no route.
func mendPath(path []byte) (m api.Mending) {
	var paths []string
	for i, r := range routeTable {
		if id := routeID(i); id != routeNone && id != routeConsole { // a page for people
			paths = append(paths, r.path)
		}
	}
	if near := api.Nearest(string(path), paths, 1); len(near) > 0 {
		m.Suggestion = near[0]
	}
	return m
}

// mendType says what a body must be, and what its header says instead.
func mendType(h *headers) api.Mending {
	if !isJSON(h.contentType) {
		return api.Mending{Field: "Content-Type", Got: printable.Text(h.contentType), Allowed: &api.Allowed{Values: []string{string(typeJSON)}}}
	}
	return api.Mending{Field: "Content-Encoding", Got: printable.Text(h.contentEncoding), Allowed: &api.Allowed{Values: []string{"identity"}}}
}
