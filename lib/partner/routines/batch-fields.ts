import * as z from "zod/mini";
import { words } from "#words";
import { outOfDate } from "../requests/form-fields.ts";
import { paymentFields } from "./payment-fields.ts";

// Fits a body of 64 KiB, even if some characters take two bytes.
const listCharactersMax = 50_000;

export const batchId = z.guid({ error: outOfDate });

export const batchForm = z.object({
  batch_id: batchId,
  source_id: paymentFields.shape.source_id,
  list: z
    .string({ error: () => words("pay.problems")("noList") })
    .check(z.maxLength(listCharactersMax, { error: () => words("pay.problems")("longList") })),
  // Without scripts, the form sends the file itself.
  file: z.optional(z.instanceof(File)),
});

export const batchConfirmation = z.object({ batch_id: batchId, digest: z.string() });
export const batchRetry = z.object({ batch_id: batchId });
