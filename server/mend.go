package server

import (
	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
)

// mendPath suggests the known path most similar to an unknown one.
func mendPath(path []byte) api.Mending {
	var paths []string
	for i, r := range routeTable {
		if id := routeID(i); id != routeNone && id != routeConsole { // the console is for people
			paths = append(paths, r.path)
		}
	}
	return api.Mending{Suggestion: similar.Name(string(path), paths)}
}

// mendType says which Content-Type a body needs, and which one the request has.
func mendType(h *requestHeaders) api.Mending {
	if !isJSON(h.contentType) {
		return api.Mending{Field: "Content-Type", Got: printable.Text(h.contentType), Allowed: &api.Allowed{Values: []string{string(typeJSON)}}}
	}
	return api.Mending{Field: "Content-Encoding", Got: printable.Text(h.contentEncoding), Allowed: &api.Allowed{Values: []string{"identity"}}}
}
