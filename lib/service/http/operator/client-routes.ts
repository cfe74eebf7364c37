import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import { amountFromCents } from "../../../contract/money.ts";
import {
  type ChangeEnvelope,
  type ClientChange,
  clientChange,
  clientCreation,
  type ManagedClient,
  type ManagedClientList,
  managedClient,
  managedClientList,
} from "../../../contract/operator.ts";
import {
  type AppliedChange,
  type ChangeOrigin,
  type ChangeRefusal,
  type ClientChangeOperation,
  changeClient,
} from "../../operations/clients/audited-change.ts";
import { changeBusiness } from "../../operations/clients/change-business.ts";
import {
  changeRedirects,
  changeTrusted,
  changeWebhook,
  disableClient,
  enableClient,
} from "../../operations/clients/change-settings.ts";
import { createClient } from "../../operations/clients/create-client.ts";
import { decideByHand } from "../../operations/clients/decide-by-hand.ts";
import { fundClient, reverseFunding } from "../../operations/clients/fund-client.ts";
import { type ClientOverview, listClients, readClient } from "../../operations/clients/read-clients.ts";
import { redeliverWebhooks } from "../../operations/clients/redeliver-webhooks.ts";
import { rotateSecret } from "../../operations/clients/rotate-secret.ts";
import { viewPhotoId } from "../../operations/clients/view-photo-id.ts";
import type { Reply } from "../frame/answer-request.ts";
import { defineRoute, type Route } from "../frame/define-route.ts";
import { pageQuery } from "../frame/read-request.ts";
import { type Refusal, refuse, refuseFields } from "../frame/refusal.ts";

// PostgreSQL text can't hold NUL.
const clientId = z.string().check(
  z.maxLength(limits.clientIdCharactersMax),
  z.refine((id) => !id.includes("\0")),
);
const byClient = z.object({ client_id: clientId });

const listRoute = defineRoute({
  operation: "listClients",
  method: "GET",
  path: "/clients",
  who: "operator",
  query: z.strictObject({
    limit: pageQuery({ limit: limits.pageSizeDefault, limitMax: limits.pageSizeMax }).limit,
    starting_after: z.optional(clientId),
  }),
  documentation: { summary: "List clients", answer: { status: 200, body: managedClientList } },
  handle: async ({ query: { limit, starting_after } }) => {
    const found = await listClients({ limit, startingAfter: starting_after });
    return { status: 200, body: presentClients(found) };
  },
});

const readRoute = defineRoute({
  operation: "readClient",
  method: "GET",
  path: "/clients/:client_id",
  who: "operator",
  params: byClient,
  documentation: {
    summary: "Read a client",
    description: `The client's settings, business, treasury accounts and newest ${limits.changesShown} changes, without secrets. \`undecided\` lists up to ${limits.pageSizeMax} people who are pending or have submitted what their status requires. Those not \`in_screening\` wait for a manual decision and come first; within each group, those who have waited longest. Decided people leave the list, which makes room for the next.`,
    answer: { status: 200, body: managedClient },
  },
  handle: async ({ params: { client_id } }) => {
    const found = await readClient(client_id);
    return found ? { status: 200, body: presentClient(found) } : refuse("not_found");
  },
});

const createRoute = defineRoute({
  operation: "createClient",
  method: "POST",
  path: "/clients",
  who: "operator",
  body: clientCreation,
  documentation: {
    summary: "Register a client",
    description:
      "Returns the client's three secrets, which aren't shown again. Open its business with a separate change.",
    answer: { status: 201, body: clientChange },
  },
  handle: async ({ body, traceId }) => answerChange(201, await createClient({ via: "listener", traceId }, body)),
});

/** A change by name, with its route. `request` is for the command; `read` parses the body or throws. */
export type NamedClientChange = {
  action: string;
  route: Route;
  request: (
    origin: ChangeOrigin,
    read: <Body extends z.ZodMiniType<ChangeEnvelope>>(body: Body) => z.output<Body>,
  ) => Promise<AppliedChange | ChangeRefusal>;
};

function named<Body extends z.ZodMiniType<ChangeEnvelope>>(
  change: ClientChangeOperation<Body>,
  { operation, ...words }: { operation: string; summary: string; description?: string },
): NamedClientChange {
  const { action, body } = change;
  const route = defineRoute({
    operation,
    method: "POST",
    path: `/clients/:client_id/${action}`,
    who: "operator",
    params: byClient,
    body,
    documentation: { ...words, answer: { status: 200, body: clientChange } },
    handle: async ({ params: { client_id }, body: requested, traceId }) =>
      answerChange(200, await changeClient(change, { clientId: client_id, via: "listener", traceId }, requested)),
  });
  return { action, route, request: (origin, read) => changeClient(change, origin, read(body)) };
}

export const clientChanges: readonly NamedClientChange[] = [
  named(rotateSecret, {
    operation: "rotateClientSecret",
    summary: "Replace a secret",
    description:
      "For one more day, the old client secret is accepted and webhooks are also signed with the old webhook secret, unless `at_once`. Within that day, replace it again only with `at_once`. The old customer endpoint secret stops working immediately.",
  }),
  named(changeRedirects, {
    operation: "changeClientRedirects",
    summary: "Register and remove redirect addresses",
  }),
  named(changeWebhook, {
    operation: "changeClientWebhook",
    summary: "Set where webhooks go",
    description:
      "Also applies to waiting webhooks, and re-enables a disabled endpoint. With null, webhooks wait for an address.",
  }),
  named(changeTrusted, {
    operation: "changeClientTrusted",
    summary: "Turn trusted authentication on or off",
    description: "Omitted settings stay the same.",
  }),
  named(changeBusiness, {
    operation: "changeClientBusiness",
    summary: "Open or change the business",
    description: "A new business is approved and gets an empty operating account; it needs all four fields.",
  }),
  named(fundClient, {
    operation: "fundClient",
    summary: "Post money that has arrived",
    description:
      "Posts two entries, from the named treasury account to the business's operating account or `account_id`. A `reference` is posted once: repeating the same payment returns the first response.",
  }),
  named(reverseFunding, {
    operation: "reverseFunding",
    summary: "Reverse a payment that was posted",
    description:
      "For a wire that was recalled or posted by mistake. Posts two opposite entries, once, and only if the amount is available. The reference can't be reused.",
  }),
  named(decideByHand, {
    operation: "decidePerson",
    summary: "Decide about a person",
    description:
      "Decides about a person whose screening was inconclusive, suspends an approved user, or ends a suspension.",
  }),
  named(viewPhotoId, {
    operation: "viewPhotoId",
    summary: "View a photo ID",
    description: `Returns the file as \`photo\`, in base64, and records who viewed whose photo. Refused if none was sent or it has been deleted: ${limits.photoIdDecidedDays} days after the newest decision about the person, or without one ${limits.photoIdUndecidedDays} days after the upload.`,
  }),
  named(redeliverWebhooks, {
    operation: "redeliverWebhooks",
    summary: "Send webhooks again",
    description: `One webhook, or all created at or after \`since\`, including delivered ones, at most ${limits.redeliveriesMax}.`,
  }),
  named(enableClient, { operation: "enableClient", summary: "Enable a client" }),
  named(disableClient, {
    operation: "disableClient",
    summary: "Disable a client",
    description:
      "Refuses the client's credentials and tokens from now on. Transfers in progress still settle and send webhooks.",
  }),
];

/** The routes of the operator's listener. */
export const operatorRoutes: Route[] = [listRoute, createRoute, readRoute, ...clientChanges.map(({ route }) => route)];

function answerChange(status: 200 | 201, outcome: AppliedChange | ChangeRefusal): Reply | Refusal {
  switch (outcome.kind) {
    case "made":
      return { status, body: presentChange(outcome) };
    case "refused":
      return refuseFields([{ field: outcome.field, message: outcome.message }]);
    case "not_found":
      return refuse("not_found");
  }
}

/** For the listener and the command. */
export function presentChange({
  changeId,
  clientId: id,
  action,
  by,
  isDryRun,
  ...change
}: AppliedChange): ClientChange {
  const { details, secrets, photo } = change;
  return {
    change_id: changeId,
    client_id: id,
    action,
    by,
    dry_run: isDryRun,
    details,
    ...(secrets && { secrets }),
    ...(photo && { photo: Buffer.from(photo).toString("base64") }),
  };
}

export function presentClients({ rows, next }: Awaited<ReturnType<typeof listClients>>): ManagedClientList {
  const clients = rows.map(({ id, name, disabledAt }) => ({ client_id: id, name, disabled_at: timeOf(disabledAt) }));
  return { clients, next };
}

export function presentClient({
  client,
  endpoint,
  business,
  treasuries,
  undecided,
  changes,
}: ClientOverview): ManagedClient {
  return {
    client_id: client.id,
    name: client.name,
    created_at: client.createdAt.toISOString(),
    disabled_at: timeOf(client.disabledAt),
    previous_secret_expires_at: timeOf(client.previousSecretEndsRealAt),
    redirect_uris: client.redirectUris,
    trusted_authentication: client.isTrustedAuthenticationEnabled,
    provider: client.provider,
    customers_url: client.customersUrl,
    business_profile_id: client.businessProfileId,
    webhook: {
      url: endpoint.url,
      failing_since: timeOf(endpoint.failingSince),
      disabled_at: timeOf(endpoint.disabledAt),
      previous_secret_expires_at: timeOf(endpoint.previousSecretExpiresAt),
    },
    business: business ? presentBusiness(business) : null,
    treasuries: treasuries.map(({ id, name, balanceCents }) => ({ id, name, balance: amountFromCents(balanceCents) })),
    undecided: undecided.map(({ userIntentId, userId, isInScreening, createdAt }) => ({
      user_intent_id: userIntentId,
      user_id: userId,
      in_screening: isInScreening,
      created_at: createdAt.toISOString(),
    })),
    changes: changes.map(({ id, action, operator, via, details, changedRealAt }) => ({
      change_id: id,
      action,
      by: operator,
      via,
      details,
      changed_at: changedRealAt.toISOString(),
    })),
  };
}

function presentBusiness({ user, accounts }: NonNullable<ClientOverview["business"]>): ManagedClient["business"] {
  return {
    user_id: user.id,
    status: user.status,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    phone: user.phone,
    accounts: accounts.map(({ id, name, status, balanceCents, heldCents }) => ({
      id,
      name,
      status,
      current_balance: amountFromCents(balanceCents),
      available_balance: amountFromCents(balanceCents - heldCents),
    })),
  };
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
