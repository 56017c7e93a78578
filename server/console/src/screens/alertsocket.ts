// The alert socket of one wallet. It reconnects after a growing pause and subscribes again.

import type { Alert } from "./alertgroups";

export type SocketState =
  | { kind: "connecting" }
  | { kind: "open"; afterMs: number }
  | { kind: "closed"; at: number }
  | { kind: "refused"; why: string };

const shortest = 1000,
  longest = 15_000; // ms before another try

export class AlertSocket {
  state: SocketState = { kind: "connecting" };
  private socket: WebSocket | undefined;
  private pause = shortest;
  private timer = 0;

  constructor(
    private readonly wallet: string,
    private thresholds: object,
    private readonly changed: () => void,
    private readonly deliver: (a: Alert) => void,
  ) {
    this.connect();
  }

  /** Replaces the thresholds of the subscription. */
  subscribe(thresholds: object) {
    this.thresholds = thresholds;
    if (this.socket?.readyState === WebSocket.OPEN) this.send(this.socket);
  }

  close() {
    clearTimeout(this.timer);
    const before = this.socket;
    this.socket = undefined;
    before?.close();
  }

  private send(to: WebSocket) {
    to.send(JSON.stringify({ wallet: this.wallet, thresholds: this.thresholds }));
  }

  private become(state: SocketState) {
    this.state = state;
    this.changed();
  }

  private connect() {
    const mine = new WebSocket(location.origin.replace(/^http/, "ws") + "/v1/alerts/ws?details=true"),
      begun = performance.now();
    this.socket = mine;
    let refused = "";
    mine.onopen = () => this.send(mine);
    mine.onmessage = (e) => {
      if (mine !== this.socket) return;
      const m = JSON.parse(String(e.data)) as Partial<Alert> & {
        subscribed?: string;
        error?: string;
        detail?: string;
      };
      if (m.subscribed !== undefined) {
        this.pause = shortest;
        if (this.state.kind !== "open") this.become({ kind: "open", afterMs: performance.now() - begun });
      } else if (m.error !== undefined) refused = m.detail ?? m.error;
      else this.deliver(m as Alert);
    };
    mine.onclose = () => {
      if (mine !== this.socket) return;
      if (refused !== "") {
        this.become({ kind: "refused", why: refused });
        return;
      }
      const wait = this.pause * (0.5 + Math.random() / 2);
      this.pause = Math.min(longest, 2 * this.pause);
      this.timer = window.setTimeout(() => this.connect(), wait);
      this.become({ kind: "closed", at: performance.now() + wait });
    };
  }
}
