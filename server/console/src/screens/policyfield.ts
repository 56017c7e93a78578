// The field that says whose limits are shown: all wallets, or one.

import type { DemoWallet } from "../api";
import { fill, h, icon, setInvalid } from "../dom";
import { Combobox, type Option } from "../trade/combobox";
import { addressFault, isWallet } from "../walletaddress";
import { walletOptions } from "../wallets";

/** The name of the policy of all wallets. */
export const everyone = "*";
const shownName = "all wallets";

export function policyField(chosen: (wallet: string) => void, demos: Promise<DemoWallet[]>) {
  const fault = h("p", { class: "fault", id: "policy-wallet-fault", role: "alert" });
  let offered: DemoWallet[] = [];
  const say = (text: string) => {
    fill(fault, text !== "" && icon("stop", 14), text);
    setInvalid(field.input, text !== "");
  };
  const all: Option = {
    value: everyone,
    row: [h("b", {}, shownName), h("span", { class: "small t3" }, "holds beside the limits of each wallet")],
  };
  const take = (text: string) => {
    const wallet = text === everyone || text === shownName || text === "" ? everyone : text.toLowerCase();
    say(wallet === everyone ? "" : addressFault(wallet));
    if (wallet !== everyone && !isWallet(wallet)) return;
    field.input.value = wallet === everyone ? shownName : wallet;
    chosen(wallet);
  };
  const field = new Combobox({
    id: "policy-wallet",
    label: "Whose limits",
    placeholder: "0x…, or all wallets",
    class: "mono low",
    beside: [],
    options: (typed) => [
      ...(typed === "" || shownName.startsWith(typed.toLowerCase()) ? [all] : []),
      ...walletOptions(offered, typed),
    ],
    typed: (text) => isWallet(text) && take(text),
    chosen: take,
  });
  field.input.addEventListener("change", () => take(field.input.value.trim()));
  demos.then(
    (found) => {
      offered = found;
      field.refresh();
    },
    () => {},
  );
  return {
    element: h("div", { class: "policyfield" }, field.element, fault),
    set(wallet: string) {
      field.input.value = wallet === everyone ? shownName : wallet;
      say("");
    },
    focus: () => field.list(),
  };
}
