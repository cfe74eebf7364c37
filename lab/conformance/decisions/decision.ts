import type { Check } from "../check.ts";
import type { World } from "../world/world.ts";

/** Defines a check with its clause, a one-sentence statement, and extra requirements. */
type Decision = (
  clause: string,
  statement: string,
  run: (world: World) => Promise<void>,
  needsToo?: Check["needs"],
) => Check;

export function decisionsThatNeed(...needs: Check["needs"]): Decision {
  return (clause, statement, run, needsToo = []) => ({ clause, statement, needs: [...needs, ...needsToo], run });
}
