// Package mailer sends an API key to its holder over SMTP: one message, the key in its
// body once.
//
// The connection is encrypted, by STARTTLS or from the first byte, and the server's
// certificate is checked; a server that does not offer it is not given the key. Plain text
// is possible to this machine only. One deadline bounds the whole conversation, however
// slowly the server answers.
//
// Nothing that a server says gets into an error: servers echo commands and messages, and
// with them keys and passwords. Errors name the step and the reply's code.
package mailer
