package main

import (
	"fmt"
	"io"
	"strings"

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
	fmt.Fprintf(w, "\nWallets that trade there, with keys in the program (ballast demo-bot --wallet NAME):\n\n")
	for i := range sim.Traders {
		trader := &sim.Traders[i]
		wrapped(w, fmt.Sprintf("  %-16s ", trader.Name), trader.About+"; "+trader.Address)
	}
	fmt.Fprintln(w)
}

// demoWallet returns the simulated venue's wallet of an address or name, nil if there is none.
func demoWallet(text string) *sim.Wallet {
	text = strings.ToLower(strings.TrimSpace(text))
	for i := range sim.Wallets {
		if w := &sim.Wallets[i]; w.Name == text || w.Address == text {
			return w
		}
	}
	for i := range sim.Traders {
		if w := &sim.Traders[i].Wallet; w.Name == text || w.Address == text {
			return w
		}
	}
	return nil
}

// walletOf returns the address of a wallet of the simulated venue by its name, such as near-liquidation; any other
// text without the spaces around it.
func walletOf(text string) string {
	if w := demoWallet(text); w != nil {
		return w.Address
	}
	return strings.TrimSpace(text)
}
