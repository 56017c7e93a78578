// client.mjs http URL KEY, or client.mjs stdio COMMAND ARGUMENT...
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [kind, ...rest] = process.argv.slice(2);
const transport = kind === 'http'
  ? new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } } })
  : new StdioClientTransport({ command: rest[0], args: rest.slice(1), stderr: 'inherit' });
const client = new Client({ name: 'check', version: '1' });
await client.connect(transport);

const { tools } = await client.listTools(); // from here on the SDK checks results against output schemas
const calls = [];
async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  calls.push({ name, args, result });
  return result;
}

const wallet = '0xba11a57000000000000000000000000000000002';
const trade = { asset: 'ETH', action: 'long', size: 5000, wallet };
const plan = { wallet, trades: [{ asset: 'ETH', action: 'long', size: 5000 }, { asset: 'NOPE', action: 'short', size: 1 }] };
for (const detail of ['compact', 'full']) {
  await call('validate_trade', { ...trade, detail });
  await call('validate_plan', { ...plan, detail });
  await call('check_wallet', { wallet, detail });
}
await call('validate_plan', { wallet, trades: Array(50).fill({ asset: 'BTC', action: 'long', size: 100 }), detail: 'full' });
await call('list_markets', {});
await call('list_markets', { search: 'bt', limit: 500 });
await call('get_market', { asset: 'BTC' });
await call('explain_flag', { flag: 'high_var' });

// Acts as an agent that sees only the text of an error and corrects its arguments from it.
async function mend(name, args) {
  let result = await call(name, args);
  const { properties } = tools.find((tool) => tool.name === name).inputSchema;
  for (let tries = 0; result.isError && tries < 5; tries++) {
    const says = Object.fromEntries(result.content[0].text.split('\n').map((line) => line.split(/: (.*)/s)));
    const allowed = JSON.parse(says.allowed ?? '{}');
    const value = says.suggestion ?? allowed.values?.[0] ?? allowed.max ?? allowed.min;
    const numeric = ['number', 'integer'].includes(properties[says.field]?.type);
    args = { ...args, [says.field]: numeric ? Number(value) : value };
    result = await call(name, args);
  }
  return { name, args, failed: result.isError === true };
}
const mended = [
  await mend('validate_trade', { ...trade, asset: 'eth', action: 'buy', leverage: 200 }),
  await mend('validate_trade', { ...trade, size: 5e9 }),
  await mend('get_market', { asset: 'btc' }),
  await mend('list_markets', { limit: 5000 }),
  await mend('explain_flag', { flag: 'hi_var' }),
  await mend('check_wallet', { wallet, detail: 'all' }),
];

const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const contents = [];
for (const uri of [...resources.map((r) => r.uri), 'ballast://model/sizing']) {
  contents.push(...(await client.readResource({ uri })).contents);
}
console.log(JSON.stringify({ tools, calls, mended, resourceTemplates, contents, instructions: client.getInstructions() }));
await client.close();
