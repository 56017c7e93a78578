import type { components } from "./contract.js";

export type Allowed = components["schemas"]["Allowed"];
export type Problem = components["schemas"]["Problem"];

interface Members {
  field?: string;
  got?: string | number;
  allowed?: Allowed;
  suggestion?: string | number | boolean;
  problems?: Problem[];
  revision?: number;
}

/**
 * A request failed. Never take an error as permission: without an assessment, do not open or increase a position.
 *
 * code: stable code of the service, such as "validation_error"; "unreachable" when there was no
 * answer; "not_ballast" when the answer is not what this service sends.
 */
export class BallastError extends Error {
  override readonly name = "BallastError";
  readonly field: string | undefined; // field of the request, or header, that is wrong
  readonly got: string | number | undefined; // the field's value
  readonly allowed: Allowed | undefined; // values allowed for the field
  readonly suggestion: string | number | boolean | undefined; // a valid value of the field, or a sentence
  readonly problems: Problem[]; // all errors in the request, when there are several
  readonly revision: number | undefined; // current one, where a change was made upon another

  constructor(
    readonly status: number, // HTTP status; 0 when there was no HTTP response
    readonly code: string,
    readonly detail = "", // a sentence with the offending value
    members: Members = {},
    readonly requestId?: string, // quote it in a bug report
    readonly retryAfter?: number, // seconds to wait before a retry
    options?: ErrorOptions,
  ) {
    super(detail ? `${code}: ${detail}` : code, options);
    this.field = members.field;
    this.got = members.got;
    this.allowed = members.allowed;
    this.suggestion = members.suggestion;
    this.problems = members.problems ?? [];
    this.revision = members.revision;
  }
}

/** Returns the error for a response that is not what this service sends. */
export function wrong(status: number, headers: Headers, what: string): BallastError {
  return new BallastError(status, "not_ballast", `HTTP ${status}: ${what}`, {}, headers.get("X-Request-Id") ?? undefined);
}

/** Returns the error for a response whose status is not 200. */
export function refusal(status: number, headers: Headers, text: string): BallastError {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // no error of the service, perhaps the page of a proxy
  }
  const requestId = headers.get("X-Request-Id") ?? undefined;
  const wait = headers.get("Retry-After") ?? "";
  const retryAfter = /^\d+$/.test(wait) ? Number(wait) : undefined; // a date comes from a proxy and is ignored
  if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") {
    const { error, detail, ...members } = body as { error: string; detail?: string } & Members;
    return new BallastError(status, error, detail, members, requestId, retryAfter);
  }
  return new BallastError(status, "not_ballast", `HTTP ${status}: ${text.slice(0, 200)}`, {}, requestId, retryAfter);
}
