package main

import (
	"fmt"
	"io"

	"ballast/marketcache/venue/sim"
)

// printWallets lists the wallets of the simulated venue, each with its name and its story.
func printWallets(w io.Writer) {
	const digits = 2 // the others are the same in every address
	first := sim.Wallets[0].Address
	fmt.Fprintf(w, "Wallets to ask about, %s and two digits (ballast monitor, watch and validate know the names):\n\n",
		first[:len(first)-digits])
	for _, wallet := range sim.Wallets {
		wrapped(w, fmt.Sprintf("  %s  %-16s ", wallet.Address[len(first)-digits:], wallet.Name), wallet.About)
	}
	fmt.Fprintln(w)
}

// walletOf returns the address of a wallet of the simulated venue by its name, such as near-liquidation; any other
// text as it is.
func walletOf(text string) string {
	for _, w := range sim.Wallets {
		if w.Name == text {
			return w.Address
		}
	}
	return text
}
