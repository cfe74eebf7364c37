import { randomInt } from "node:crypto";
import type { CreateUserIntentRequest } from "../../contract/user-intent.ts";
import type { FreshClient } from "./fresh-client.ts";

/** A US phone number that no other person of the tests has. */
export function newPhone(): string {
  return `+1${randomInt(200, 1000)}${String(randomInt(10_000_000)).padStart(7, "0")}`;
}

/** The body of a user intent that is fine as it stands, changed as told. */
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

/** Creates an intent through the API and returns its id. */
export async function createIntent(
  client: FreshClient,
  details: CreateUserIntentRequest = personDetails({ phone: newPhone() }),
): Promise<{ id: string }> {
  const { status, json, text } = await client.call("POST", "/v1/user_intent", { body: details });
  if (status !== 201) throw new Error(`The intent was not created: ${text}`);
  return { id: String(json["id"]) };
}
