import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser, storeUserSnapshot } from "../storage/service-users.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { createPerson } from "./people.ts";

/** A connected business: its operator, and a seller who can be paid. */
export type ConnectedBusiness = { operator: Person; sellerUserId: string; destinationId: string };

/** Connects the business and one seller, as two authorizations would. */
export async function connectBusiness(): Promise<ConnectedBusiness> {
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  await storeTokenPair(partner().config.keyring, partner().db, partner().config.businessUserId, pair);
  const { id: sellerUserId } = await connectSeller({ status: "approved" });
  const destinationId = newId();
  await storeUserSnapshot(
    partner().db,
    sellerUserId,
    { usableAccountIds: [destinationId] },
    await beginRead(partner().db),
  );
  return { operator: await createPerson({ role: "operator" }), sellerUserId, destinationId };
}

/** Connects a seller with this status, whose account Harbor doesn't know yet. */
export async function connectSeller({ status }: { status: string }): Promise<{ id: string; person: Person }> {
  const person = await createPerson();
  const id = newId();
  const record = { status, userType: "personal", firstName: "Marta", lastName: "Quay" };
  await connectServiceUser(partner().db, { id, personId: person.id, ...record }, await beginRead(partner().db));
  const pair = { access_token: newId(), refresh_token: newId(), token_type: "Bearer", expires_in: 7200 };
  await storeTokenPair(partner().config.keyring, partner().db, id, pair);
  return { id, person };
}
