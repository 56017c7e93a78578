// Package watches makes the monitor call of wallets on a schedule that their keys have set, and posts what begins,
// turns critical and ends to webhooks.
//
// A Record is one watch: what its key has asked for, what stands, and what is still to be posted. It is kept as a
// whole, and every change is kept before anything follows from it: what was found to begin is never found to begin a
// second time, by this process, another one or another replica, and what is to be posted is posted after a restart.
package watches
