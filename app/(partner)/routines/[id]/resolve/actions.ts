"use server";

import { partnerAction, signedIn } from "#lib/partner/requests/partner-action.ts";
import {
  acknowledgeSecondForm,
  addressOfSentResolution,
  arrivedForm,
  endForm,
  notCreatedForm,
  sendAgainForm,
  submitAcknowledgeSecond,
  submitArrived,
  submitEnd,
  submitNotCreated,
  submitSendAgain,
} from "#lib/partner/routines/submit-resolution.ts";

const operator = signedIn({ role: "operator", returnTo: addressOfSentResolution });

export const confirmArrived = partnerAction(operator, arrivedForm, submitArrived);
export const confirmEnd = partnerAction(operator, endForm, submitEnd);
export const confirmNotCreated = partnerAction(operator, notCreatedForm, submitNotCreated);
export const confirmSendAgain = partnerAction(operator, sendAgainForm, submitSendAgain);
export const acknowledgeSecond = partnerAction(operator, acknowledgeSecondForm, submitAcknowledgeSecond);
