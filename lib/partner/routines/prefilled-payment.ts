/** What the form for a payment begins with: an address may say it, the operator reviews it in any case. */
export type PrefilledPayment = { seller_user_id: string; amount: string; name: string };

type Query = Partial<Record<"seller" | "amount" | "name" | "form", string | string[]>>;

/** What an address of the form asks it to begin with; a part that is left out is empty. */
export function readPrefilledPayment({ seller, amount, name }: Query): PrefilledPayment {
  return { seller_user_id: textOf(seller), amount: textOf(amount), name: textOf(name) };
}

/** The address of the form that begins with this. @param key of one form, which loaded again is the same payment */
export function addressOfPayment({ seller_user_id, amount, name }: PrefilledPayment, key = ""): string {
  const query = Object.entries({ seller: seller_user_id, amount, name, form: key }).filter(([, value]) => value !== "");
  return `/routines/new?${new URLSearchParams(query)}`;
}

/** The same, with what a form held whose sender has to sign in again. */
export function addressOfSent(sent: unknown): string {
  const field = (name: string) => textOf(sent instanceof FormData ? (sent.get(name) ?? undefined) : undefined);
  return addressOfPayment({ seller_user_id: field("seller_user_id"), amount: field("amount"), name: field("name") });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
