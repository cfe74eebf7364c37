import * as z from "zod/mini";
import { words } from "#words";
import { outOfDate } from "../requests/form-fields.ts";
import { paymentFields } from "./payment-fields.ts";

// With the other fields, fits a body of 64 KiB.
const listBytesMax = 60_000;

// A form sends line ends as CR LF.
function isShort(list: string): boolean {
  return new TextEncoder().encode(list.replaceAll(/\r?\n/g, "\r\n")).length <= listBytesMax;
}

export const batchId = z.guid({ error: outOfDate });

export const batchForm = z.object({
  batch_id: batchId,
  source_id: paymentFields.shape.source_id,
  list: z
    .string({ error: () => words("pay.problems")("noList") })
    .check(z.refine(isShort, { error: () => words("pay.problems")("longList") })),
  // Without scripts, the form sends the file itself.
  file: z.optional(z.instanceof(File)),
});

export const batchConfirmation = z.object({ batch_id: batchId, digest: z.string() });
export const batchRetry = z.object({ batch_id: batchId });
