import type { Check } from "../check.ts";
import type { World } from "../world/world.ts";

/** How a file of checks writes one down: its clause, what it asks in a sentence, how, and what it needs beside the others. */
type Decision = (
  clause: string,
  asks: string,
  run: (world: World) => Promise<void>,
  needsToo?: Check["needs"],
) => Check;

/** Checks of our decisions which all need this of a service. */
export function decisionsThatNeed(...needs: Check["needs"]): Decision {
  return (clause, asks, run, needsToo = []) => ({ clause, asks, needs: [...needs, ...needsToo], run });
}
