import { WebSocket } from "ws";

/** Opens a WebSocket that has the browser's interface, and sends the key in the Authorization header. */
export function open(url: string, key: string | undefined): globalThis.WebSocket {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const limits = { handshakeTimeout: 10_000, perMessageDeflate: false, maxPayload: 1 << 20 };
  return new WebSocket(url, { headers, ...limits }) as unknown as globalThis.WebSocket;
}
