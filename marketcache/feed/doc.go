// Package feed is what the adapter of any venue is made of, whatever its protocol: how often
// its streams come, and with that how old a datum may be before it is missing.
package feed
