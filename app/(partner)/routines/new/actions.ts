"use server";

import { partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";
import { paymentForm } from "#lib/partner/routines/payment-fields.ts";
import { addressOfSent } from "#lib/partner/routines/prefilled-payment.ts";
import { submitPayment } from "#lib/partner/routines/submit-payment.ts";

const operator = signedIn({ role: "operator", returnTo: addressOfSent });

export const paySeller = partnerAction(operator, paymentForm, submitPayment);
