package server

import (
	"strconv"

	"ballast/server/api"
)

// jsonWriter appends members whose keys come with their punctuation.
type jsonWriter struct{ b []byte }

func (w *jsonWriter) raw(s string) { w.b = append(w.b, s...) }

func (w *jsonWriter) text(key, v string) { w.b = api.AppendString(append(w.b, key...), v) }

func (w *jsonWriter) integer(key string, v int64) {
	w.b = strconv.AppendInt(append(w.b, key...), v, 10)
}

func (w *jsonWriter) boolean(key string, v bool) {
	w.b = strconv.AppendBool(append(w.b, key...), v)
}
