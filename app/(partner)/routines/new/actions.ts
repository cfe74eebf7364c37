"use server";

import { partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";
import { paymentForm } from "#lib/partner/routines/payment-fields.ts";
import { submitPayment } from "#lib/partner/routines/submit-payment.ts";

const operator = signedIn({ role: "operator", returnTo: "/routines/new" });

export const paySeller = partnerAction(operator, paymentForm, submitPayment);
