package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ballast/marketcache/venue/exchange"
)

// taken answers an action that was carried out.
func taken(kind string, statuses ...exchange.Status) exchange.Answer {
	return exchange.Answer{OK: true, Type: kind, Statuses: statuses}
}

// refuseAction answers an action that was refused as a whole, done one that may have been.
func refuseAction(text string) exchange.Answer { return exchange.Answer{Error: text} }

func done(refusal string) exchange.Answer {
	if refusal != "" {
		return refuseAction(refusal)
	}
	return taken("default")
}

// refusedStatus is the status of something that was refused, with the id of its asset.
func refusedStatus(refusal string, asset uint32) exchange.Status {
	return failedStatus(fmt.Sprintf("%s asset=%d", refusal, asset))
}

func failedStatus(text string) exchange.Status {
	return exchange.Status{Kind: exchange.Failed, Error: text}
}

// signerOf returns who signed an action, for either network: programs that do not know the address of the venue sign
// for one or the other.
func (m *market) signerOf(env *exchange.Envelope) (signer string, err error) {
	for _, n := range []exchange.Network{exchange.Testnet, exchange.Mainnet} {
		a, err := env.Signer(n)
		switch {
		case errors.Is(err, exchange.ErrNetwork):
			continue
		case err != nil:
			return "", err
		case m.trades(a.String()):
			return a.String(), nil
		case signer == "":
			signer = a.String()
		}
	}
	return signer, nil
}

// trades reports whether the address is one of an account that trades, or of an agent.
func (m *market) trades(address string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	acc := m.accounts[address]
	return acc != nil && (acc.trading != nil || acc.role == "agent")
}

// act carries out a signed action and returns the answer.
func (m *market) act(env *exchange.Envelope, f *faults) exchange.Answer {
	signer, err := m.signerOf(env)
	if err != nil {
		return refuseAction("Invalid signature.")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.clock()
	acc := m.accountOf(signer, now)
	switch {
	case env.Action.UserSigned() && (acc == nil || acc.Address != signer):
		return refuseAction("Must deposit before performing actions. User: " + signer)
	case acc == nil:
		return refuseAction("User or API Wallet " + signer + " does not exist.")
	case env.HasExpires && int64(env.Expires) < now:
		return refuseAction("Action already expired")
	}
	if refusal := m.useNonce(signer, env.Nonce, now); refusal != "" {
		return refuseAction(refusal)
	}
	if env.HasVault && env.Vault.String() != acc.Address {
		return refuseAction("Vault not registered: " + env.Vault.String())
	}
	if refusal := m.spendAction(acc, &env.Action); refusal != "" {
		return refuseAction(refusal)
	}
	acc.changed = true
	return m.carryOut(acc, &env.Action, f)
}

// accountOf returns the account that a signer acts for, nil if there is none. It removes agents whose time is over.
func (m *market) accountOf(address string, now int64) *account {
	acc := m.accounts[address]
	if acc != nil && acc.role == "agent" {
		acc = m.accounts[acc.owner]
		if acc == nil || acc.trading == nil {
			return nil
		}
		for _, a := range acc.agents {
			if a.address == address && a.until <= now {
				m.removeAgent(acc, a.name)
				return nil
			}
		}
	}
	if acc == nil || acc.trading == nil {
		return nil
	}
	return acc
}

// noncesMax is how many nonces of a signer the venue remembers.
const noncesMax = 100

// useNonce uses a signer's nonce up; it returns the venue's refusal.
func (m *market) useNonce(signer string, nonce uint64, now int64) string {
	used := m.nonces[signer]
	low, high := uint64(now-2*dayMs), uint64(now+dayMs)
	if len(used) == noncesMax {
		low = max(low, used[0])
	}
	at, duplicate := slices.BinarySearch(used, nonce)
	switch {
	case duplicate:
		return fmt.Sprintf("Invalid nonce: duplicate nonce %d", nonce)
	case nonce <= low:
		return fmt.Sprintf("Invalid nonce: nonce too low %d < %d", nonce, low)
	case nonce >= high:
		return fmt.Sprintf("Invalid nonce: nonce too high %d > %d", nonce, high)
	}
	used = slices.Insert(used, at, nonce)
	m.nonces[signer] = used[max(0, len(used)-noncesMax):]
	return ""
}

// spendAction counts an action among the account's; it returns the venue's refusal if there were too many.
func (m *market) spendAction(acc *account, a *exchange.Action) string {
	n := int64(a.Elements())
	most := m.freeActions + int64(acc.volume)
	limit := most
	switch a.Form.(type) {
	case *exchange.Cancel, *exchange.CancelByCloid:
		limit = min(most+100_000, 2*most)
	}
	if acc.actions+n > limit && m.freeActions > 0 {
		return fmt.Sprintf("Too many cumulative requests sent (%d > %d) for cumulative volume traded $%s.",
			acc.actions+n, most, decimal(acc.volume, 2))
	}
	acc.actions += n
	return ""
}

// carryOut carries out an action of an account.
func (m *market) carryOut(acc *account, a *exchange.Action, f *faults) exchange.Answer {
	switch form := a.Form.(type) {
	case *exchange.PlaceOrders:
		return m.placeOrders(acc, form, f)
	case *exchange.Modify:
		_, refusal := m.modify(acc, &form.Modification, form.Always, f)
		return done(refusal)
	case *exchange.BatchModify:
		return taken("order", each(form.Modifies, func(c exchange.Modification) exchange.Status {
			o, refusal := m.modify(acc, &c, form.Always, f)
			return o.told(refusal, c.Order.Asset)
		})...)
	case *exchange.Cancel:
		return taken("cancel", each(form.Cancels, func(c exchange.CancelID) exchange.Status {
			return m.cancel(acc, acc.byID(m.assetOf(c.Asset), c.OID), c.Asset)
		})...)
	case *exchange.CancelByCloid:
		return taken("cancel", each(form.Cancels, func(c exchange.CancelCloid) exchange.Status {
			return m.cancel(acc, acc.byCloid(m.assetOf(c.Asset), c.Cloid), c.Asset)
		})...)
	case *exchange.ScheduleCancel:
		return done(m.scheduleCancel(acc, form))
	case *exchange.TWAPOrder:
		return taken("twapOrder", m.startTWAP(acc, form, f))
	case *exchange.TWAPCancel:
		return taken("twapCancel", m.cancelTWAP(acc, form))
	case *exchange.Noop:
		return taken("default")
	}
	return m.change(acc, a, f)
}

// change carries out the actions that are not about orders.
func (m *market) change(acc *account, a *exchange.Action, f *faults) exchange.Answer {
	switch form := a.Form.(type) {
	case *exchange.UpdateLeverage:
		return m.onAsset(form.Asset, func(on *asset) string {
			return acc.setLeverage(on, int(min(form.Leverage, 1000)), form.Cross)
		})
	case *exchange.UpdateIsolatedMargin:
		return m.onAsset(form.Asset, func(on *asset) string { return acc.moveMargin(on, float64(form.USD)/1e6) })
	case *exchange.USDClassTransfer, *exchange.USDSend, *exchange.Withdraw:
		return done(m.transfer(acc, a.Form))
	case *exchange.ApproveAgent:
		return done(m.approveAgent(acc, form))
	}
	return refuseAction("The simulated venue does not take the action " + a.Type() + ".")
}

// onAsset answers an action on an asset by its refusal.
func (m *market) onAsset(id uint32, act func(on *asset) (refusal string)) exchange.Answer {
	on := m.assetOf(id)
	if on == nil {
		return refuseAction(unknownAsset(id))
	}
	return done(act(on))
}

// unknownAsset refuses an asset that is not on any dex.
func unknownAsset(id uint32) string { return fmt.Sprintf("Invalid asset: %d", id) }

// assetOf returns the asset of the venue's id, nil if it is none of a perpetual.
func (m *market) assetOf(id uint32) *asset {
	d, i := 0, int(id)
	if id >= 100_000 {
		d, i = int(id-100_000)/10_000, int(id-100_000)%10_000
	}
	if d >= len(m.dexes) || i >= len(m.dexes[d].assets) || id >= 100_000 && d == 0 {
		return nil
	}
	return m.dexes[d].assets[i]
}

// approveAgent approves, replaces or removes an agent; it returns the venue's refusal.
func (m *market) approveAgent(acc *account, form *exchange.ApproveAgent) string {
	name, until, timed := strings.Cut(form.Name, " valid_until ")
	a := agent{name: name, address: form.Agent.String(), until: m.clock() + agentLife}
	if timed {
		ms, err := strconv.ParseInt(until, 10, 64)
		if err != nil || ms <= m.clock() || ms > m.clock()+agentLifeMax {
			return "Agent valid_until already expired."
		}
		a.until = ms
	}
	if form.Agent == (exchange.Address{}) {
		m.removeAgent(acc, name)
		return ""
	}
	named, replaces := 0, false
	for _, held := range acc.agents {
		if replaces = replaces || held.name == name; held.name != "" {
			named++
		}
	}
	switch {
	case m.accounts[a.address] != nil:
		return "Extra agent already used."
	case name != "" && !replaces && named >= agentsMax:
		return fmt.Sprintf("Too many extra agents for cumulative volume traded. Current limit is %d", agentsMax)
	}
	m.addAgent(acc, a)
	return ""
}
