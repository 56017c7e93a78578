// Wallets to choose from: those watched before in this browser, and the accounts of a simulated venue.

import { ask, type DemoWallet, type Health } from "./api";
import { h } from "./dom";
import { short } from "./format";
import type { Option } from "./trade/combobox";
import { isWallet } from "./walletaddress";

const stored = "ballast-wallets",
  kept = 8;

/** Wallets that were watched before in this browser, newest first. */
function recent(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(stored) ?? "[]");
    return Array.isArray(list) ? list.filter((x): x is string => typeof x === "string" && isWallet(x)) : [];
  } catch {
    return [];
  }
}

export function remember(wallet: string) {
  const list = [wallet, ...recent().filter((w) => w.toLowerCase() !== wallet.toLowerCase())].slice(0, kept);
  localStorage.setItem(stored, JSON.stringify(list));
}

/** The accounts of a simulated venue; none of a real one. */
export async function demoWallets(): Promise<DemoWallet[]> {
  const state = await ask<Health>("/health", { fine: [503] });
  return state.demo_wallets ?? [];
}

/** Those that have the typed text in address, name or story. */
export function walletOptions(demos: readonly DemoWallet[], typed: string): Option[] {
  const known = new Map<string, DemoWallet>(),
    wanted = typed.toLowerCase();
  for (const wallet of recent()) known.set(wallet, { wallet, name: "", about: "watched before" });
  for (const d of demos) known.set(d.wallet, d);
  const matches = (d: DemoWallet) => `${d.wallet} ${d.name} ${d.about}`.toLowerCase().includes(wanted);
  return [...known.values()].filter(matches).map((d) => ({
    value: d.wallet,
    row: [
      h("span", { class: "mono" }, short(d.wallet)),
      h("b", {}, d.name),
      h("span", { class: "small t3" }, d.about),
    ],
  }));
}
