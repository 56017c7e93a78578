// The screens, in the order of their places in the header. A screen has a line here when it exists.

import type { Screen } from "./screen";
import { decisions } from "./screens/decisions";
import { evidence } from "./screens/evidence";
import { health } from "./screens/health";
import { market } from "./screens/market";
import { markets } from "./screens/markets";
import { policy } from "./screens/policy";
import { trade } from "./screens/trade";
import { wallet } from "./screens/wallet";

export const screens: Screen[] = [trade, wallet, markets, market, decisions, policy, evidence, health];
