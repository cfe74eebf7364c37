"use server";

import { partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";
import { batchConfirmation, batchForm, batchRetry } from "#lib/partner/routines/batch-fields.ts";
import {
  addressOfReviewedBatch,
  addressOfSentBatch,
  submitBatch,
  submitBatchRetry,
  submitConfirmation,
} from "#lib/partner/routines/submit-batch.ts";

const author = signedIn({ role: "operator", returnTo: addressOfSentBatch });
const reviewer = signedIn({ role: "operator", returnTo: addressOfReviewedBatch });

export const reviewBatch = partnerAction(author, batchForm, submitBatch);
export const payBatch = partnerAction(reviewer, batchConfirmation, submitConfirmation);
export const retryBatch = partnerAction(reviewer, batchRetry, submitBatchRetry);
