import type { CustomerRecord } from "../../contract/identity-verification.ts";
import type { RejectionReason } from "../../contract/people.ts";
import type { ScreeningAnswer, ScreeningQuestion } from "../../contract/providers.ts";
import type { SettlementOutcome } from "../domain/transfers.ts";
import type { CustomerLookup, Providers, ScreeningDecision } from "../providers.ts";
import { readClock } from "./clock.ts";
import { watch } from "./events/watch.ts";
import { redirectWithFault } from "./redirects.ts";
import { readDemoCredentials } from "./seed.ts";
import { visitTools } from "./visit-tools.ts";
import { startWithFaults } from "./webhooks.ts";

export const sandboxProviders: Providers = {
  showsTexts: true,
  sendText: undefined,
  screening: { ask: async (question) => answerOf(await decide(question)), poll: async () => ({ kind: "undecided" }) },
  settlement: undefined,
  photoIds: undefined,
  settlementOf,
  startDeliveries: startWithFaults,
  watch,
  demoCredentials: readDemoCredentials,
  visitTools,
  redirectWithFault,
  standInForCustomer,
};

/** A customer who has just signed in, by the client's clock. Decision D19 */
async function standInForCustomer({ clientId, customerId, phone }: CustomerLookup): Promise<CustomerRecord> {
  const { offsetSeconds } = await readClock(clientId);
  const lastAuthenticationTime = new Date(Date.now() + offsetSeconds * 1000).toISOString();
  return { customer_id: customerId, first_name: "Any", last_name: "Customer", phone, lastAuthenticationTime };
}

function decide(question: ScreeningQuestion): Promise<ScreeningDecision | undefined> {
  switch (question.kind) {
    case "identity":
      return screenIdentity(question.person);
    case "correction":
      return screenCorrection(question.person);
    case "photo_id":
      return screenPhotoId(question.photo);
  }
}

function answerOf(decision: ScreeningDecision | undefined): ScreeningAnswer {
  if (!decision) return { kind: "undecided" };
  const { status: kind, rejectionReasons: reasons } = decision;
  return kind === "rejected" ? { kind, reasons } : { kind };
}

/** How a transfer settles, by the cents of its amount: .11 fails, .12 waits for an operator (Decision D13). */
export function settlementOf(amountCents: number): SettlementOutcome {
  switch (amountCents % 100) {
    case 11:
      return "account_closed";
    case 12:
      return "by_hand";
    default:
      return "processed";
  }
}

/** Decides by the last four digits of the SSN (Decision D8); undefined when an operator must decide. */
export async function screenIdentity({ ssn }: { ssn: string }): Promise<ScreeningDecision | undefined> {
  switch (ssn.slice(-4)) {
    case "0001":
      return { status: "rejected", rejectionReasons: [identityNotVerified] };
    case "0002":
      return undefined;
    case "0003":
      return { status: "retry", rejectionReasons: [] };
    case "0004":
      return { status: "document", rejectionReasons: [] };
    default:
      return { status: "approved", rejectionReasons: [] };
  }
}

/** Screens corrected details the same way; a second retry becomes a rejection. */
export async function screenCorrection(corrected: { ssn: string }): Promise<ScreeningDecision | undefined> {
  const result = await screenIdentity(corrected);
  return result?.status === "retry" ? { status: "rejected", rejectionReasons: [identityNotVerified] } : result;
}

/** Approves any photo ID that was uploaded and decrypted. Decision D8 */
export async function screenPhotoId(_photo: Uint8Array): Promise<ScreeningDecision | undefined> {
  return { status: "approved", rejectionReasons: [] };
}

const identityNotVerified: RejectionReason = {
  code: "identity_not_verified",
  message: "We couldn't verify your identity with these details.",
};
