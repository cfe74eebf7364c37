/** The payment form's initial values, from its URL. */
export type PrefilledPayment = { source_id: string; seller_user_id: string; amount: string; name: string };

export type PaymentQuery = Partial<
  Record<"source" | "seller" | "amount" | "name" | "form" | "resumed", string | string[]>
>;

export function readPrefilledPayment({ source, seller, amount, name }: PaymentQuery): PrefilledPayment {
  return { source_id: textOf(source), seller_user_id: textOf(seller), amount: textOf(amount), name: textOf(name) };
}

/** The URL of the form with these values. @param key the form's idempotency key, which survives a reload */
export function addressOfPayment({ source_id, seller_user_id, amount, name }: PrefilledPayment, key = ""): string {
  const values = { source: source_id, seller: seller_user_id, amount, name, form: key };
  const query = Object.entries(values).filter(([, value]) => value !== "");
  return `/routines/new?${new URLSearchParams(query)}`;
}

/**
 * The same URL, to return to after signing in again. It keeps the form's key, because an earlier request without an
 * answer may have made the payment.
 */
export function addressToResume(query: PaymentQuery): string {
  const key = textOf(query.form);
  const address = addressOfPayment(readPrefilledPayment(query), key);
  return key === "" ? address : `${address}&resumed=yes`;
}

/** The same, from a submitted form. */
export function addressOfSent(sent: unknown): string {
  const field = (name: string) => textOf(sent instanceof FormData ? (sent.get(name) ?? undefined) : undefined);
  const chosen = { source: field("source_id"), seller: field("seller_user_id") };
  return addressToResume({ ...chosen, amount: field("amount"), name: field("name"), form: field("idempotency_key") });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
