import type { Check } from "../check.ts";
import type { World } from "../world/world.ts";

/** Defines a check with its clause, a one-sentence question, and extra requirements. */
type Decision = (
  clause: string,
  asks: string,
  run: (world: World) => Promise<void>,
  needsToo?: Check["needs"],
) => Check;

export function decisionsThatNeed(...needs: Check["needs"]): Decision {
  return (clause, asks, run, needsToo = []) => ({ clause, asks, needs: [...needs, ...needsToo], run });
}
