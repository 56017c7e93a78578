//go:build all

package main

func init() { gateKills = 50 }
