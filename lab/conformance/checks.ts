import type { Check } from "./check.ts";
import { authorizationPageChecks } from "./sections/authorization-web-page.ts";
import { routineChecks } from "./sections/book-transfer-routine.ts";
import { endpointChecks } from "./sections/endpoints.ts";
import { eventChecks } from "./sections/events.ts";
import { identityVerificationChecks } from "./sections/identity-verification.ts";
import { metadataChecks } from "./sections/metadata.ts";
import { tokenChecks } from "./sections/tokens-and-codes.ts";
import { userChecks } from "./sections/user.ts";
import { userIntentChecks } from "./sections/user-intent.ts";

export const publishedChecks: Check[] = [
  ...userIntentChecks,
  ...metadataChecks,
  ...identityVerificationChecks,
  ...authorizationPageChecks,
  ...tokenChecks,
  ...userChecks,
  ...routineChecks,
  ...eventChecks,
  ...endpointChecks,
];
