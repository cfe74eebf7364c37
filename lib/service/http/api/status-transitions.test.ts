import { describe, expect, test } from "vitest";
import {
  canFollow,
  routineStatusOfTransfer,
  transferStatuses,
  transitions,
  type UserIntentStatus,
  userIntentStatuses,
  userStatuses,
} from "../../../contract/statuses.ts";
import { convertUserIntent } from "../../operations/people/convert-user-intent.ts";
import { inTransaction } from "../../storage/database.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { bodiesOf } from "../../testing/deliveries.ts";
import { insertTestIntent, insertTestUser } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";

// Every transition from every status (Decision D7), over HTTP, against the contract's table.

const pairsOf = <Status extends string>(statuses: readonly Status[]) =>
  statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

describe("a user intent", () => {
  test.each(pairsOf(userIntentStatuses))("%s -> %s", async (from, to) => {
    const client = await createTestClient();
    const { call, clientId } = client;
    const id = await intentIn(from, client);
    const answer = await call("POST", `/sandbox/user_intents/${id}/status`, { body: { status: to } });
    // Becoming a user is the person's own step, not a decision.
    const isLegal = canFollow("userIntent", from, to) && to !== "converted_to_user";
    expect(answer.status).toBe(isLegal ? 200 : 409);
    expect((await call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe(isLegal ? to : from);
    const announced = ["user_intent_updated", ...(from === "converted_to_user" ? ["user_updated"] : [])];
    const isAnnounced = isLegal && (to === "approved" || to === "rejected");
    expect((await bodiesOf({ clientId })).map((body) => Object(body).webhook_type)).toEqual(
      isAnnounced ? announced : [],
    );
  });

  test.each(userIntentStatuses)("%s, when its person authenticates: a user with the intent's status", async (from) => {
    const client = await createTestClient();
    const { call, clientId } = client;
    const id = await intentIn(from, client);
    const conversion = await inTransaction((tx) => convertUserIntent(tx, id));
    expect(conversion).toMatchObject({
      kind: "user",
      user: { status: from === "converted_to_user" ? "pending" : from },
    });
    expect((await call("GET", `/v1/user_intent/${id}`)).json["status"]).toBe("converted_to_user");
    expect(await bodiesOf({ clientId })).toEqual([]);
  });
});

describe("a user", () => {
  test.each(pairsOf(userStatuses))("%s -> %s", async (from, to) => {
    const client = await createTestClient();
    const { call, clientId } = client;
    const { userId } = await insertTestUser(client, { status: from });
    const answer = await call("POST", `/sandbox/users/${userId}/status`, { body: { status: to } });
    const isLegal = canFollow("user", from, to);
    expect(answer.status).toBe(isLegal ? 200 : 409);
    const users = (await call("GET", "/sandbox/users")).json["users"];
    const status = isLegal ? to : from;
    const kyc_type = status === "approved" ? "verified" : expect.any(String);
    expect(users).toContainEqual(expect.objectContaining({ id: userId, status, kyc_type }));
    const announced = { webhook_type: "user_updated", user_id: userId, resource_id: userId };
    expect(await bodiesOf({ clientId })).toMatchObject(isLegal ? [announced] : []);
  });
});

describe("a transfer, and the routine that follows it", () => {
  test.each(pairsOf(transferStatuses))("%s -> %s", async (from, to) => {
    const { call, clientId, businessToken: bearer, operatingId, walletId } = await createClientWithSeller();
    const body = { name: "Payout", amount: 7.12, source_id: operatingId, destination_id: walletId };
    const { json } = await call("POST", "/v1/routines/book", { bearer, body });
    const path = `/sandbox/transfers/${json["transfer_id"]}/status`;
    if (from !== "pending") await call("POST", path, { body: { status: from } });
    const before = (await bodiesOf({ clientId })).length;

    const answer = await call("POST", path, { body: { status: to } });
    const isLegal = canFollow("transfer", from, to);
    expect(answer.status).toBe(isLegal ? 200 : 409);
    const status = isLegal ? to : from;
    const transfer = await call("GET", `/v1/transfers/${json["transfer_id"]}`, { bearer });
    expect(transfer.json["status"]).toBe(status);
    const routine = await call("GET", `/v1/routines/${json["id"]}`, { bearer });
    const routineStatus = routineStatusOfTransfer[status];
    expect(routine.json).toMatchObject({ status: routineStatus, active: routineStatus === "active" });
    expect(isLegal && !canFollow("routine", "active", routineStatus)).toBe(false);
    const types = (await bodiesOf({ clientId })).slice(before).map((event) => Object(event).webhook_type);
    expect(types.sort()).toEqual(isLegal ? ["routine_updated", "transfer_updated"] : []);
  });

  test("the tables contain every status", () => {
    expect(Object.keys(transitions.transfer)).toEqual([...transferStatuses]);
    expect(Object.keys(transitions.userIntent)).toEqual([...userIntentStatuses]);
    expect(Object.keys(transitions.user).sort()).toEqual([...userStatuses].sort());
  });
});

async function intentIn(status: UserIntentStatus, client: TestClient): Promise<string> {
  const isConverted = status === "converted_to_user";
  const { userIntentId: id = "" } = await insertTestIntent(client, { status: isConverted ? "pending" : status });
  if (isConverted) await inTransaction((tx) => convertUserIntent(tx, id));
  return id;
}
