// What the chances of liquidation meant on recorded prices: the tables of docs/model.md, in percent.

/** Positions whose chance lay in a bin: its name, their number, the share liquidated in 24 h, the share forecast. */
export const bins: readonly (readonly [string, number, number, number])[] = [
  ["0-0.1 %", 65_792, 0.0243, 0.024],
  ["0.1-0.5 %", 26_762, 0.254, 0.256],
  ["0.5-2 %", 24_235, 1.16, 1.1],
  ["2-5 %", 20_007, 3.45, 3.33],
  ["5-10 %", 17_318, 7.5, 7.28],
  ["10-20 %", 20_593, 15.1, 14.6],
  ["20-40 %", 27_324, 30.1, 29.4],
  ["40-100 %", 56_009, 63.9, 63.2],
];

/** The same by the word of the answer. */
export const byVerdict: readonly (readonly [string, number, number, number])[] = [
  ["proceed", 98_603, 0.15, 0.151],
  ["proceed_with_caution", 51_160, 3.61, 3.49],
  ["abort", 108_277, 43.8, 43.2],
];

/** The Brier score of the chance, and that of a constant. */
export const brier = { chance: 0.0873, constant: 0.1549 };
