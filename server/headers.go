package server

import "bytes"

// requestHeaders are the header values that the service uses, unparsed. The slices point into fasthttp's
// memory and are valid until the handler returns.
type requestHeaders struct {
	authorization, contentType, contentEncoding, requestID, acceptEncoding, traceparent []byte
	// authorized: there is an Authorization header, perhaps empty.
	authorized bool
	// fault says why the headers must be rejected, "" if they are fine.
	fault string
	// close: the client asks for the connection to end. fasthttp sees that only if nothing else is asked for.
	close bool
}

// read reads a request's raw header lines in one pass. It returns why they must be rejected, "" if they
// are fine.
//
// fasthttp uses the first of several Authorization headers, lets Transfer-Encoding override
// Content-Length, and accepts folded lines and spaces in names. A proxy in front may read such headers
// differently, so everything ambiguous is rejected.
func (h *requestHeaders) read(raw []byte) (fault string) {
	*h = requestHeaders{}
	var lengths, transfers, authorizations, types int
	for len(raw) > 0 {
		end := bytes.IndexByte(raw, '\n')
		if end < 1 || raw[end-1] != '\r' {
			return "header line does not end with CR LF"
		}
		line := raw[:end-1]
		raw = raw[end+1:]
		if len(line) == 0 {
			break
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 1 {
			return malformedLine
		}
		name, value := line[:colon], trimBlanks(line[colon+1:])
		switch {
		case isHeader(name, "Content-Length"):
			lengths++
		case isHeader(name, "Authorization"):
			authorizations++
			h.authorization, h.authorized = value, true
		case isHeader(name, "Content-Type"):
			types++
			h.contentType = value
		case isHeader(name, "Accept-Encoding"):
			h.acceptEncoding = value
		case isHeader(name, "X-Request-Id"):
			h.requestID = value
		case isHeader(name, "Traceparent"):
			h.traceparent = value
		case isHeader(name, "Content-Encoding"):
			h.contentEncoding = value
		case isHeader(name, "Transfer-Encoding"):
			transfers++
			if !bytes.EqualFold(value, []byte("chunked")) {
				return "Transfer-Encoding other than chunked"
			}
		case isHeader(name, "Connection"):
			h.close = h.close || asksToClose(value)
		case bytes.IndexByte(name, ' ') >= 0 || bytes.IndexByte(name, '\t') >= 0:
			return malformedLine
		}
	}
	return ambiguous(lengths, transfers, authorizations, types)
}

// ambiguous returns the fault of headers that occur this many times, "" for none.
func ambiguous(lengths, transfers, authorizations, types int) (fault string) {
	switch {
	case lengths > 0 && transfers > 0:
		return "Content-Length together with Transfer-Encoding"
	case types > 1:
		return "more than one Content-Type header"
	case authorizations > 1:
		return "more than one Authorization header"
	case lengths > 1:
		return "more than one Content-Length header"
	}
	return ""
}

const malformedLine = "malformed or folded header line"

// asksToClose reports whether close is among the options of a Connection header.
func asksToClose(options []byte) bool {
	for option := range bytes.SplitSeq(options, []byte(",")) {
		if bytes.EqualFold(trimBlanks(option), []byte("close")) {
			return true
		}
	}
	return false
}

// usableTrace reports whether a traceparent is valid by W3C Trace Context version 00: 00, trace id, parent
// id and flags in lower-case hexadecimal digits.
func usableTrace(text []byte) bool {
	const form = "00-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh"
	if len(text) != len(form) {
		return false
	}
	for i, c := range text {
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if form[i] == 'h' && !digit || form[i] != 'h' && c != form[i] {
			return false
		}
	}
	return true
}

// isHeader reports whether name is a given header in any case.
func isHeader(name []byte, header string) bool {
	return len(name) == len(header) && bytes.EqualFold(name, []byte(header))
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
	name, _, _ := bytes.Cut(contentType, []byte(";"))
	name = trimBlanks(name)
	return bytes.EqualFold(name, typeJSON)
}

// acceptsGzip reports whether an Accept-Encoding contains gzip without q=0.
func acceptsGzip(accept []byte) bool {
	for item := range bytes.SplitSeq(accept, []byte(",")) {
		name, weight, _ := bytes.Cut(item, []byte(";"))
		if bytes.EqualFold(trimBlanks(name), []byte("gzip")) {
			weight = trimBlanks(weight)
			return len(weight) == 0 || len(bytes.Trim(weight, "qQ= 0.")) > 0
		}
	}
	return false
}
