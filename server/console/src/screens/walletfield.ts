// The field of the wallet's address, with the demo wallets of a simulated venue and those watched before.

import { ask, type Health } from "../api";
import { fill, h, icon } from "../dom";
import { short } from "../format";

export interface DemoWallet {
  wallet: string;
  name: string;
  about: string;
}

const stored = "ballast-wallets",
  kept = 8;
const form = /^0x[0-9a-f]{40}$/i;

export const isWallet = (text: string) => form.test(text);

/** Wallets that were watched before in this browser, newest first. */
export function recent(): string[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(stored) ?? "[]");
    return Array.isArray(list) ? list.filter((x): x is string => typeof x === "string" && form.test(x)) : [];
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

/** What is wrong with a typed address, in words that say how to mend it; empty when it is right. */
export function addressFault(text: string): string {
  if (text === "" || form.test(text)) return "";
  if (!/^0x/i.test(text)) return "An address begins with 0x.";
  const digits = text.slice(2);
  if (/[^0-9a-f]/i.test(digits)) return "An address has the digits 0 to 9 and the letters a to f only.";
  return `An address is 0x and 40 digits; these are ${digits.length}.`;
}

export interface WalletField {
  element: HTMLElement;
  set(wallet: string): void;
  /** Shows what the service says of the address, with an address that would do. */
  fault(text: string, suggestion?: string): void;
}

/** Builds the field. chosen is called with an address that has the right form. */
export function walletField(chosen: (wallet: string) => void, demos: Promise<DemoWallet[]>): WalletField {
  const input = h("input", {
    class: "field mono",
    id: "wallet",
    name: "wallet",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "0x…",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "wallet-list",
    "aria-describedby": "wallet-fault",
    "aria-autocomplete": "list",
  });
  const list = h("ul", {
    class: "card menu walletlist",
    id: "wallet-list",
    role: "listbox",
    "aria-label": "Wallets",
    hidden: true,
  });
  const fault = h("p", { class: "fault", id: "wallet-fault", role: "alert" });
  let at = -1;
  const say = (text: string, suggestion?: string) => {
    fill(
      fault,
      text !== "" && icon("stop", 14),
      text,
      suggestion !== undefined &&
        h("button", { type: "button", class: "button", click: () => take(suggestion) }, short(suggestion)),
    );
    text === "" ? input.removeAttribute("aria-invalid") : input.setAttribute("aria-invalid", "true");
  };
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const take = (wallet: string) => {
    close();
    input.value = wallet;
    say(addressFault(wallet));
    if (form.test(wallet)) chosen(wallet.toLowerCase());
  };
  const open = async () => {
    const offered: DemoWallet[] = [
      ...recent().map((wallet) => ({ wallet, name: "", about: "watched before" })),
      ...(await demos.catch(() => [])),
    ];
    const seen = new Map<string, DemoWallet>();
    for (const d of offered)
      seen.set(d.wallet, {
        ...d,
        about: d.about === "watched before" ? (seen.get(d.wallet)?.about ?? d.about) : d.about,
      });
    if (document.activeElement !== input || seen.size === 0) return;
    fill(
      list,
      ...[...seen.values()].map((d, i) =>
        h(
          "li",
          { role: "option", id: `wallet-${i}`, "data-wallet": d.wallet, "aria-selected": "false" },
          h("span", { class: "mono" }, short(d.wallet)),
          " ",
          h("b", {}, d.name),
          h("div", { class: "small t3" }, d.about),
        ),
      ),
    );
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  };
  const move = (by: number) => {
    const options = [...list.children];
    if (options.length === 0) return;
    at = (at + by + options.length) % options.length;
    options.forEach((o, i) => o.setAttribute("aria-selected", String(i === at)));
    input.setAttribute("aria-activedescendant", `wallet-${at}`);
    options[at]!.scrollIntoView({ block: "nearest" });
  };
  input.addEventListener("focus", () => void open());
  input.addEventListener("blur", () => setTimeout(close, 150));
  input.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      if (list.hidden) void open();
      else move(e.key === "ArrowDown" ? 1 : -1);
    } else if (e.key === "Escape") close();
    else if (e.key === "Enter")
      take(at >= 0 ? (list.children[at] as HTMLElement).dataset.wallet! : input.value.trim());
    else return;
    e.preventDefault();
  });
  input.addEventListener("change", () => take(input.value.trim()));
  list.addEventListener("pointerdown", (e) => {
    const option = e.target instanceof Element ? e.target.closest<HTMLElement>("[data-wallet]") : null;
    if (option) take(option.dataset.wallet!);
  });
  const element = h(
    "div",
    { class: "walletfield" },
    h("label", { class: "off", for: "wallet" }, "Wallet"),
    input,
    icon("down", 14, "fieldicon"),
    list,
    fault,
  );
  return { element, set: (wallet) => (input.value = wallet), fault: say };
}
