// Package webhook posts messages to receivers by the Standard Webhooks convention, and to no address that a caller
// must not reach through this machine.
package webhook
