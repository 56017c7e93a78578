// The field of a wallet's address, which may also take a word for all wallets.

import type { DemoWallet } from "../api";
import { fill, h, icon, setInvalid } from "../dom";
import { short } from "../format";
import { Combobox } from "../trade/combobox";
import { addressFault, isWallet } from "../walletaddress";
import { walletOptions } from "../wallets";

/** The name of the policy of all wallets. */
export const everyone = "*";
const everyonesName = "all wallets";

export interface AddressField {
  element: HTMLElement;
  set(wallet: string): void;
  /** Shows what the service says of the address, with an address that would do. */
  fault(text: string, suggestion?: string): void;
  list(): void; // opens the list
}

/** Builds the field. chosen is called with an address that has the right form, or with everyone if about says what it
 * stands for. */
export function addressField(
  o: { id: string; label: string; placeholder: string; class: string; name: string; about?: string },
  demos: Promise<DemoWallet[]>,
  chosen: (wallet: string) => void,
): AddressField {
  const fault = h("p", { class: "fault", id: o.id + "-fault", role: "alert" });
  let offered: DemoWallet[] = [];
  const say = (text: string, suggestion?: string) => {
    const button = suggestion !== undefined && h("button", { type: "button", class: "button" }, short(suggestion));
    if (button) button.addEventListener("click", () => take(suggestion!));
    fill(fault, text !== "" && icon("stop", 14), h("span", {}, text), button);
    setInvalid(field.input, text !== "");
  };
  const set = (wallet: string) => {
    field.input.value = wallet === everyone ? everyonesName : wallet;
    say(wallet === everyone ? "" : addressFault(wallet));
  };
  const take = (text: string) => {
    const all = o.about !== undefined && ["", everyone, everyonesName].includes(text),
      wallet = all ? everyone : text;
    set(wallet);
    if (all || isWallet(wallet)) chosen(wallet.toLowerCase());
  };
  const all = (typed: string) =>
    o.about !== undefined && everyonesName.startsWith(typed.toLowerCase())
      ? [{ value: everyone, row: [h("b", {}, everyonesName), h("span", { class: "small t3" }, o.about)] }]
      : [];
  const field = new Combobox({
    id: o.id,
    label: o.label,
    placeholder: o.placeholder,
    class: o.class,
    beside: [],
    options: (typed) => [...all(typed), ...walletOptions(offered, typed)],
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
  return { element: h("div", { class: o.name }, field.element, fault), set, fault: say, list: () => field.list() };
}
