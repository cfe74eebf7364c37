import type { Rule } from "./rule.ts";
import { businessTokenForRoutines } from "./rules/business-token-for-routines.ts";
import { challengeS256 } from "./rules/challenge-s256.ts";
import { codeExchangedInTime } from "./rules/code-exchanged-in-time.ts";
import { codeExchangedOnce } from "./rules/code-exchanged-once.ts";
import { codeSameRedirectUri } from "./rules/code-same-redirect-uri.ts";
import { codeVerifierSent } from "./rules/code-verifier-sent.ts";
import { currentAccessToken } from "./rules/current-access-token.ts";
import { customerAnswered } from "./rules/customer-answered.ts";
import { customerIdInMetadata } from "./rules/customer-id-in-metadata.ts";
import { customerRecordWhole } from "./rules/customer-record-whole.ts";
import { customerSecretRequired } from "./rules/customer-secret-required.ts";
import { customerTimeExact } from "./rules/customer-time-exact.ts";
import { customerUnknownNotFound } from "./rules/customer-unknown-not-found.ts";
import { customerWithinASecond } from "./rules/customer-within-a-second.ts";
import { deniedConsentEnds } from "./rules/denied-consent-ends.ts";
import { expiredRefreshToken } from "./rules/expired-refresh-token.ts";
import { lostEventHealed } from "./rules/lost-event-healed.ts";
import { noCredentialsInAddresses } from "./rules/no-credentials-in-addresses.ts";
import { noSensitiveMetadata } from "./rules/no-sensitive-metadata.ts";
import { nothingAfterRevocation } from "./rules/nothing-after-revocation.ts";
import { onePersonNamed } from "./rules/one-person-named.ts";
import { recordReadAfterEvent } from "./rules/record-read-after-event.ts";
import { refreshOneAtATime } from "./rules/refresh-one-at-a-time.ts";
import { refreshOnlyWhenNeeded } from "./rules/refresh-only-when-needed.ts";
import { refreshThenRepeat } from "./rules/refresh-then-repeat.ts";
import { renewInsideTenDays } from "./rules/renew-inside-ten-days.ts";
import { retriesBounded } from "./rules/retries-bounded.ts";
import { retryAfterObeyed } from "./rules/retry-after-obeyed.ts";
import { revokeOnDisconnect } from "./rules/revoke-on-disconnect.ts";
import { routineKeyNew } from "./rules/routine-key-new.ts";
import { routineKeyOnRetry } from "./rules/routine-key-on-retry.ts";
import { routineKeyPresent } from "./rules/routine-key-present.ts";
import { sessionTokenInTime } from "./rules/session-token-in-time.ts";
import { sessionTokenPerVisit } from "./rules/session-token-per-visit.ts";
import { stateNeverRepeated } from "./rules/state-never-repeated.ts";
import { statePresent } from "./rules/state-present.ts";
import { stateUnguessable } from "./rules/state-unguessable.ts";
import { visitNamesThePerson } from "./rules/visit-names-the-person.ts";
import { webhookAccepted } from "./rules/webhook-accepted.ts";
import { webhookBothSecrets } from "./rules/webhook-both-secrets.ts";
import { webhookDuplicateAccepted } from "./rules/webhook-duplicate-accepted.ts";
import { webhookStaleRefused } from "./rules/webhook-stale-refused.ts";
import { webhookTamperedRefused } from "./rules/webhook-tampered-refused.ts";
import { webhookUnknownTypeAccepted } from "./rules/webhook-unknown-type-accepted.ts";
import { webhookWithinASecond } from "./rules/webhook-within-a-second.ts";

/** Every rule, in the order in which a report tells them: tokens, the way through the authorization pages, the customer endpoint, webhooks, money and people. Decision D21 */
export const allRules: readonly Rule[] = [
  refreshOnlyWhenNeeded,
  refreshOneAtATime,
  refreshThenRepeat,
  currentAccessToken,
  renewInsideTenDays,
  expiredRefreshToken,
  nothingAfterRevocation,
  revokeOnDisconnect,
  noCredentialsInAddresses,
  statePresent,
  stateUnguessable,
  stateNeverRepeated,
  challengeS256,
  onePersonNamed,
  visitNamesThePerson,
  sessionTokenPerVisit,
  sessionTokenInTime,
  deniedConsentEnds,
  codeExchangedOnce,
  codeExchangedInTime,
  codeSameRedirectUri,
  codeVerifierSent,
  customerAnswered,
  customerWithinASecond,
  customerRecordWhole,
  customerTimeExact,
  customerUnknownNotFound,
  customerSecretRequired,
  webhookAccepted,
  webhookWithinASecond,
  webhookDuplicateAccepted,
  webhookTamperedRefused,
  webhookStaleRefused,
  webhookUnknownTypeAccepted,
  webhookBothSecrets,
  recordReadAfterEvent,
  lostEventHealed,
  routineKeyPresent,
  routineKeyNew,
  routineKeyOnRetry,
  businessTokenForRoutines,
  retryAfterObeyed,
  retriesBounded,
  noSensitiveMetadata,
  customerIdInMetadata,
];
