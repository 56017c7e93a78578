// Package exchange reads and writes orders, and all other actions, as the venue's POST /exchange reads them.
//
// # One parse
//
// The venue parses the JSON of an action into a typed form, serialises that form again as msgpack, and takes the signer
// from the hash. Signature recovery always yields some address: a wrong byte names a stranger. Whoever stands between a
// client and the venue must therefore judge the very action that the venue will read. So Decode is strict, everything
// else is derived from its result, and AppendJSON writes that result as the only text to hand on:
//
//	var e exchange.Envelope
//	if err := exchange.Decode(body, &e); err != nil { ... }
//	signer, err := e.Signer(exchange.Mainnet)
//	text := e.AppendJSON(nil)
//
// Each action has one description: the method fields of its form, or its row in plain.go, names the members in the
// venue's order. The reader of JSON, the writer of JSON and msgpack, and the hash of typed data are visitors of that
// description (visitor.go).
//
// # Strictness
//
// Refused are repeated and unknown members at any depth, escapes in names, null where the venue has absence, numbers
// and decimals in another than their shortest form, hexadecimal text in capitals where its text is signed, f and a
// when false, and everything that is not JSON in valid UTF-8. A type without a form here decodes to *Unknown, which
// keeps the members as they came: its signer can be recovered, but nothing is known about it, so it should not be
// handed on.
//
// # Units
//
// Prices and sizes are exact decimals in USD and base units. Fields in other units say so.
//
// The package does no input or output and has no clock. An Envelope is used by one goroutine at a time.
package exchange
