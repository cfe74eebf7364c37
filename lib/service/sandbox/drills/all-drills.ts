import { accessTokenEnds } from "./definitions/access-token-ends.ts";
import { askedToWait } from "./definitions/asked-to-wait.ts";
import { codeComesTwice } from "./definitions/code-comes-twice.ts";
import { customerEndpointAgain } from "./definitions/customer-endpoint-again.ts";
import { newTokenEverywhere } from "./definitions/new-token-everywhere.ts";
import { ordinaryDay } from "./definitions/ordinary-day.ts";
import { pageLeftOpen } from "./definitions/page-left-open.ts";
import { paymentFails } from "./definitions/payment-fails.ts";
import { paymentSentAgain } from "./definitions/payment-sent-again.ts";
import { paymentUnanswered } from "./definitions/payment-unanswered.ts";
import { paymentWithoutAnswerSentAgain } from "./definitions/payment-without-answer-sent-again.ts";
import { personDisconnects } from "./definitions/person-disconnects.ts";
import { personSaysNo } from "./definitions/person-says-no.ts";
import { refreshTokenEnds } from "./definitions/refresh-token-ends.ts";
import { secretRotates } from "./definitions/secret-rotates.ts";
import { sensitiveNote } from "./definitions/sensitive-note.ts";
import { serviceFails } from "./definitions/service-fails.ts";
import { strangerAsks } from "./definitions/stranger-asks.ts";
import { tabsRefreshTogether } from "./definitions/tabs-refresh-together.ts";
import { tokenEndpointDown } from "./definitions/token-endpoint-down.ts";
import { tokenRefused } from "./definitions/token-refused.ts";
import { twoVisits } from "./definitions/two-visits.ts";
import { webhookChanged } from "./definitions/webhook-changed.ts";
import { webhookComesTwice } from "./definitions/webhook-comes-twice.ts";
import { webhookLost } from "./definitions/webhook-lost.ts";
import { webhookOfNewType } from "./definitions/webhook-of-new-type.ts";
import { webhookOld } from "./definitions/webhook-old.ts";
import { webhookSentAgain } from "./definitions/webhook-sent-again.ts";
import { webhooksOutOfOrder } from "./definitions/webhooks-out-of-order.ts";
import { weekPasses } from "./definitions/week-passes.ts";
import type { Drill } from "./drill.ts";

/** Every drill, in the order in which they are offered: the ordinary day first. Decision D21 */
export const allDrills: readonly Drill[] = [
  ordinaryDay,
  accessTokenEnds,
  tokenRefused,
  tabsRefreshTogether,
  newTokenEverywhere,
  weekPasses,
  refreshTokenEnds,
  tokenEndpointDown,
  codeComesTwice,
  personSaysNo,
  twoVisits,
  pageLeftOpen,
  strangerAsks,
  customerEndpointAgain,
  webhookComesTwice,
  webhookSentAgain,
  webhookChanged,
  webhookOld,
  webhookOfNewType,
  webhookLost,
  webhooksOutOfOrder,
  secretRotates,
  paymentUnanswered,
  paymentSentAgain,
  paymentWithoutAnswerSentAgain,
  askedToWait,
  serviceFails,
  personDisconnects,
  paymentFails,
  sensitiveNote,
];
