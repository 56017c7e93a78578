import { byFetch, type Exchange } from "./exchange.js";

export function exchange(): Exchange {
  return byFetch((request) => fetch(request));
}
