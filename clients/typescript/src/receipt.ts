import type { components } from "./contract.js";

type Schemas = components["schemas"];

const names = [
  "key_id", "kind", "index", "request_digest", "account", "verdict", "policy_revision", "engine_version", "request_id",
  "as_of", "valid_until",
] as const;

/**
 * Rejects unless a receipt is signed with this key, is about this request, and holds now. Compare its account and verdict
 * with what you act on yourself. Needs WebCrypto with Ed25519.
 */
export async function verifyReceipt(
  receipt: Schemas["Receipt"],
  request: unknown,
  key: Schemas["ReceiptKey"],
  now = new Date(),
): Promise<void> {
  const text = ["ballast-receipt-v1", ...names.map((name) => `${name}=${receipt[name]}`), ""].join("\n");
  const raw = await crypto.subtle.importKey("raw", bytes(key.raw), "Ed25519", false, ["verify"]);
  const signed = await crypto.subtle.verify("Ed25519", raw, bytes(receipt.signature), new TextEncoder().encode(text));
  if (!signed || receipt.key_id !== key.key_id) {
    throw new Error("the receipt is not signed with this key");
  }
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(JSON.parse(JSON.stringify(request)))));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== receipt.request_digest) {
    throw new Error("the receipt is about another request");
  }
  if (!(now.getTime() <= Date.parse(receipt.valid_until))) {
    throw new Error(`the receipt held until ${receipt.valid_until}`);
  }
}

const bytes = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

// canonical returns a JSON value in the form of RFC 8785.
function canonical(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
