import type * as z from "zod/mini";
import { type ErrorReason, errorBody } from "../../../lib/contract/errors.ts";
import type { Check } from "../check.ts";
import { must } from "../findings.ts";
import type { Exchange } from "../world/exchange.ts";
import { fieldsOf } from "../world/read-answer.ts";
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

export function fits(schema: z.ZodMiniType, exchange: Exchange): void {
  const { success, error } = schema.safeParse(exchange.answer.json);
  const fields = error?.issues.map(({ path }) => path.join("./")).join(", ");
  must(success, `The answer has a different shape${fields ? `: ${fields}` : ""}.`, exchange);
}

export function refusedAs(exchange: Exchange, status: number, reason: ErrorReason): void {
  const found = fieldsOf(exchange.answer.json)["reason"];
  const isSame = exchange.answer.status === status && found === reason;
  must(
    isSame,
    `It returns ${exchange.answer.status}${found ? ` ${found}` : ""}; ours returns ${status} ${reason}.`,
    exchange,
  );
  fits(errorBody, exchange);
}
