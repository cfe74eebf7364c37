import { answerLiveRequest } from "#lib/partner/live/answer-live-request.ts";

export const GET = answerLiveRequest;
