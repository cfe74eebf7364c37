import type { Rule } from "./rule.ts";
import { authorizationRules } from "./rules/authorization.ts";
import { codeRules } from "./rules/codes.ts";
import { customerRules } from "./rules/customers.ts";
import { metadataRules } from "./rules/metadata.ts";
import { redirectRules } from "./rules/redirects.ts";
import { refreshRules } from "./rules/refresh.ts";
import { requestRules } from "./rules/requests.ts";
import { retryRules } from "./rules/retries.ts";
import { routineRules } from "./rules/routines.ts";
import { tokenRules } from "./rules/tokens.ts";
import { webhookReadRules } from "./rules/webhook-reads.ts";
import { webhookRules } from "./rules/webhooks.ts";

/** In the order of the report. Decision D21 */
export const allRules: readonly Rule[] = [
  ...refreshRules,
  ...tokenRules,
  ...authorizationRules,
  ...redirectRules,
  ...codeRules,
  ...customerRules,
  ...webhookRules,
  ...webhookReadRules,
  ...routineRules,
  ...retryRules,
  ...metadataRules,
  ...requestRules,
];
