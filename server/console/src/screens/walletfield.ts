// The field of the wallet's address.

import type { DemoWallet } from "../api";
import { fill, h, icon, setInvalid } from "../dom";
import { short } from "../format";
import { Combobox } from "../trade/combobox";
import { addressFault, isWallet } from "../walletaddress";
import { walletOptions } from "../wallets";

export interface WalletField {
  element: HTMLElement;
  set(wallet: string): void;
  /** Shows what the service says of the address, with an address that would do. */
  fault(text: string, suggestion?: string): void;
}

/** Builds the field. chosen is called with an address that has the right form. */
export function walletField(chosen: (wallet: string) => void, demos: Promise<DemoWallet[]>): WalletField {
  const fault = h("p", { class: "fault", id: "wallet-fault", role: "alert" });
  let offered: DemoWallet[] = [];
  const say = (text: string, suggestion?: string) => {
    const button = suggestion !== undefined && h("button", { type: "button", class: "button" }, short(suggestion));
    if (button) button.addEventListener("click", () => take(suggestion!));
    fill(fault, text !== "" && icon("stop", 14), text, button);
    setInvalid(field.input, text !== "");
  };
  const take = (wallet: string) => {
    field.input.value = wallet;
    say(addressFault(wallet));
    if (isWallet(wallet)) chosen(wallet.toLowerCase());
  };
  const field = new Combobox({
    id: "wallet",
    label: "Wallet",
    placeholder: "0x…",
    class: "mono",
    beside: [],
    options: (typed) => walletOptions(offered, typed),
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
