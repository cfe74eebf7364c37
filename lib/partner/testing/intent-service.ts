import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { CreateUserIntentRequest, UserIntentRecord } from "../../contract/user-intent.ts";
import { newId } from "../../kit/ids.ts";

export type ReceivedIntent = { body: CreateUserIntentRequest; idempotencyKey: string; authorization: string };

/** How the other app answers a post; undefined cuts the connection, after the request has been heard. */
export type Answering = (received: ReceivedIntent) => { status: number; body: unknown } | undefined;

/**
 * The other app's user intents, at the outer edge: a real server on loopback, whose POST knows idempotency keys and
 * whose GET says what `decisions` holds.
 */
export async function startIntentService() {
  const received: ReceivedIntent[] = [];
  const intents = new Map<string, string>();
  const decisions = new Map<string, UserIntentRecord>();
  const asked: string[] = [];
  let answering: Answering | undefined;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") return tell(request.url?.split("/").at(-1) ?? "", response);
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const idempotencyKey = String(request.headers["idempotency-key"]);
    const intent = { body, idempotencyKey, authorization: request.headers.authorization ?? "" };
    received.push(intent);
    const id = intents.get(idempotencyKey) ?? newId();
    intents.set(idempotencyKey, id);
    const created = { id, status: "pending", metadata: body.metadata, created_at: new Date().toISOString() };
    const reply = answering ? answering(intent) : { status: 201, body: created };
    if (!reply) return void request.socket.destroy();
    response.writeHead(reply.status, { "content-type": "application/json" }).end(JSON.stringify(reply.body));
  }

  function tell(id: string, response: ServerResponse): void {
    asked.push(id);
    const decision = decisions.get(id);
    response
      .writeHead(decision ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(decision ?? {}));
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The fake service found no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    intents,
    decisions,
    asked,
    answerWith: (next: Answering | undefined) => {
      answering = next;
    },
    stop: () => new Promise((done) => server.close(done)),
  };
}

/** A refusal as the contract has it. */
export function refusal(status: number, reason: string, errors?: { field: string; message: string }[]) {
  const body = {
    code: status,
    name: "Refused",
    description: "No.",
    reason,
    request_id: newId(),
    ...(errors && { errors }),
  };
  return { status, body };
}

/** What `GET /v1/user_intent/{id}` says of an intent. */
export function intentRecord(
  id: string,
  personId: string | undefined,
  changes: Partial<UserIntentRecord> = {},
): UserIntentRecord {
  return {
    id,
    status: "approved",
    kyc_type: "verified",
    first_name: "Marta",
    last_name: "Quay",
    email: "marta@example.com",
    phone: "+14155550123",
    ...(personId && { metadata: { harbor_customer_id: personId } }),
    rejection_reasons: [],
    user_id: null,
    created_at: "2026-01-31T09:30:00.000Z",
    updated_at: "2026-01-31T09:30:01.000Z",
    ...changes,
  };
}
