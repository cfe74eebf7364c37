import { newId } from "../../kit/ids.ts";
import { partnerConfig } from "../config.ts";
import { database } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser, keepUserAccount } from "../storage/service-users.ts";
import { storeTokenPair } from "../tokens/token-pairs.ts";
import { createPerson } from "./records.ts";

/** A connected business: its operator, and a seller who can be paid. */
export type FakeBusiness = { operator: Person; sellerUserId: string; destinationId: string };

/** Connects the business and one seller, as two authorizations would have done. */
export async function connectBusiness(): Promise<FakeBusiness> {
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  await storeTokenPair(database(), partnerConfig().businessUserId, pair);
  const { id: sellerUserId } = await connectSeller({ status: "approved" });
  const destinationId = newId();
  await keepUserAccount(database(), sellerUserId, [destinationId], await beginRead(database()));
  return { operator: await createPerson("operator"), sellerUserId, destinationId };
}

/** Connects a seller of this status, whose account Harbor does not know yet. */
export async function connectSeller({ status }: { status: string }): Promise<{ id: string; person: Person }> {
  const person = await createPerson();
  const id = newId();
  const record = { status, userType: "personal", firstName: "Marta", lastName: "Quay" };
  await connectServiceUser(database(), { id, personId: person.id, ...record }, await beginRead(database()));
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  await storeTokenPair(database(), id, pair);
  return { id, person };
}

/** The form as an operator fills it in. */
export function routineFormOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  const filled = { idempotencyKey: crypto.randomUUID(), sourceId: newId(), amount: "12.50", name: "Lamps", ...fields };
  for (const [name, value] of Object.entries(filled)) form.set(name, value);
  return form;
}
