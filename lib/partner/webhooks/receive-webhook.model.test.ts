import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { readRoutineView } from "../routines/routine-view.ts";
import { connectBusiness } from "../testing/connected-users.ts";
import { type FakeService, startFakeService } from "../testing/fake-service.ts";
import { pay } from "../testing/pay.ts";
import { routineRecordOf, transferRecordOf } from "../testing/records.ts";
import { processWebhooks } from "./process-webhooks.ts";
import { receiveWebhook, type WebhookVerdict } from "./receive-webhook.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

const flaws = ["tampered", "stale", "ahead", "another secret", "no JSON"] as const;
type Flaw = (typeof flaws)[number];

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("send" as const), event: fc.nat(5), flaw: fc.constant(undefined) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("send" as const), event: fc.nat(5), flaw: fc.constantFrom(...flaws) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: "work" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "settle" as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

type Event = { webhook_type: string; webhook_id: string; user_id: string; resource_id: string };

/** Sends an event with one flaw, or none. */
function send(event: Event, flaw: Flaw | undefined): Promise<WebhookVerdict> {
  const seconds = Math.floor(Date.now() / 1000);
  const sentAtSeconds = { stale: seconds - 360, ahead: seconds + 360 }[String(flaw)] ?? seconds;
  const secret =
    flaw === "another secret" ? "whsec_b3RoZXItc2VjcmV0LW9mLXNvbWVib2R5" : String(partner().config.webhookSecrets[0]);
  const body = flaw === "no JSON" ? "[" : JSON.stringify(event);
  const headers = signatureHeaders({ webhookId: event.webhook_id, sentAtSeconds, body }, [secret]);
  return receiveWebhook(partner(), flaw === "tampered" ? `${body} ` : body, new Headers(headers));
}

function verdictOf(flaw: Flaw | undefined, isKept: boolean): WebhookVerdict {
  if (flaw === "no JSON") return "not_understood";
  if (flaw) return "not_genuine";
  return isKept ? "duplicate" : "accepted";
}

/** Plays the steps on a new routine: Harbor shows the service's record and ignores refused events. */
async function play(steps: Step[]): Promise<void> {
  const business = await connectBusiness();
  let routine = routineRecordOf({ status: "active" });
  let transfer = transferRecordOf({ id: routine.transfer_id, routine_id: routine.id, status: "pending" });
  service.answer("POST /v1/routines/book", () => ({ status: 201, body: routine }));
  service.answer(`GET /v1/routines/${routine.id}`, () => ({ status: 200, body: routine }));
  service.answer(`GET /v1/transfers/${transfer.id}`, () => ({ status: 200, body: transfer }));
  const created = await pay(business);
  if (created.kind !== "created") throw new Error("The payment should be created.");

  const events: Event[] = Array.from({ length: 6 }, (_, index) => ({
    webhook_type: ["routine_updated", "transfer_updated", "moon_updated"][index % 3] ?? "",
    webhook_id: newId(),
    user_id: newId(),
    resource_id: (index % 3 === 0 ? routine.id : transfer.id) ?? "",
  }));
  const kept = new Set<string>();
  let isSettled = false;
  let isWaiting = false;
  let shown = "active";

  for (const action of steps) {
    switch (action.kind) {
      case "send": {
        const event = events[action.event];
        if (!event) break;
        const expected = verdictOf(action.flaw, kept.has(event.webhook_id));
        expect(await send(event, action.flaw), JSON.stringify(action)).toBe(expected);
        if (expected === "accepted") {
          kept.add(event.webhook_id);
          // Regardless of its type, it names the changed resource.
          isWaiting = true;
        }
        break;
      }
      case "work":
        await processWebhooks(partner());
        if (isWaiting && isSettled) shown = "completed";
        isWaiting = false;
        break;
      case "settle":
        isSettled = true;
        routine = { ...routine, status: "completed", updated_at: "2026-01-31T09:30:02.000Z" };
        transfer = { ...transfer, status: "processed", updated_at: "2026-01-31T09:30:02.000Z" };
    }
    const view = await readRoutineView(partner(), created.routineId);
    expect(view?.status, JSON.stringify(action)).toBe(shown);
    const steps = view?.events.map(({ resource, status }) => `${resource} ${status}`) ?? [];
    expect(new Set(steps).size).toBe(steps.length);
  }
  const ids = events.map(({ webhook_id }) => webhook_id);
  const { rows } = await partner().db.execute(
    sql`select webhook_id from webhook_receipts where webhook_id in (${sql.join(
      ids.map((id) => sql`${id}`),
      sql`, `,
    )})`,
  );
  expect(new Set(rows.map((row) => row["webhook_id"]))).toEqual(kept);
}

// Regardless of what arrives, how often and in which order, only genuine, fresh, understood and new events count, and the routine
// ends in the state of the service's record.
test("the receiver judges and applies every history of deliveries as its model does", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), play), { numRuns: 25 });
});
