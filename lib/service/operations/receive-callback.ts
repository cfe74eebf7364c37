import type * as z from "zod/mini";
import {
  type ProviderCallback,
  type ReadCallback,
  requireAnswer,
  resultsOf,
  screeningAnswer,
  settlementAnswer,
} from "../../contract/providers.ts";
import { callWithin, messageWithoutData } from "../../kit/call-within.ts";
import { describeError } from "../../kit/describe-error.ts";
import { log } from "../../kit/log.ts";
import { inCellWhere } from "../cells.ts";
import { providers } from "../providers.ts";
import { database } from "../storage/database.ts";
import { findScreening } from "../storage/screenings.ts";
import { lockSettlementOrder } from "../storage/settlement-orders.ts";
import { applySettlementAnswer } from "./money/settle-by-provider.ts";
import { applyScreeningResult } from "./people/screen-people.ts";

/**
 * `not_found`: no such provider reads callbacks. `foreign`: the provider's module doesn't recognize the sender. `failed`:
 * the provider must send the results again.
 */
export type CallbackOutcome = "received" | "not_found" | "foreign" | "unreadable" | "failed";

/** Applies each result that a provider sends once, even if it's sent again. A result that fails doesn't hold up the others. */
export async function receiveCallback(name: string, callback: ProviderCallback): Promise<CallbackOutcome> {
  const { screening, settlement } = providers();
  switch (name) {
    case "screening":
      return receive({
        name,
        callback,
        provider: screening,
        schema: screeningAnswer,
        has: hasScreening,
        apply: applyScreeningResult,
      });
    case "settlement":
      return receive({
        name,
        callback,
        provider: settlement,
        schema: settlementAnswer,
        has: hasOrder,
        apply: applySettlementAnswer,
      });
    default:
      return "not_found";
  }
}

// To find the cell: a result names its question, but no client.
const hasScreening = async (id: string) => (await findScreening(database(), id)) !== undefined;
const hasOrder = async (id: string) => (await lockSettlementOrder(database(), id)) !== undefined;

type CallbackReceiver<Answer> = {
  name: string;
  callback: ProviderCallback;
  provider: { readCallback?: ReadCallback<Answer> } | undefined;
  schema: z.ZodMiniType<Answer>;
  has: (id: string) => Promise<boolean>;
  apply: (id: string, answer: Answer) => Promise<void>;
};

const timeoutMs = 10_000;

async function receive<Answer>(receiver: CallbackReceiver<Answer>): Promise<CallbackOutcome> {
  const { name, callback, provider, schema, has, apply } = receiver;
  if (!provider?.readCallback) return "not_found";
  let results: { id: string; answer: Answer }[];
  try {
    const answer = await callWithin(timeoutMs, async (call) => provider.readCallback?.(callback, call));
    if (answer === undefined) return "foreign";
    results = requireAnswer(resultsOf(schema), answer);
  } catch (error) {
    log().warn({ provider: name, reason: messageWithoutData(error) }, "a provider's callback could not be read");
    return "unreadable";
  }
  let outcome: CallbackOutcome = "received";
  for (const { id, answer } of results) {
    await inCellWhere(
      () => has(id),
      () => apply(id, answer),
    ).catch((error: unknown) => {
      log().error({ provider: name, id, error: describeError(error) }, "a provider's result could not be applied");
      outcome = "failed";
    });
  }
  return outcome;
}
