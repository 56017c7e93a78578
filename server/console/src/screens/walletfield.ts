// The field of the wallet's address, with the demo wallets of a simulated venue and those watched before.

import { ask, type Health } from "../api";
import { fill, h, icon } from "../dom";
import { short } from "../format";
import { combobox, type Option } from "../trade/combobox";
import { addressFault, isWallet } from "./walletaddress";

export interface DemoWallet {
  wallet: string;
  name: string;
  about: string;
}

const stored = "ballast-wallets",
  kept = 8;

/** Wallets that were watched before in this browser, newest first. */
export function recent(): string[] {
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

export interface WalletField {
  element: HTMLElement;
  set(wallet: string): void;
  /** Shows what the service says of the address, with an address that would do. */
  fault(text: string, suggestion?: string): void;
}

/** Wallets to choose from: those watched before, then the accounts of the simulated venue. */
function choices(demos: readonly DemoWallet[], typed: string): Option[] {
  const known = new Map<string, DemoWallet>();
  for (const wallet of recent()) known.set(wallet, { wallet, name: "", about: "watched before" });
  for (const d of demos) known.set(d.wallet, d);
  const matches = (d: DemoWallet) => `${d.wallet} ${d.name} ${d.about}`.toLowerCase().includes(typed.toLowerCase());
  return [...known.values()].filter(matches).map((d) => ({
    value: d.wallet,
    row: [
      h("span", { class: "mono" }, short(d.wallet)),
      " ",
      h("b", {}, d.name),
      h("div", { class: "small t3" }, d.about),
    ],
  }));
}

/** Builds the field. chosen is called with an address that has the right form. */
export function walletField(chosen: (wallet: string) => void, demos: Promise<DemoWallet[]>): WalletField {
  const fault = h("p", { class: "fault", id: "wallet-fault", role: "alert" });
  let offered: DemoWallet[] = [];
  const say = (text: string, suggestion?: string) => {
    const button = suggestion !== undefined && h("button", { type: "button", class: "button" }, short(suggestion));
    if (button) button.addEventListener("click", () => take(suggestion!));
    fill(fault, text !== "" && icon("stop", 14), text, button);
    text === "" ? field.input.removeAttribute("aria-invalid") : field.input.setAttribute("aria-invalid", "true");
  };
  const take = (wallet: string) => {
    field.input.value = wallet;
    say(addressFault(wallet));
    if (isWallet(wallet)) chosen(wallet.toLowerCase());
  };
  const field = combobox({
    id: "wallet",
    label: "Wallet",
    placeholder: "0x…",
    class: "mono",
    beside: [],
    options: (typed) => choices(offered, typed),
    typed: (text) => isWallet(text) && take(text),
    chosen: take,
  });
  field.input.addEventListener("change", () => take(field.input.value.trim()));
  field.input.addEventListener("keydown", (e) => {
    if (e.key === "Enter") take(field.input.value.trim());
  });
  demos.then(
    (found) => {
      offered = found;
      field.refresh();
    },
    () => {},
  );
  const set = (wallet: string) => {
    field.input.value = wallet;
    say(addressFault(wallet));
  };
  return { element: h("div", { class: "walletfield" }, field.element, fault), set, fault: say };
}
