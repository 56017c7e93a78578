package sim

// Trader is a wallet whose key is published, so that programs can trade on the simulated venue.
//
// The keys are simulated only: never fund them anywhere else. They come from the tests of public programs, and
// whatever reaches their addresses on a real network is taken at once.
type Trader struct {
	Wallet
	Key string // private key, hexadecimal
	// AgentKey is the private key of an approved agent, Agent its address; "": none.
	AgentKey, Agent string
}

// Traders are the wallets that trade. All begin without a position, and their collateral changes by what they do
// alone.
var Traders = []Trader{
	{Key: "0x0123456789012345678901234567890123456789012345678901234567890123",
		AgentKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
		Agent:    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
		Wallet: Wallet{Address: "0x14791697260e4c9a71f18484c9f997b308e59325", Name: "trader", mode: "disabled",
			role: "user", equity: 100_000, dexEquity: map[string]float64{"xyz": 20_000},
			About: "trades: standard account, 100k USD on the main dex, 20k on xyz; has an approved agent"}},
	{Key: "0x822e9959e022b78423eb653a62ea0020cd283e71a2a8133a6ff2aeffaf373cff",
		Wallet: Wallet{Address: "0xe5ca49fb3bd9a581f0d1ef9cb5d7177da08bf901", Name: "small-trader", mode: "disabled",
			role: "user", equity: 1_000, About: "trades: standard account, 1,000 USD on the main dex"}},
	{Key: "0xe908f86dbb4d55ac876378565aafeabc187f6690f046459397b17d9b9a19688e",
		Wallet: Wallet{Address: "0xcd49bbac6e85fdeb167eb7ca41a945d2b8758f6f", Name: "unified-trader",
			mode: "unifiedAccount", role: "user", pooled: true, equity: 250_000,
			About: "trades: unifiedAccount, 250k USD for the main dex and xyz"}},
}

// openTraders opens the wallets that trade.
func (m *market) openTraders() {
	for i := range Traders {
		t := &Traders[i]
		acc := m.openAccount(&t.Wallet)
		acc.trading = &trading{spotUSDC: t.equity / 50, nextSettlement: (m.startHour + 1) * hourMs}
		m.traders = append(m.traders, acc)
		if t.Agent != "" {
			m.addAgent(acc, agent{name: "demo", address: t.Agent, until: m.nowMs + agentLife})
		}
	}
}

// agent is a key that may trade for an account.
type agent struct {
	name    string // "": the unnamed one
	address string
	until   int64 // ms
}

const (
	agentLife    = 90 * 24 * hourMs // unless the name says otherwise
	agentLifeMax = 180 * 24 * hourMs
	agentsMax    = 3 // with a name
)

// addAgent lets an agent sign for an account. It takes the place of the agent of that name.
func (m *market) addAgent(acc *account, a agent) {
	m.removeAgent(acc, a.name)
	acc.agents = append(acc.agents, a)
	key := &Wallet{Address: a.address, mode: "default", role: "agent", owner: acc.Address}
	m.accounts[a.address] = &account{Wallet: key}
}

// removeAgent takes the agent of a name away.
func (m *market) removeAgent(acc *account, name string) {
	for i, a := range acc.agents {
		if a.name == name {
			delete(m.accounts, a.address)
			delete(m.nonces, a.address)
			acc.agents = append(acc.agents[:i], acc.agents[i+1:]...)
			return
		}
	}
}

// extraAgents answers extraAgents, which leaves out the unnamed agent.
func (acc *account) extraAgents() []object {
	rows := []object{}
	if acc.trading == nil {
		return rows
	}
	for _, a := range acc.agents {
		if a.name != "" {
			rows = append(rows, object{"name": a.name, "address": a.address, "validUntil": a.until})
		}
	}
	return rows
}
