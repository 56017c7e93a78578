// The form of a wallet's address.

const form = /^0x[0-9a-f]{40}$/i;

export const isWallet = (text: string) => form.test(text);

/** What is wrong with a typed address, in words that say how to mend it; empty when it is right. */
export function addressFault(text: string): string {
  if (text === "" || form.test(text)) return "";
  if (!/^0x/i.test(text)) return "An address begins with 0x.";
  const digits = text.slice(2);
  if (/[^0-9a-f]/i.test(digits)) return "An address has the digits 0 to 9 and the letters a to f only.";
  return `An address is 0x and 40 digits; these are ${digits.length}.`;
}
