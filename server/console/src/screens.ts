// The screens, in the order of their places in the header. A screen has a line here when it exists.

import type { Screen } from "./screen";

export const screens: Screen[] = [];
