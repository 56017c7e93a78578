package main

import (
	"errors"
	"fmt"
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

	GateListen  string `placeholder:"ADDR" help:"${help_gate_listen}"`
	GateSockets int    `default:"4" help:"${help_gate_sockets}"`
}

// maxGateSockets leaves the feed one of the venue's ten connections for market data and one for wallets.
const maxGateSockets = 8

const (
	allowFunds   = "funds"
	allowSigners = "signers"
)

// problem returns what is wrong with the flags, nil if nothing is.
func (f *gateFlags) problem() error {
	if f.GateSockets < 1 || f.GateSockets > maxGateSockets {
		return fmt.Errorf("--gate-sockets %d: want 1 to %d", f.GateSockets, maxGateSockets)
	}
	if f.GateListen != "" {
		if !f.Gate {
			return errors.New("--gate-listen: is for --gate, give that too")
		}
		if err := checkListen("--gate-listen", f.GateListen); err != nil {
			return err
		}
	}
	for _, class := range f.GateAllow {
		if class != allowFunds && class != allowSigners {
			return errors.New("--gate-allow " + class + ": want funds, signers, or both separated by a comma")
		}
	}
	if f.GateVenue != "" {
		if base, err := venueAddress(f.GateVenue); err != nil || base == "" {
			return errors.New("--gate-venue " + venueName(f.GateVenue) +
				": want mainnet, testnet, or an address such as http://host:port")
		}
	}
	return nil
}

// gate returns the gate in front of a venue, which the market follows, or another; nil if there is none.
func (f *gateFlags) gate(venue string, m *market) *venuegate.Gate {
	if !f.Gate {
		return nil
	}
	base := m.base
	if f.GateVenue != "" {
		venue = f.GateVenue
		base, _ = venueAddress(venue)
	}
	cfg := venuegate.Config{
		Venue: base, Apart: f.GateListen != "", Network: exchange.Mainnet, Block: risk.Abort,
		PolicyOnly: f.GateBlock == "policy",
		Open:       f.GateFail == "open", KeyRequired: f.GateKey == "required",
		Funds: slices.Contains(f.GateAllow, allowFunds), Signers: slices.Contains(f.GateAllow, allowSigners),
	}
	if f.GateBlock == "caution" {
		cfg.Block = risk.ProceedWithCaution
	}
	if m.sim == nil {
		cfg.Sockets = f.GateSockets
		if m.queue != nil && base == m.base {
			cfg.Budget = m.queue
		}
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
