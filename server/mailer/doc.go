// Package mailer sends an API key to its holder over SMTP, once, in the body of one message.
//
// The connection is encrypted, by STARTTLS or from the first byte, and the server's certificate is
// checked; a server without encryption does not get the key. Plain text is possible to this machine
// only. One deadline limits the whole conversation, however slowly the server answers.
//
// Errors never contain the server's text, because servers echo commands and messages, including keys and
// passwords. Errors name the step and the reply code.
package mailer
