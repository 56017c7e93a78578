package main

import (
	"errors"
	"slices"

	"ballast/compute/risk"
	"ballast/marketcache/venue/exchange"
	venuegate "ballast/server/gate"
)

// gateFlags are the flags of the gate in front of the venue.
type gateFlags struct {
	Gate      bool     `help:"${help_gate}"`
	GateVenue string   `placeholder:"URL" help:"${help_gate_venue}"`
	GateBlock string   `default:"abort" enum:"abort,caution,policy" help:"${help_gate_block}"`
	GateFail  string   `default:"closed" enum:"closed,open" help:"${help_gate_fail}"`
	GateAllow []string `placeholder:"CLASS" help:"${help_gate_allow}"`
	GateKey   string   `default:"none" enum:"none,required" help:"${help_gate_key}"`
}

const (
	allowFunds   = "funds"
	allowSigners = "signers"
)

// problem returns what is wrong with the flags, nil if nothing is.
func (f *gateFlags) problem() error {
	for _, class := range f.GateAllow {
		if class != allowFunds && class != allowSigners {
			return errors.New("--gate-allow " + class + ": want funds, signers, or both separated by a comma")
		}
	}
	if f.GateVenue != "" {
		if base, err := venueAddress(f.GateVenue); err != nil || base == "" {
			return errors.New("--gate-venue " + venueName(f.GateVenue) +
				": want mainnet, testnet, or an address such " +
				"as http://host:port")
		}
	}
	return nil
}

// gate returns the gate in front of a venue, whose base address is the feed's, nil if there is none.
func (f *gateFlags) gate(venue, base string) *venuegate.Gate {
	if !f.Gate {
		return nil
	}
	if f.GateVenue != "" {
		venue = f.GateVenue
		base, _ = venueAddress(venue)
	}
	cfg := venuegate.Config{
		Venue: base, Network: exchange.Mainnet, Block: risk.Abort, PolicyOnly: f.GateBlock == "policy",
		Open: f.GateFail == "open", KeyRequired: f.GateKey == "required",
		Funds: slices.Contains(f.GateAllow, allowFunds), Signers: slices.Contains(f.GateAllow, allowSigners),
	}
	if f.GateBlock == "caution" {
		cfg.Block = risk.ProceedWithCaution
	}
	switch venue {
	case "mainnet":
	case "testnet":
		cfg.Network = exchange.Testnet
	default: // some clients sign for the main network at its own address only, others everywhere
		cfg.Network, cfg.AnyNetwork = exchange.Testnet, true
	}
	return venuegate.New(cfg)
}
