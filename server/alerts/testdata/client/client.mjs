// node client.mjs ws://HOST/v1/alerts/ws WALLET
import WebSocket from "ws";

const [url, wallet] = process.argv.slice(2);
const say = (...words) => console.log(...words);

// open resolves with a socket whose events are collected in order.
function open() {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(url, { perMessageDeflate: true, origin: "https://elsewhere.example" });
    const events = [];
    const waiting = [];
    const push = (event) => (waiting.length ? waiting.shift()(event) : events.push(event));
    ws.on("message", (data, binary) => push(binary ? "binary" : data.toString()));
    ws.on("close", (code, reason) => push(`closed ${code} ${reason}`));
    ws.on("error", reject);
    ws.on("pong", (data) => push(`pong ${data}`));
    ws.next = () => (events.length ? Promise.resolve(events.shift()) : new Promise((r) => waiting.push(r)));
    ws.on("open", () => resolve(ws));
  });
}

// A socket that follows the protocol.
const good = await open();
say("extensions", JSON.stringify(good.extensions));
good.send(JSON.stringify({ wallet, thresholds: { max_risk_score: 40, max_portfolio_var_pct: 10.5 } }));
say(await good.next());
good.ping("are you there");
say(await good.next());
say("subscribed");
for (let i = 0; i < 3; i++) say(await good.next());

// Sockets that send invalid messages.
for (const [name, message] of [
  ["unknown key", JSON.stringify({ wallet, thresholds: { max_score: 1 } })],
  ["binary", Buffer.from("x")],
  ["too long", " ".repeat(5000)],
]) {
  const bad = await open();
  bad.send(message);
  let event;
  do say(name + ":", (event = await bad.next()));
  while (!event.startsWith("closed"));
}

// A socket that sends its configuration in two fragments, and then closes.
const leaving = await open();
leaving.send(`{"wallet":`, { fin: false });
leaving.send(`"${wallet}"}`, { fin: true });
say("fragments:", await leaving.next());
leaving.close(4321, "enough");
say("leaving:", await leaving.next());

say("idle");
say(await good.next());
