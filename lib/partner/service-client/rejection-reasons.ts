import * as z from "zod/mini";
import { plainText } from "./reading.ts";

/** Why somebody was rejected, for the person to read; `code` is empty where the service gives none. */
export type RejectionReason = { code: string; message: string };

const reason = z.union([
  z.pipe(
    plainText,
    z.transform((message): RejectionReason => ({ code: "", message })),
  ),
  z.pipe(
    z.looseObject({ code: z.optional(plainText), message: z.optional(plainText), reason: z.optional(plainText) }),
    z.transform(({ code = "", message, reason }): RejectionReason => ({ code, message: message ?? reason ?? code })),
  ),
]);

/** The element shape is not published: a text, or an object with a message; a single one counts as a list. */
export const rejectionReasons = z.union([
  z.array(reason),
  z.pipe(
    reason,
    z.transform((one) => [one]),
  ),
]);
