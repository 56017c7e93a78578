/** Opens a WebSocket without a key: a browser lets no page set its headers. */
export function open(url: string): WebSocket {
  return new WebSocket(url);
}
