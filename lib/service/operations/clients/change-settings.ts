import { limits } from "../../../contract/limits.ts";
import { clientSwitch, redirectsChange, trustedChange, webhookChange } from "../../../contract/operator.ts";
import { updateClient } from "../../storage/clients.ts";
import { updateWebhookUrl } from "../../storage/webhook-endpoints.ts";
import { type ClientChangeOperation, refused } from "./audited-change.ts";
import { findReceiverRefusal, findRedirectRefusal } from "./refuse-address.ts";

export const changeRedirects: ClientChangeOperation<typeof redirectsChange> = {
  action: "redirects",
  body: redirectsChange,
  apply: async (tx, { id, redirectUris }, { add, remove }) => {
    if (remove.some((uri) => !redirectUris.includes(uri))) return refused("remove", "This address is not registered.");
    for (const [index, uri] of add.entries()) {
      const problem = findRedirectRefusal(uri);
      if (problem) return refused(`add.${index}`, problem);
    }
    const kept = redirectUris.filter((uri) => !remove.includes(uri));
    if (new Set([...kept, ...add]).size < kept.length + add.length) {
      return refused("add", "This address is already registered.");
    }
    const changed = [...kept, ...add];
    if (changed.length > limits.redirectUrisMax) {
      return refused("add", `A client has at most ${limits.redirectUrisMax} addresses.`);
    }
    await updateClient(tx, id, { redirectUris: changed });
    return { kind: "applied", details: { added: add, removed: remove, redirect_uris: changed } };
  },
};

/** Sets the webhook address, for waiting webhooks too, and enables a disabled endpoint. */
export const changeWebhook: ClientChangeOperation<typeof webhookChange> = {
  action: "webhook",
  body: webhookChange,
  apply: async (tx, { id: clientId }, { url }) => {
    const problem = url === null ? undefined : findReceiverRefusal(url);
    if (problem) return refused("url", problem);
    await updateWebhookUrl(tx, { clientId, url });
    return { kind: "applied", details: { url } };
  },
};

/** Turns trusted authentication on or off, and sets its provider and customer endpoint. */
export const changeTrusted: ClientChangeOperation<typeof trustedChange> = {
  action: "trusted",
  body: trustedChange,
  apply: async (tx, client, { enabled, provider = client.provider, customers_url: named }) => {
    const customers_url = named ?? client.customersUrl;
    if (enabled && customers_url === null) {
      return refused(
        "customers_url",
        "Trusted authentication calls the client's customer endpoint: set its address too.",
      );
    }
    // A client whose address is no longer valid can still be turned off.
    const called = enabled ? customers_url : named;
    const problem = called && findReceiverRefusal(called);
    if (problem) return refused("customers_url", problem);
    const settings = { isTrustedAuthenticationEnabled: enabled, provider, customersUrl: customers_url };
    await updateClient(tx, client.id, settings);
    return { kind: "applied", details: { enabled, provider, customers_url } };
  },
};

export const enableClient: ClientChangeOperation<typeof clientSwitch> = {
  action: "enable",
  body: clientSwitch,
  apply: async (tx, { id, disabledAt }) => {
    if (!disabledAt) return refused("client_id", "This client is already enabled.");
    await updateClient(tx, id, { disabledAt: null });
    return { kind: "applied", details: { disabled_since: disabledAt.toISOString() } };
  },
};

/** From now on, refuses the client's credentials and tokens. Pending transfers still settle and send webhooks. */
export const disableClient: ClientChangeOperation<typeof clientSwitch> = {
  action: "disable",
  body: clientSwitch,
  apply: async (tx, { id, disabledAt }) => {
    if (disabledAt) return refused("client_id", "This client is already disabled.");
    await updateClient(tx, id, { disabledAt: new Date() });
    return { kind: "applied", details: {} };
  },
};
