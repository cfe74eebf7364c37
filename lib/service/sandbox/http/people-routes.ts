import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import { phone, userIntentRecord, userRecord } from "../../../contract/people.ts";
import {
  type MessageList,
  messageList,
  userDecision,
  userIntentDecision,
  userIntentList,
  userList,
  type VisitList,
  visitList,
} from "../../../contract/sandbox.ts";
import { uuid } from "../../../contract/text.ts";
import { presentUser, presentUserIntent } from "../../http/api/people-routes.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { refuse } from "../../http/frame/refusal.ts";
import { readUserIntent } from "../../operations/people/create-user-intent.ts";
import { decideUser, decideUserIntent } from "../../operations/people/decide-person.ts";
import { database } from "../../storage/database.ts";
import { listUserIntents, listUsers } from "../../storage/people.ts";
import { type ListedVisit, listVisits } from "../../storage/visits.ts";
import { readMessages } from "../visit-tools.ts";

const byId = z.object({ id: uuid });
const newestOf = (client: { id: string }) => ({ clientId: client.id, limit: limits.pageSizeMax });

const listUserIntentsRoute = defineRoute({
  operation: "listSandboxUserIntents",
  method: "GET",
  path: "/sandbox/user_intents",
  who: "client",
  documentation: {
    summary: "List user intents",
    description: `The newest ${limits.pageSizeMax}, newest first.`,
    answer: { status: 200, body: userIntentList },
  },
  handle: async ({ caller: { client } }) => {
    const intents = await listUserIntents(database(), newestOf(client));
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
    description: `The newest ${limits.pageSizeMax}, newest first.`,
    answer: { status: 200, body: userList },
  },
  handle: async ({ caller: { client } }) => {
    return { status: 200, body: { users: (await listUsers(database(), newestOf(client))).map(presentUser) } };
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

const listVisitsRoute = defineRoute({
  operation: "listSandboxVisits",
  method: "GET",
  path: "/sandbox/visits",
  who: "client",
  documentation: {
    summary: "List visits to the authorization pages",
    description: `The newest ${limits.pageSizeMax}, newest first, each with the person's last page.`,
    answer: { status: 200, body: visitList },
  },
  handle: async ({ caller: { client } }) => {
    const body: VisitList = { visits: (await listVisits(database(), newestOf(client))).map(presentVisit) };
    return { status: 200, body };
  },
});

const listMessagesRoute = defineRoute({
  operation: "listSandboxMessages",
  method: "GET",
  path: "/sandbox/messages",
  who: "client",
  query: z.strictObject({ phone }),
  documentation: {
    summary: "List texts sent to a phone",
    description: "Newest first, including verification codes.",
    answer: { status: 200, body: messageList },
  },
  handle: async ({ caller, query }) => {
    const messages = await readMessages(caller.client.id, query.phone);
    const body: MessageList = {
      messages: messages.map(({ id, phone, text, sentAt }) => ({ id, phone, text, sent_at: sentAt })),
    };
    return { status: 200, body };
  },
});

/** People, their decisions, visits, and texts. Decision D16 */
export const sandboxPeopleRoutes: Route[] = [
  listUserIntentsRoute,
  decideUserIntentRoute,
  listUsersRoute,
  decideUserRoute,
  listVisitsRoute,
  listMessagesRoute,
];

function presentVisit({ finishedAt, isExpired, ...visit }: ListedVisit): VisitList["visits"][number] {
  return {
    id: visit.id,
    user_intent_id: visit.userIntentId,
    user_id: visit.userId,
    status: finishedAt ? "finished" : isExpired ? "expired" : "open",
    step: visit.step,
    redirect_uri: visit.redirectUri,
    trace_id: visit.traceId,
    created_at: visit.createdAt.toISOString(),
    expires_at: visit.expiresAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
