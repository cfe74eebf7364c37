import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";

/** The spec clause behind an event, by its id (lab/clauses). Ids that start with `I.` are published. */
export function clauseOf(event: SandboxEvent): string | undefined {
  switch (event.kind) {
    case "call":
      return event.operation === "issueTokens" && event.facts.grant_type === "refresh_token"
        ? "I.post-v1-oauth-token.2"
        : clauseOfOperation[event.operation];
    case "visit":
      return "I.authorization-web-page.1";
    case "customer":
      return "I.get-v1-customers-{customer-id}.1";
    case "delivery":
      return clauseOfWebhook[event.webhook_type.replace(/_updated$/, "")];
    case "control":
      return ofControl.find(([path]) => path.test(event.path.slice("/sandbox/".length)))?.[1];
  }
}

/** By the operation ids of the OpenAPI document. */
export const clauseOfOperation: Record<string, string> = {
  createUserIntent: "I.post-v1-user-intent.1",
  readUserIntent: "D6.3",
  readUser: "I.get-v1-user.1",
  issueTokens: "I.post-v1-oauth-token.1",
  revokeToken: "D10.5",
  describeAuthorizationServer: "D10.5",
  verifyPartnerIdentity: "I.post-v1-partner-identity-verification.1",
  listAccounts: "D12.1",
  getAccount: "D12.1",
  createBookRoutine: "I.create-a-book-transfer-routine.1",
  voidBookRoutine: "D13.14",
  listRoutines: "D13.4",
  getRoutine: "I.get-v1-routines-{id}.1",
  listTransfers: "D13.5",
  getTransfer: "I.get-v1-transfers-{transfer-id}.1",
};

/** By the resource that changed. */
export const clauseOfWebhook: Record<string, string> = {
  user_intent: "I.events.2",
  user: "I.events.3",
  routine: "I.events.4",
  transfer: "I.events.5",
};

// Longer prefixes first.
const ofControl = [
  [/^clock/, "D16.1"],
  [/^users\/[^/]+\/tokens\//, "D16.14"],
  [/^user/, "D16.2"],
  [/^transfers/, "D16.3"],
  [/^accounts/, "D16.4"],
  [/^webhook_faults/, "D16.9"],
  [/^webhook/, "D16.7"],
  [/^faults/, "D16.8"],
  [/^clients/, "D16.11"],
  [/^client/, "D16.10"],
] as const;
