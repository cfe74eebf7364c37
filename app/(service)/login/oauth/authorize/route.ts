import { answerAuthorizationRequest } from "#lib/service/pages/authorization-entry.ts";

export const GET = answerAuthorizationRequest;
// Exported, because Next would answer HEAD by running GET.
export const HEAD = answerAuthorizationRequest;
