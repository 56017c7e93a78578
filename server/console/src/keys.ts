// Single keys: those of the page, of the screen on it, and g followed by a letter.

/** What keys do; false: nothing, the key is left to the next map. */
export type KeyMap = Record<string, () => unknown>;

const fields =
  "input, select, textarea, [contenteditable], [role=slider], [role=radio], [role=combobox], [role=listbox]";
const written = new Set(["checkbox", "radio", "button", "submit", "range"]);

/** Whether a key belongs to the element that has the focus. */
function taken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement) || !target.matches(fields)) return false;
  if (target instanceof HTMLInputElement && written.has(target.type)) return key.startsWith("Arrow");
  if (target.getAttribute("role") === "slider" || target.getAttribute("role") === "radio")
    return key.startsWith("Arrow");
  return key !== "Escape";
}

/** Listens to keys. maps are asked in order, each time anew; after g the first of them has "g x". */
export function listenToKeys(maps: () => KeyMap[]) {
  let afterG = -Infinity;
  document.addEventListener("keydown", (e) => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || taken(e.target, e.key)) return;
    const key = e.timeStamp - afterG < 1500 ? "g " + e.key : e.key;
    afterG = -Infinity;
    for (const map of maps()) {
      const action = map[key];
      if (action && action() !== false) {
        e.preventDefault();
        return;
      }
    }
    if (e.key === "g") afterG = e.timeStamp;
  });
}

/** Every key of the page, for the list of shortcuts. */
export const shortcuts: [string, string][] = [
  ["/", "market, or search"],
  ["g t", "Trade"],
  ["g w", "Wallet"],
  ["g m", "Markets"],
  ["g d", "Decisions"],
  ["g p", "Policy"],
  ["g e", "Evidence"],
  ["g h", "Health"],
  ["l s c", "long, short, close"],
  ["+ −", "size by 10 %"],
  ["[ ]", "leverage"],
  ["1 2 3 4", "25, 50, 75, 100 %"],
  ["Enter", "ask, or open"],
  ["u", "undo the last taken size"],
  ["y", "copy the link"],
  ["Y", "copy as curl"],
  ["j k", "next row, row before"],
  ["r", "ask again"],
  ["x", "dark or light"],
  ["?", "this list"],
  ["Esc", "close"],
];
