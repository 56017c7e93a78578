package main

import (
	"errors"
	"fmt"
	"strings"

	"ballast/server/spec/types"
)

// exitOf is the exit status of validate for each recommendation. One that rests on stale data is no
// plain proceed, except for a close.
var exitOf = map[types.Recommendation]exitStatus{"proceed": 0, "proceed_with_caution": 10, "abort": 20}

// Validate refuses no size and two sizes, and questions that the simulated venue would answer although they are about
// a real wallet.
func (c *validateCmd) Validate() error {
	problems := []error{c.missing(), c.check(c.Wallet)}
	if c.Size != nil && c.SizeCoin != nil {
		problems = append(problems, fmt.Errorf("--size %s, in USD, and --size-coin %s, in coins of the asset: "+
			"leave one of the two out", amount(float64(*c.Size)), amount(float64(*c.SizeCoin))))
	}
	return errors.Join(problems...)
}

// missing reports an error when there is no size. It names what else is missing, which would be reported
// otherwise only once there is one.
func (c *validateCmd) missing() error {
	if c.Size != nil || c.SizeCoin != nil {
		return nil
	}
	var flags []string
	if c.Action == "" {
		flags = append(flags, "--action=STRING")
	}
	if c.Asset == "" {
		flags = append(flags, "--asset=STRING")
	}
	flags = append(flags, "--size=USD or --size-coin=COINS")
	return fmt.Errorf("missing flags: %s", strings.Join(flags, ", "))
}

// Run asks a running service, or starts one for this question.
func (c *validateCmd) Run() error {
	c.Wallet = c.walletOr(c.Wallet)
	var a answer
	err := c.show(c.explained("/v1/validate"), c.request(), &a, func(w sheet) {
		if c.Server == "" {
			// of a service that has just started: its first answer takes a hundred times longer than later ones
			a.Meta.LatencyMs = 0
		}
		if c.Brief {
			a.brief(w, c.describe(), c.Wallet)
		} else {
			report(w, &a, c.describe(), c.Wallet)
		}
	})
	if err != nil {
		return err
	}
	status, known := exitOf[a.Recommendation]
	if !known {
		return fmt.Errorf("the service's answer has no recommendation")
	}
	return unlessStale(status, a.stale() != "" && c.Action != "close")
}

// unlessStale returns the exit status of a verdict: proceed on stale data is none, because it is of older prices.
func unlessStale(status exitStatus, stale bool) error {
	if status == 0 && stale {
		status = exitOf["proceed_with_caution"]
	}
	if status != 0 {
		return status
	}
	return nil
}

// describe puts the request into words.
func (c *validateCmd) describe() string {
	s := c.Action + " "
	if c.SizeCoin != nil {
		s += amount(float64(*c.SizeCoin)) + " " + c.Asset
	} else {
		s += usd(float64(*c.Size)) + " USD of " + c.Asset
	}
	if c.Leverage > 0 {
		s += fmt.Sprintf(" at %gx", c.Leverage)
	}
	if c.Mode != "" {
		s += ", " + c.Mode
	}
	return s + c.words()
}

// request returns the body of the request.
func (c *validateCmd) request() map[string]any {
	request := map[string]any{"asset": c.Asset, "action": c.Action, "wallet": c.Wallet}
	if c.SizeCoin != nil {
		request["size_coin"] = *c.SizeCoin
	} else {
		request["size"] = *c.Size
	}
	if c.Leverage != 0 {
		request["leverage"] = c.Leverage
	}
	if c.Mode != "" {
		request["mode"] = c.Mode
	}
	if c.MonteCarlo {
		request["monte_carlo"] = true
	}
	if order := c.order(); len(order) > 0 {
		request["order"] = order
	}
	return request
}
