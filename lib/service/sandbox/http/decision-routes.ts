import * as z from "zod/mini";
import { userIntentRecord, userRecord } from "../../../contract/people.ts";
import { userDecision, userIntentDecision, userIntentList, userList } from "../../../contract/sandbox.ts";
import { uuid } from "../../../contract/text.ts";
import { presentUser, presentUserIntent } from "../../http/api/people-routes.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { refuse } from "../../http/frame/refusal.ts";
import { readUserIntent } from "../../operations/people/create-user-intent.ts";
import { decideUser, decideUserIntent } from "../../operations/people/decide-person.ts";
import { listUserIntents, listUsers } from "../list-people.ts";

const byId = z.object({ id: uuid });

const listUserIntentsRoute = defineRoute({
  operation: "listSandboxUserIntents",
  method: "GET",
  path: "/sandbox/user_intents",
  who: "client",
  documentation: {
    summary: "List user intents",
    answer: { status: 200, body: userIntentList },
  },
  handle: async ({ caller: { client } }) => {
    const intents = await listUserIntents(client.id);
    return { status: 200, body: { user_intents: intents.map(presentUserIntent) } };
  },
});

const decideUserIntentRoute = defineRoute({
  operation: "decideUserIntent",
  method: "POST",
  path: "/sandbox/user_intents/:id/status",
  who: "client",
  params: byId,
  body: userIntentDecision,
  documentation: {
    summary: "Decide a user intent",
    answer: { status: 200, body: userIntentRecord },
    refusals: ["illegal_transition"],
  },
  handle: async ({ caller: { client }, params: { id }, body }) => {
    const { status, rejection_reasons: rejectionReasons = [] } = body;
    const ofClient = { id, clientId: client.id };
    const outcome = await decideUserIntent(ofClient, { status, rejectionReasons });
    if (outcome.kind === "illegal_transition") return refuse("illegal_transition");
    const decided = outcome.kind === "decided" ? await readUserIntent(ofClient) : undefined;
    return decided ? { status: 200, body: presentUserIntent(decided) } : refuse("not_found");
  },
});

const listUsersRoute = defineRoute({
  operation: "listSandboxUsers",
  method: "GET",
  path: "/sandbox/users",
  who: "client",
  documentation: {
    summary: "List users",
    answer: { status: 200, body: userList },
  },
  handle: async ({ caller: { client } }) => {
    return { status: 200, body: { users: (await listUsers(client.id)).map(presentUser) } };
  },
});

const decideUserRoute = defineRoute({
  operation: "decideUser",
  method: "POST",
  path: "/sandbox/users/:id/status",
  who: "client",
  params: byId,
  body: userDecision,
  documentation: {
    summary: "Decide a user",
    answer: { status: 200, body: userRecord },
    refusals: ["illegal_transition"],
  },
  handle: async ({ caller: { client }, params: { id }, body, traceId }) => {
    const { status, rejection_reasons: rejectionReasons = [] } = body;
    const outcome = await decideUser({ id, clientId: client.id, traceId }, { status, rejectionReasons });
    return outcome.kind === "decided" ? { status: 200, body: presentUser(outcome.user) } : refuse(outcome.kind);
  },
});

/** People and decisions about them, by hand. Decision D16 */
export const sandboxPeopleRoutes: Route[] = [
  listUserIntentsRoute,
  decideUserIntentRoute,
  listUsersRoute,
  decideUserRoute,
];
