import { html } from "hono/html";
import type { Html } from "./markup.ts";

/** Where an operation or event comes from: a section of the published interface, or a decision of ours. */
type Clause = { published: string } | { decision: string };

const clauses: Record<string, Clause> = {
  createUserIntent: { published: "POST /v1/user_intent" },
  readUserIntent: { decision: "D6" },
  readUser: { published: "GET /v1/user" },
  openAuthorizationPage: { published: "Authorization web page" },
  issueTokens: { published: "POST /v1/oauth/token" },
  revokeToken: { decision: "D10" },
  describeAuthorizationServer: { decision: "D10" },
  verifyPartnerIdentity: { published: "POST /v1/partner/identity/verification" },
  readCustomer: { published: "GET /v1/customers/{customer_id}" },
  listAccounts: { decision: "D12" },
  getAccount: { decision: "D12" },
  createBookRoutine: { published: "Create a book transfer routine" },
  voidBookRoutine: { decision: "D13" },
  listRoutines: { decision: "D13" },
  getRoutine: { published: "GET /v1/routines/{id}" },
  listTransfers: { decision: "D13" },
  getTransfer: { published: "GET /v1/transfers/{transfer_id}" },
  userIntentUpdated: { published: "Events" },
  userUpdated: { published: "Events" },
  routineUpdated: { published: "Events" },
  transferUpdated: { published: "Events" },
};

const ofSandbox: Clause = { decision: "D16" };

/** What an operation rests on; undefined for one that nobody has looked up. */
export function clauseOf(operationId: string, path: string): Clause | undefined {
  return path.startsWith("/sandbox/") ? ofSandbox : clauses[operationId];
}

/** The badge beside an operation: published, or our decision, and which. */
export function clauseBadge(operationId: string, path: string): Html | "" {
  const clause = clauseOf(operationId, path);
  if (!clause) return "";
  return "published" in clause
    ? html`<span class="badge published" title="Section &quot;${clause.published}&quot; of the published interface">Published</span>`
    : html`<span class="badge decided" title="Decision ${clause.decision}: the published interface leaves this open">Our decision ${clause.decision}</span>`;
}
