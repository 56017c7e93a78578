package auth

// bearer returns the token of an Authorization header's value: the scheme Bearer in any
// case, one or more spaces, then visible ASCII to the end. ok is false for anything else.
func bearer(header []byte) (token []byte, ok bool) {
	const scheme = "bearer"
	if len(header) <= len(scheme) || header[len(scheme)] != ' ' {
		return nil, false
	}
	for i := range len(scheme) {
		if header[i]|0x20 != scheme[i] {
			return nil, false
		}
	}
	token = header[len(scheme):]
	for len(token) > 0 && token[0] == ' ' {
		token = token[1:]
	}
	for _, c := range token {
		if c <= ' ' || c >= 0x7f {
			return nil, false
		}
	}
	return token, len(token) > 0
}
