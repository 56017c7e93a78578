/** Opens a socket. A browser lets no page send a key with it. */
export function open(url: string): WebSocket {
  return new WebSocket(url);
}
