import type { CreateUserIntentRequest } from "../../contract/people.ts";
import type { UserIntentStatus, UserStatus } from "../../contract/statuses.ts";
import { newId } from "../../kit/ids.ts";
import { encryptBytes, encryptText } from "../../kit/secrets.ts";
import { newPhone } from "../../kit/testing/phones.ts";
import { serviceConfig } from "../config.ts";
import { clientTimeOfInsert } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { identityContext } from "../storage/people.ts";
import { userIntents, users } from "../storage/schema.ts";
import { insertIdentitySubmission, submissionContext } from "../storage/screenings.ts";
import type { ClientKey, TestClient } from "./clients.ts";

/** An intent or a user. */
export type TestPerson = { phone: string; email: string } & (
  | { userIntentId: string; userId?: never }
  | { userId: string; userIntentId?: never }
);

/** A valid body of a user intent, with changes. */
export function personDetails(changes: Partial<CreateUserIntentRequest> = {}): CreateUserIntentRequest {
  return {
    first_name: "Grace",
    last_name: "O’Malley",
    date_of_birth: "1990-01-31",
    ssn: "123456789",
    phone: "+12025550123",
    email: "grace@example.com",
    address1: "12 Quay Street",
    city: "Portland",
    state: "OR",
    postal_code: "97201",
    ip_address: "203.0.113.7",
    ...changes,
  };
}

/** Creates an intent through the API, which queues its screening, and returns its id. */
export async function createIntent(
  client: Pick<TestClient, "call">,
  details: CreateUserIntentRequest = personDetails({ phone: newPhone() }),
): Promise<{ id: string }> {
  const { status, json, text } = await client.call("POST", "/v1/user_intent", { body: details });
  if (status !== 201) throw new Error(`The intent wasn't created: ${text}`);
  return { id: String(json["id"]) };
}

/** An intent with this status: the row alone, without a screening. */
export async function insertTestIntent(
  { clientId }: ClientKey,
  { status = "approved", phone = newPhone(), email = "ada@example.com" }: Partial<TestIntent> = {},
): Promise<TestPerson> {
  const userIntentId = newId();
  const now = clientTimeOfInsert(clientId);
  const { keyring } = serviceConfig();
  const { date_of_birth, ssn, address1, city, state, postal_code, ip_address } = personDetails({ phone });
  const identity = { date_of_birth, ssn, address1, city, state, postal_code, ip_address };
  await database()
    .insert(userIntents)
    .values({
      id: userIntentId,
      clientId,
      status,
      firstName: "Ada",
      lastName: "Lovelace",
      email,
      phone,
      identityEncrypted: await encryptText(JSON.stringify(identity), identityContext(userIntentId), keyring),
      traceId: "0".repeat(31).concat("1"),
      createdAt: now,
      updatedAt: now,
    });
  return { userIntentId, phone, email };
}

type TestIntent = { status: UserIntentStatus; phone: string; email: string };

/** A personal user without an account. */
export async function insertTestUser(
  { clientId }: ClientKey,
  { status = "approved" }: { status?: UserStatus } = {},
): Promise<TestPerson & { userId: string }> {
  const person = { userId: newId(), phone: newPhone(), email: "grace@example.com" };
  const { userId: id, phone, email } = person;
  const now = clientTimeOfInsert(clientId);
  const row = {
    id,
    clientId,
    userType: "personal" as const,
    status,
    firstName: "Grace",
    lastName: "Hopper",
    email,
    phone,
  };
  await database()
    .insert(users)
    .values({ ...row, createdAt: now, updatedAt: now });
  return person;
}

/** Stores a photo ID of this person and returns the submission's id. */
export async function insertTestPhotoId({ clientId }: ClientKey, userId: string, photo = testPhotoId): Promise<string> {
  const id = newId();
  const contentEncrypted = await encryptBytes(photo, submissionContext(id), serviceConfig().keyring);
  await insertIdentitySubmission(database(), { id, clientId, userId, kind: "document", stored: { contentEncrypted } });
  return id;
}

/** Starts like a JPEG. */
export const testPhotoId = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);
