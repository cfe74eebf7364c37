import { answerAuthorizationRequest } from "#lib/service/pages/authorization-entry.ts";

export const GET = answerAuthorizationRequest;
// Otherwise Next would run GET for HEAD.
export const HEAD = answerAuthorizationRequest;
