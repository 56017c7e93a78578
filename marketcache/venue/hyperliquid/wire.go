package hyperliquid

// Names of channels that are not subscriptions.
const (
	ChannelError = "error"
	ChannelPong  = "pong"
	// Greeting is the first text frame of a connection; it is not JSON.
	Greeting = "Websocket connection established."
)
