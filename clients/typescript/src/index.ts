export type { AlertOptions, RiskAlert, Thresholds } from "./alerts.js";
export { Client, type ClientOptions, type Compact, type DecisionQuery, type Deposit, type Full, type Page, type Target } from "./client.js";
export type { components, paths } from "./contract.js";
export { type Allowed, BallastError, type Problem } from "./errors.js";
export { verifyReceipt } from "./receipt.js";
