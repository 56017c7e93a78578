// The screens, in the order of their places in the header. A screen has a line here when it exists.

import type { Screen } from "./screen";
import { trade } from "./screens/trade";

export const screens: Screen[] = [
  trade,
];
