import * as z from "zod/mini";
import { customersUrl, provider, redirectUri, redirectUris, webAddress } from "./client-settings.ts";
import { limits } from "./limits.ts";
import { fundedAmount } from "./money.ts";
import { reasonByHand, userIntentFields } from "./people.ts";
import { userStatuses } from "./statuses.ts";
import { identifier, openEnum, text, timestamp, uuid } from "./text.ts";

// The operator's API (Decision D23). `npm run client` takes the same fields as options.

/** `dry_run` checks everything and changes nothing. */
const envelope = { by: text(limits.operatorCharactersMax), dry_run: z._default(z.boolean(), false) };
export type ChangeEnvelope = { by: string; dry_run: boolean };

const clientId = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/, "Must be 1 to 200 letters, digits, dots, dashes or underscores."),
  );

/** `provider` defaults to the client's id. */
export const clientCreation = z
  .strictObject({
    ...envelope,
    client_id: clientId,
    name: text(limits.nameCharactersMax),
    redirect_uris: z._default(redirectUris, []),
    provider: z.optional(provider),
    customers_url: z._default(z.nullable(customersUrl), null),
    webhook_url: z._default(z.nullable(webAddress), null),
    trusted_authentication: z._default(z.boolean(), false),
  })
  .check(
    z.refine(({ trusted_authentication: isOn, customers_url }) => !isOn || customers_url !== null, {
      message: "Trusted authentication calls the client's customer endpoint: set its address too.",
      path: ["customers_url"],
    }),
  );

export const secretKinds = ["client", "webhook", "customer_endpoint"] as const;
/**
 * The old secret stays valid for another day, unless `at_once`. A customer endpoint has one secret at a time, so `value`
 * can be one that the endpoint already accepts.
 */
export const secretRotation = z
  .strictObject({
    ...envelope,
    secret: z.enum(secretKinds),
    at_once: z._default(z.boolean(), false),
    value: z.optional(
      z
        .string()
        .check(
          z.regex(/^[A-Za-z0-9\-._~+/]{32,200}=*$/, "Must be 32 to 200 characters: only letters, digits and -._~+/."),
        ),
    ),
  })
  .check(
    z.refine(({ secret, value }) => value === undefined || secret === "customer_endpoint", {
      message: "Only the customer endpoint's secret can be given; the others are generated.",
      path: ["value"],
    }),
  );

export const redirectsChange = z
  .strictObject({
    ...envelope,
    add: z._default(z.array(redirectUri), []),
    remove: z._default(z.array(z.string()), []),
  })
  .check(
    z.refine(({ add, remove }) => add.length + remove.length > 0, {
      message: "Name an address to add or to remove.",
      path: ["add"],
    }),
  );

/** Webhooks are held while `url` is null. */
export const webhookChange = z.strictObject({ ...envelope, url: z.nullable(webAddress) });

/** Omitted fields keep their values. */
export const trustedChange = z.strictObject({
  ...envelope,
  enabled: z.boolean(),
  provider: z.optional(provider),
  customers_url: z.optional(customersUrl),
});

/** Opening the client's business needs all four fields; a later change needs only those that change. */
export const businessChange = z
  .strictObject({
    ...envelope,
    first_name: z.optional(userIntentFields.first_name),
    last_name: z.optional(userIntentFields.last_name),
    email: z.optional(userIntentFields.email),
    phone: z.optional(userIntentFields.phone),
  })
  .check(
    z.refine(({ first_name, last_name, email, phone }) => first_name ?? last_name ?? email ?? phone, {
      message: "Name at least one field to change.",
      path: ["first_name"],
    }),
  );

const isTrimmed = (value: string) => value === value.trim();
const notTrimmed = "Must not begin or end with a space.";

/**
 * Incoming money: `treasury` names the account it comes from, `reference` the payment. A pasted space must not make either
 * another one.
 */
export const clientFunding = z
  .strictObject({
    ...envelope,
    amount: fundedAmount,
    treasury: text(limits.nameCharactersMax),
    reference: text(limits.referenceCharactersMax),
    account_id: z.optional(uuid),
  })
  .check(
    z.refine(({ treasury }) => isTrimmed(treasury), { message: notTrimmed, path: ["treasury"] }),
    z.refine(({ reference }) => isTrimmed(reference), { message: notTrimmed, path: ["reference"] }),
  );

/** Reverses the funding posted under this reference, for example when a wire is recalled. */
export const fundingReversal = z.strictObject({ ...envelope, reference: text(limits.referenceCharactersMax) });

export const personDecision = z
  .strictObject({
    ...envelope,
    user_intent_id: z.optional(uuid),
    user_id: z.optional(uuid),
    status: z.enum(userStatuses),
    rejection_reasons: z.optional(z.array(reasonByHand)),
  })
  .check(
    z.refine(({ user_intent_id, user_id }) => (user_intent_id === undefined) !== (user_id === undefined), {
      message: "Name either a user intent or a user.",
      path: ["user_id"],
    }),
    z.refine(({ user_id, status }) => user_id !== undefined || status !== "suspended", {
      message: "Only a user can be suspended.",
      path: ["status"],
    }),
    z.refine(({ status, rejection_reasons }) => rejection_reasons === undefined || status === "rejected", {
      message: "Only a rejection can have reasons.",
      path: ["rejection_reasons"],
    }),
  );

export const photoIdView = z.strictObject({ ...envelope, user_id: uuid });

/** Either one webhook, or all created at or after `since` and before `until`. */
export const redelivery = z
  .strictObject({
    ...envelope,
    webhook_id: z.optional(uuid),
    since: z.optional(timestamp),
    until: z.optional(timestamp),
  })
  .check(
    z.refine(({ webhook_id, since }) => (webhook_id === undefined) !== (since === undefined), {
      message: "Name either a webhook or a time.",
      path: ["since"],
    }),
    z.refine(
      ({ since, until }) => until === undefined || (since !== undefined && Date.parse(since) < Date.parse(until)),
      {
        message: "Must be later than since.",
        path: ["until"],
      },
    ),
  );

export const clientSwitch = z.strictObject(envelope);

/** Only this response shows `secrets`. Only a photo ID view has `photo`. A dry run has neither. */
export const clientChange = z.object({
  change_id: identifier,
  client_id: z.string(),
  action: z.string(),
  by: z.string(),
  dry_run: z.boolean(),
  details: z.record(z.string(), z.unknown()),
  secrets: z.optional(z.record(z.string(), z.string())),
  photo: z.optional(z.base64()),
});
export type ClientChange = z.infer<typeof clientChange>;

const changeNote = z.object({
  change_id: identifier,
  action: z.string(),
  by: z.string(),
  via: openEnum(["command", "listener"]),
  details: z.record(z.string(), z.unknown()),
  changed_at: timestamp,
});

/**
 * A client without its secrets, with its newest changes and its undecided people. Screening may still decide people who
 * are in it; an operator must decide the others.
 */
export const managedClient = z.object({
  client_id: z.string(),
  name: z.string(),
  created_at: timestamp,
  disabled_at: z.nullable(timestamp),
  previous_secret_expires_at: z.nullable(timestamp),
  redirect_uris: z.array(z.string()),
  trusted_authentication: z.boolean(),
  provider: z.string(),
  customers_url: z.nullable(z.string()),
  business_profile_id: identifier,
  webhook: z.object({
    url: z.nullable(z.string()),
    failing_since: z.nullable(timestamp),
    disabled_at: z.nullable(timestamp),
    previous_secret_expires_at: z.nullable(timestamp),
  }),
  business: z.nullable(
    z.object({
      user_id: identifier,
      status: openEnum(userStatuses),
      first_name: z.string(),
      last_name: z.string(),
      email: z.string(),
      phone: z.string(),
      accounts: z.array(
        z.object({
          id: identifier,
          name: z.string(),
          status: openEnum(["open", "closed"]),
          current_balance: z.number(),
          available_balance: z.number(),
        }),
      ),
    }),
  ),
  treasuries: z.array(z.object({ id: identifier, name: z.string(), balance: z.number() })),
  undecided: z.array(
    z.object({
      user_intent_id: identifier,
      user_id: z.nullable(identifier),
      in_screening: z.boolean(),
      created_at: timestamp,
    }),
  ),
  changes: z.array(changeNote),
});
export type ManagedClient = z.infer<typeof managedClient>;

/** In the order of ids; `next` is null on the last page. */
export const managedClientList = z.object({
  clients: z.array(z.object({ client_id: z.string(), name: z.string(), disabled_at: z.nullable(timestamp) })),
  next: z.nullable(z.string()),
});
export type ManagedClientList = z.infer<typeof managedClientList>;
