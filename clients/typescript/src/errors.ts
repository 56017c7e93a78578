import type { components } from "./contract.js";

export type Allowed = components["schemas"]["Allowed"];
export type Problem = components["schemas"]["Problem"];

interface Members {
  field?: string;
  got?: string | number;
  allowed?: Allowed;
  suggestion?: string;
  problems?: Problem[];
}

/**
 * There is no answer. An error is no permission: without an assessment, do not open a position.
 *
 * code: stable code of the service, such as "validation_error"; "unreachable" when there was no
 * answer; "not_ballast" when the answer is not what this service sends.
 */
export class BallastError extends Error {
  override readonly name = "BallastError";
  readonly field: string | undefined; // what to change: a field of the request, or a header
  readonly got: string | number | undefined; // its value
  readonly allowed: Allowed | undefined; // what it may be
  readonly suggestion: string | undefined; // a value that would do, or where to find one
  readonly problems: Problem[]; // all mistakes, when there are several

  constructor(
    readonly status: number, // of HTTP; 0 when nothing came over HTTP
    readonly code: string,
    readonly detail = "", // a sentence with the offending value
    members: Members = {},
    readonly requestId?: string, // to be quoted when a fault is reported
    readonly retryAfter?: number, // seconds
    options?: ErrorOptions,
  ) {
    super(detail ? `${code}: ${detail}` : code, options);
    this.field = members.field;
    this.got = members.got;
    this.allowed = members.allowed;
    this.suggestion = members.suggestion;
    this.problems = members.problems ?? [];
  }
}

/** The error of an answer that is none of the service's successes. */
export function refusal(response: Response, body: unknown): BallastError {
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  const wait = headers.get("Retry-After") ?? "";
  const retryAfter = /^\d+$/.test(wait) ? Number(wait) : undefined; // a date is a proxy's
  if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") {
    const { error, detail, ...members } = body as { error: string; detail?: string } & Members;
    return new BallastError(status, error, detail, members, requestId, retryAfter);
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new BallastError(status, "not_ballast", `HTTP ${status}: ${text?.slice(0, 200)}`, {}, requestId, retryAfter);
}
