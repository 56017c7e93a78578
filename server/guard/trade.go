package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ballast/internal/printable"
)

// trade is a trade of POST /v1/validate, the wallet apart.
type trade struct {
	wallet string
	number int64 // of the asset in the venue's orders, -1: the ticker is in body

	body map[string]any
}

// plainNumber is a number as the service reads it; some programs read more, such as 1_000.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$`)

// trades returns the trades that a call of a tool makes, none if it can only reduce positions.
func (t *Tool) trades(arguments map[string]any, wallet string) (trades []trade, err error) {
	if err := t.checkNames(arguments); err != nil {
		return nil, err
	}
	orders := []any{any(arguments)}
	if t.Each != "" {
		var ok bool
		if orders, ok = lookup(arguments, t.Each).([]any); !ok {
			return nil, fmt.Errorf("argument %s must be a list of orders", t.Each)
		}
	}
	for i, order := range orders {
		members, ok := order.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("element %d of %s must be an object", i, t.Each)
		}
		opened, err := t.trade(members, wallet)
		if err != nil && t.Each != "" {
			err = fmt.Errorf("element %d of %s: %w", i, t.Each, err)
		}
		if err != nil {
			return nil, err
		}
		if opened != nil {
			trades = append(trades, *opened)
		}
	}
	return trades, nil
}

// checkNames refuses a name that differs from one of the paths in case alone.
func (t *Tool) checkNames(members map[string]any) error {
	for name := range members {
		if like := alike(name, t.names); like != "" {
			return fmt.Errorf("argument %s: write %s", printable.Name([]byte(name)), like)
		}
	}
	return nil
}

// trade returns the trade of one order, nil if it is reduce-only.
func (t *Tool) trade(order map[string]any, wallet string) (*trade, error) {
	if err := t.checkNames(order); err != nil {
		return nil, err
	}
	if only, err := boolean(order, t.ReduceOnly, false); err != nil || only {
		return nil, err
	}
	out := trade{wallet: wallet, number: -1, body: map[string]any{}}
	var err error
	if out.wallet, err = t.walletOf(order, wallet); err != nil {
		return nil, err
	}
	buys, err := t.buys(order)
	if err != nil {
		return nil, err
	}
	if out.body["action"] = "short"; buys {
		out.body["action"] = "long"
	}
	if err := t.asset(order, &out); err != nil {
		return nil, err
	}
	for _, field := range []struct{ name, path string }{
		{"size_coin", t.SizeCoin}, {"size", t.SizeUSD}, {"leverage", t.Leverage},
	} {
		n, err := number(order, field.path)
		switch {
		case err != nil:
			return nil, err
		case n != "":
			out.body[field.name] = json.Number(n)
		case field.path != "" && field.name != "leverage":
			return nil, fmt.Errorf("argument %s, the size, is missing", field.path)
		}
	}
	limit, err := t.limit(order)
	if limit != nil {
		out.body["order"] = limit
	}
	return &out, err
}

// buys reports whether an order buys.
func (t *Tool) buys(order map[string]any) (bool, error) {
	if t.Always != "" {
		return t.Always == "buy", nil
	}
	if t.Buy != "" {
		if buys, is := lookup(order, t.Buy).(bool); is {
			return buys, nil
		}
		return false, fmt.Errorf("argument %s must be true (buy) or false (sell)", t.Buy)
	}
	side, _ := lookup(order, t.Side).(string)
	switch strings.ToLower(strings.TrimSpace(side)) {
	case "buy", "long":
		return true, nil
	case "sell", "short":
		return false, nil
	}
	return false, fmt.Errorf("argument %s must be buy or sell", t.Side)
}

// asset enters the asset of an order.
func (t *Tool) asset(order map[string]any, out *trade) error {
	if t.Asset != "" {
		name, is := lookup(order, t.Asset).(string)
		if !is || name == "" {
			return fmt.Errorf("argument %s must be the ticker of an asset", t.Asset)
		}
		out.body["asset"] = name
		return nil
	}
	text, err := number(order, t.AssetNumber)
	if err != nil {
		return err
	}
	if out.number, err = strconv.ParseInt(text, 10, 64); err != nil || out.number < 0 {
		return fmt.Errorf("argument %s must be the whole number of an asset", t.AssetNumber)
	}
	return nil
}

// limit returns the member order of a limit order, nil for a market order.
func (t *Tool) limit(order map[string]any) (map[string]any, error) {
	price, err := number(order, t.Price)
	if err != nil {
		return nil, err
	}
	if kind, _ := lookup(order, t.Type).(string); strings.EqualFold(kind, "market") ||
		t.Trigger != "" && lookup(order, t.Trigger) != nil {
		return nil, nil
	}
	if x, _ := strconv.ParseFloat(price, 64); x == 0 {
		return nil, nil
	}
	limit := map[string]any{"type": "limit", "price": json.Number(price)}
	if tif, _ := lookup(order, t.TIF).(string); tif != "" {
		limit["tif"] = strings.ToLower(tif)
	}
	return limit, nil
}

// walletOf returns the account of a call: that of its arguments, else the default.
func (t *Tool) walletOf(arguments map[string]any, wallet string) (string, error) {
	if t.Wallet != "" {
		switch named := lookup(arguments, t.Wallet).(type) {
		case nil:
		case string:
			if named != "" {
				wallet = named
			}
		default:
			return "", fmt.Errorf("argument %s must be the address of a wallet", t.Wallet)
		}
	}
	if wallet == "" {
		return "", errors.New("no wallet: start the guard with --wallet")
	}
	return strings.ToLower(wallet), nil
}

// lookup returns the member that a path names, nil if it is missing, null, or if there is no path.
func lookup(members map[string]any, path string) any {
	if path == "" {
		return nil
	}
	name, rest, nested := strings.Cut(path, ".")
	value := members[name]
	if !nested {
		return value
	}
	inner, _ := value.(map[string]any)
	return lookup(inner, rest)
}

// boolean returns a member that is true or false, missing where it is missing.
func boolean(members map[string]any, path string, missing bool) (bool, error) {
	switch v := lookup(members, path).(type) {
	case nil:
		return missing, nil
	case bool:
		return v, nil
	}
	return false, fmt.Errorf("argument %s must be true or false", path)
}

// number returns a member that is a number, or a text that is one, "" if it is missing.
func number(members map[string]any, path string) (string, error) {
	var text string
	switch v := lookup(members, path).(type) {
	case nil:
		return "", nil
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	if !plainNumber.MatchString(text) {
		return "", fmt.Errorf("argument %s must be a number in plain digits, such as 0.5", path)
	}
	return text, nil
}
