package server

import "bytes"

// headers are the request headers that the service looks at, as they came. The slices
// point into fasthttp's memory and are valid until the handler returns.
type headers struct {
	authorization, contentType, contentEncoding, requestID, acceptEncoding []byte
	// fault says why the head cannot be trusted, "" when it can.
	fault string
}

// readHeaders reads the header lines of a request, raw, in one pass.
//
// fasthttp takes the first of several Authorization headers, lets Transfer-Encoding win
// over Content-Length, and accepts folded lines and blanks in names. Whatever two readers
// may read differently is a fault here, because a proxy in front may be the other reader.
func (h *headers) read(raw []byte) {
	*h = headers{}
	var hasLength, hasTransfer, hasAuthorization, hasType bool
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		if end < 1 || raw[end-1] != '\r' {
			h.fault = "header line does not end with CR LF"
			return
		}
		line := raw[:end-1]
		raw = raw[end+1:]
		if len(line) == 0 {
			break
		}
		colon := nameEnd(line)
		if colon < 1 || colon == len(line) || line[colon] != ':' {
			h.fault = "malformed or folded header line"
			return
		}
		name, value := line[:colon], line[colon+1:]
		switch len(name) {
		case len("x-request-id"): // and content-type
			if isName(name, "content-type") {
				if hasType {
					h.fault = "more than one Content-Type header"
				}
				hasType, h.contentType = true, trimBlanks(value)
			} else if isName(name, "x-request-id") {
				h.requestID = trimBlanks(value)
			}
		case len("authorization"):
			if isName(name, "authorization") {
				if hasAuthorization {
					h.fault = "more than one Authorization header"
				}
				hasAuthorization, h.authorization = true, trimBlanks(value)
			}
		case len("content-length"):
			if isName(name, "content-length") {
				if hasLength {
					h.fault = "more than one Content-Length header"
				}
				hasLength = true
			}
		case len("accept-encoding"):
			if isName(name, "accept-encoding") {
				h.acceptEncoding = trimBlanks(value)
			}
		case len("content-encoding"):
			if isName(name, "content-encoding") {
				h.contentEncoding = trimBlanks(value)
			}
		case len("transfer-encoding"):
			hasTransfer = hasTransfer || isName(name, "transfer-encoding")
		}
	}
	if hasLength && hasTransfer {
		h.fault = "Content-Length together with Transfer-Encoding"
	}
}

// nameEnd returns the place of the first colon or blank of a line, its length when there is
// none. Names are short.
func nameEnd(line []byte) int {
	for i, c := range line {
		if c == ':' || c == ' ' || c == '\t' {
			return i
		}
	}
	return len(line)
}

// isName compares a header name with a lower-case one of the same length.
func isName(name []byte, lower string) bool {
	for i, c := range name {
		if c != lower[i] && (c < 'A' || c > 'Z' || c+'a'-'A' != lower[i]) {
			return false
		}
	}
	return true
}

func trimBlanks(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// isJSON reports whether a Content-Type is application/json, with or without parameters.
func isJSON(contentType []byte) bool {
	if i := bytes.IndexByte(contentType, ';'); i >= 0 {
		contentType = contentType[:i]
	}
	const want = "application/json"
	contentType = trimBlanks(contentType)
	return len(contentType) == len(want) && isName(contentType, want)
}

// acceptsGzip reports whether an Accept-Encoding names gzip without refusing it by q=0.
func acceptsGzip(accept []byte) bool {
	for len(accept) > 0 {
		item := accept
		if i := bytes.IndexByte(accept, ','); i >= 0 {
			item, accept = accept[:i], accept[i+1:]
		} else {
			accept = nil
		}
		weight := []byte(nil)
		if i := bytes.IndexByte(item, ';'); i >= 0 {
			item, weight = item[:i], trimBlanks(item[i+1:])
		}
		if item = trimBlanks(item); len(item) != len("gzip") || !isName(item, "gzip") {
			continue
		}
		return len(bytes.Trim(weight, "qQ= 0.")) > 0 || len(weight) == 0
	}
	return false
}
