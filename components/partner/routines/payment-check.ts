import { zodResolver } from "@hookform/resolvers/zod";
import { paymentFieldsWithin } from "#lib/partner/routines/payment-fields.ts";

/** Judges a payment from one of these accounts by the rules that the server has; loaded by `lateCheck`. */
export function checkPayment(accounts: Parameters<typeof paymentFieldsWithin>[0]) {
  return zodResolver(paymentFieldsWithin(accounts));
}
