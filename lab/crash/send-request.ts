import { Agent, request } from "undici";
import type { Attempt, Outcome } from "./history.ts";
import type { ServerProcess } from "./processes/server-process.ts";

/** An actor's request. `patienceMs` is its timeout; the server may still be working. */
export type ActorRequest = {
  path: string;
  authorization: string;
  body: Record<string, unknown>;
  key?: string | undefined;
  patienceMs: number;
};

const agent = new Agent({ pipelining: 1, keepAliveTimeout: 5000, connect: { timeout: 5000 } });

/** Sends a POST once and records the outcome. A truncated answer counts as none. */
export async function sendRequest(
  attempts: Attempt[],
  api: ServerProcess,
  actorRequest: ActorRequest,
): Promise<Outcome> {
  const attempt: Attempt = {
    api: api.name,
    sentAt: Date.now(),
    endedAt: Number.POSITIVE_INFINITY,
    outcome: { kind: "none" },
  };
  attempts.push(attempt);
  attempt.outcome = await exchange(api.url, actorRequest);
  attempt.endedAt = Date.now();
  return attempt.outcome;
}

async function exchange(url: string, { path, authorization, body, key, patienceMs }: ActorRequest): Promise<Outcome> {
  try {
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(`${url}${path}`, {
      method: "POST",
      dispatcher: agent,
      signal: AbortSignal.timeout(patienceMs),
      headers: { authorization, "content-type": "application/json", ...(key && { "idempotency-key": key }) },
      body: JSON.stringify(body),
    });
    const isReplay = headers["idempotent-replayed"] === "true";
    return {
      kind: "answer",
      status: statusCode,
      text: await answer.text(),
      isReplay,
      retryAfter: headers["retry-after"] !== undefined,
    };
  } catch {
    return { kind: "none" };
  }
}
