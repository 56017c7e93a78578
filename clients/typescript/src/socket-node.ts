import { WebSocket } from "ws";

/** Opens a socket by the interface of browsers, with the key where it can be sent. */
export function open(url: string, key: string | undefined): globalThis.WebSocket {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const limits = { handshakeTimeout: 10_000, perMessageDeflate: false, maxPayload: 1 << 20 };
  return new WebSocket(url, { headers, ...limits }) as unknown as globalThis.WebSocket;
}
