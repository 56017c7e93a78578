// Package receipt signs decisions, so that another program can check that this service made one, about which request,
// and until when it holds.
//
// What is signed is a text of lines, each name=value and ended by a line feed, in the order of Append. No value has a
// line feed, so the text has one reading only. The receipt itself is a JSON object with the same names and values.
package receipt
