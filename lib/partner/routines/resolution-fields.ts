import * as z from "zod/mini";

const outOfDate = "This page is out of date. Please reload it.";
const missingId = "Enter the payment ID or the transfer ID.";
const wrongId = "This isn't an ID. Copy it from the service's records.";
const askFirst = "Check this box once you've asked about the payment.";
const unconfirmed = "Check this box once you've checked the service's records.";

/** An operator says that a payment was made; `service_id` is the id of its routine, or of its transfer. */
export const arrivedForm = z.object({
  routine_id: z.guid(outOfDate),
  service_id: z.string(missingId).check(
    z.trim(),
    z.minLength(1, missingId),
    z.maxLength(200, wrongId),
    z.refine((value) => !/\p{Cc}/u.test(value), wrongId),
  ),
});

/** An operator says that a payment was never made. */
export const nothingForm = z.object({ routine_id: z.guid(outOfDate), confirmed: z.literal("yes", unconfirmed) });

/** An operator has a payment sent again that the service no longer has. */
export const sendAgainForm = z.object({ routine_id: z.guid(outOfDate), confirmed: z.literal("yes", askFirst) });

/** An operator confirms which end of a payment is right that was reported with two. */
export const endForm = z.object({
  routine_id: z.guid(outOfDate),
  end: z.enum(["arrived", "not_arrived"], "Choose which result is right."),
  confirmed: z.literal("yes", askFirst),
});

/** An operator has dealt with the second record of a payment. */
export const secondSeenForm = z.object({ routine_id: z.guid(outOfDate), confirmed: z.literal("yes", unconfirmed) });
