import type * as z from "zod/mini";
import { type ErrorReason, errorBody } from "../../../lib/contract/errors.ts";
import { must } from "../findings.ts";
import type { Exchange } from "../world/exchange.ts";
import { fieldsOf } from "../world/read-answer.ts";

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
