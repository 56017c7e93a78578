// Walks through policy, kill switch and decisions in Chromium: node operator.mjs BROWSER URL KEY WALLET OPERATOR-KEY.
// Ends with status 0 when everything was as it should be.
import { decisionsAreListed } from "./decisions.mjs";
import { limitsAreEdited, switchIsTurned } from "./limits.mjs";
import { done, fault, faults, step } from "./page.mjs";

const desktop = { viewport: { width: 1440, height: 900 } },
  phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const light = { colorScheme: "light" },
  dark = { colorScheme: "dark" };

try {
  for (const [name, walk] of Object.entries({
    decisions: decisionsAreListed,
    limits: limitsAreEdited,
    "kill switch": switchIsTurned,
  })) {
    for (const [place, options] of Object.entries({
      "wide, dark": { ...desktop, ...dark },
      "wide, light": { ...desktop, ...light },
      "phone, light": { ...phone, ...light },
      "phone, dark": { ...phone, ...dark },
    })) {
      step(`${name}, ${place}`);
      await walk(`${name}, ${place}`, options);
    }
  }
} catch (e) {
  fault(e.stack);
}
await done();
process.exit(faults.length > 0 ? 1 : 0);
