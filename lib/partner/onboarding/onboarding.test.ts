import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { newTraceId } from "../../kit/trace.ts";
import { partner } from "../process-partner.ts";
import { parseForm } from "../requests/form-state.ts";
import { findNewestOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser } from "../storage/service-users.ts";
import { setClockAhead } from "../testing/clock.ts";
import { type FakeAnswer, refused, startFakeService } from "../testing/fake-service.ts";
import { takeUserIntents } from "../testing/fake-user-intents.ts";
import { createPerson } from "../testing/people.ts";
import { userIntentRecordOf } from "../testing/records.ts";
import { applyUserIntentUpdate } from "../webhooks/process-webhooks.ts";
import { type OnboardingInput, onboardingForm } from "./onboarding-fields.ts";
import { applyUserIntentDecision, followUpOnboarding, readOnboardingState } from "./onboarding-status.ts";
import { startOnboarding } from "./submit-onboarding.ts";

const service = await startFakeService();
const intents = takeUserIntents(service);
afterAll(service.stop);
afterEach(() => setClockAhead("0"));
beforeEach(() => {
  intents.received.length = 0;
  intents.always(undefined);
});

const answers: OnboardingInput = {
  first_name: "Marta",
  last_name: "Quay",
  date_of_birth: "1990-01-31",
  ssn: "519-55-1234",
  address1: "1 Canary Wharf",
  address2: "",
  city: "Boston",
  state: "MA",
  postal_code: "02110",
  shop: "",
  metadata: [{ key: "shop.id", value: "42" }],
};

async function submit(person: Person, changes: Partial<OnboardingInput> = {}, idempotencyKey: string = randomUUID()) {
  const parsed = parseForm(onboardingForm, { ...answers, ...changes, idempotency_key: idempotencyKey });
  if (parsed.kind === "problem") return { kind: "invalid", problems: parsed.form.problems };
  const { idempotency_key: _key, ...values } = parsed.values;
  return startOnboarding(partner(), person, values, { idempotencyKey, clientAddress: "::ffff:192.0.2.7" });
}

/** A person whose intent is undecided. */
async function waitingPerson(): Promise<{ person: Person; intentId: string }> {
  const person = await createPerson();
  await submit(person);
  const onboarding = await findNewestOnboarding(partner().db, person.id);
  return { person, intentId: onboarding?.userIntentId ?? "" };
}

describe("the form, sent", () => {
  test("creates an intent with the typed answers, the account's email and phone, the socket's address and Harbor's own id", async () => {
    const person = await createPerson();
    expect(await submit(person)).toEqual({ kind: "submitted" });
    const { clientId, clientSecret } = partner().config;
    expect(intents.received).toMatchObject([
      { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` },
    ]);
    expect(intents.received[0]?.body).toEqual({
      first_name: "Marta",
      last_name: "Quay",
      date_of_birth: "1990-01-31",
      ssn: "519551234",
      phone: person.phone,
      email: person.email,
      address1: "1 Canary Wharf",
      city: "Boston",
      state: "MA",
      postal_code: "02110",
      ip_address: "192.0.2.7",
      metadata: { "shop.id": "42", harbor_customer_id: person.id },
    });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
  });

  test("creates one intent for a double click", async () => {
    const person = await createPerson();
    const key = randomUUID();
    const clicks = await Promise.all([submit(person, {}, key), submit(person, {}, key)]);
    expect(clicks).toEqual([{ kind: "submitted" }, { kind: "submitted" }]);
    expect(new Set(intents.received.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set([key]));
    expect((await findNewestOnboarding(partner().db, person.id))?.userIntentId).toBe(intents.ids.get(key));
  });

  test("sends nothing once there's an intent, and reports that unless it's the same submission", async () => {
    const person = await createPerson();
    const key = randomUUID();
    expect(await submit(person, {}, key)).toEqual({ kind: "submitted" });
    expect(await submit(person, {}, key)).toEqual({ kind: "submitted" });
    expect(await submit(person, { city: "Salem" })).toEqual({ kind: "already_sent" });
    expect(intents.received).toHaveLength(1);
  });

  test("resolves a request with a lost response by its key", async () => {
    const person = await createPerson();
    const key = randomUUID();
    intents.always(() => "cut");
    expect(await submit(person, {}, key)).toEqual({ kind: "unanswered", isSilent: true });
    intents.always(undefined);
    expect(await submit(person, {}, key)).toEqual({ kind: "submitted" });
    expect((await findNewestOnboarding(partner().db, person.id))?.userIntentId).toBe(intents.ids.get(key));
  });

  test("is validated again here, and not sent if invalid", async () => {
    const person = await createPerson();
    const outcome = await submit(person, { ssn: "12", postal_code: "1", metadata: [{ key: "no spaces", value: "" }] });
    expect(outcome).toMatchObject({
      kind: "invalid",
      problems: [
        { field: "ssn" },
        { field: "postal_code" },
        { field: "metadata.0.key" },
        { field: "metadata.0.value" },
      ],
    });
    expect(intents.received).toEqual([]);
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "not_started" });
  });

  test.each([
    ["the ssn in a value", [{ key: "note", value: "id 519551234" }], "metadata"],
    ["an ssn in its written form", [{ key: "note", value: "519-55-1234" }], "metadata.0.value"],
    ["a card number", [{ key: "note", value: "4111 1111 1111 1111" }], "metadata.0.value"],
    [
      "one key twice",
      [
        { key: "a", value: "1" },
        { key: "a", value: "2" },
      ],
      "metadata.1.key",
    ],
    ["Harbor's own key", [{ key: "harbor_customer_id", value: "someone else" }], "metadata.0.key"],
    ["25 pairs of one's own", Array.from({ length: 25 }, (_, index) => ({ key: `k${index}`, value: "v" })), "metadata"],
  ])("refuses metadata with %s", async (_what, metadata, field) => {
    const outcome = await submit(await createPerson(), { metadata });
    expect(outcome).toMatchObject({ kind: "invalid", problems: [{ field }] });
    expect(intents.received).toEqual([]);
  });

  test("sends the shop number as metadata.shop, along with the pairs", async () => {
    const person = await createPerson();
    expect(await submit(person, { shop: " 4711 " })).toEqual({ kind: "submitted" });
    expect(intents.received[0]?.body.metadata).toEqual({
      shop: "4711",
      "shop.id": "42",
      harbor_customer_id: person.id,
    });
  });

  test("refuses a shop number with 24 pairs, or with a pair of the same key", async () => {
    const pairs = Array.from({ length: 24 }, (_, index) => ({ key: `k${index}`, value: "v" }));
    const person = await createPerson();
    expect(await submit(person, { shop: "4711", metadata: pairs })).toMatchObject({
      problems: [{ field: "metadata" }],
    });
    expect(await submit(person, { shop: "4711", metadata: [{ key: "shop", value: "1" }] })).toMatchObject({
      problems: [{ field: "metadata.0.key" }],
    });
    expect(await submit(person, { shop: "519551234" })).toMatchObject({ problems: [{ field: "shop" }] });
    expect(intents.received).toEqual([]);
  });

  test("accepts 24 pairs, which with Harbor's are the published 25", async () => {
    const metadata = Array.from({ length: 24 }, (_, index) => ({ key: `k${index}`, value: "v" }));
    expect(await submit(await createPerson(), { metadata })).toEqual({ kind: "submitted" });
    expect(Object.keys(intents.received[0]?.body.metadata ?? {})).toHaveLength(25);
  });

  test("shows the service's field errors at their fields, in plain language", async () => {
    const person = await createPerson();
    intents.always(() =>
      refused(400, "validation_failed", [
        { field: "date_of_birth", message: "Too young." },
        { field: "metadata.shop.id", message: "Not this." },
        { field: "metadata.shop", message: "Nor this." },
        { field: "ip_address", message: "Odd." },
      ]),
    );
    expect(await submit(person)).toEqual({
      kind: "invalid",
      problems: [
        { field: "date_of_birth", message: expect.stringMatching(/^Our payment service didn't accept this answer/) },
        {
          field: "metadata.0.value",
          message: expect.stringMatching(/^Our payment service didn't accept this answer/),
        },
        { field: "shop", message: expect.stringMatching(/^Our payment service didn't accept this answer/) },
        { field: "form", message: expect.stringMatching(/^Our payment service didn't accept what Harbor sent/) },
      ],
    });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "not_started" });
    intents.always(undefined);
    expect(await submit(person)).toEqual({ kind: "submitted" });
  });

  test.each([
    [403, "person_not_permitted", { kind: "not_permitted" }],
    [422, "a_reason_of_another_service", { kind: "refused", isTemporary: false }],
    [429, "rate_limited", { kind: "refused", isTemporary: true }],
    [503, "unavailable", { kind: "unanswered", isSilent: false }],
    [500, "internal_error", { kind: "unanswered", isSilent: false }],
  ])("answers %i %s with %j, and may be sent again", async (status, reason, outcome) => {
    const person = await createPerson();
    intents.always(() => refused(status, reason));
    expect(await submit(person)).toEqual(outcome);
    intents.always(undefined);
    expect(await submit(person)).toEqual({ kind: "submitted" });
  });

  test.each([
    ["its address alone", { status: 201, headers: { location: "/v1/user_intent/i-7" } }, "i-7"],
    ["its id under another name", { status: 201, body: { user_intent_id: "i-8" } }, "i-8"],
    ["its id in an envelope", { status: 200, body: { user_intent: { id: "i-9" } } }, "i-9"],
  ])("follows an intent that is answered with %s", async (_what, answer, id) => {
    const person = await createPerson();
    intents.always(() => answer);
    expect(await submit(person)).toEqual({ kind: "submitted" });
    expect(await findNewestOnboarding(partner().db, person.id)).toMatchObject({ status: "pending", userIntentId: id });
  });

  test("is unanswered, and not silent, when a success has no id", async () => {
    const person = await createPerson();
    intents.always(() => ({ status: 200, text: "<title>One moment</title>" }));
    expect(await submit(person)).toEqual({ kind: "unanswered", isSilent: false });
    expect(await findNewestOnboarding(partner().db, person.id)).toMatchObject({ status: "submitting" });
  });

  // A refusal says nothing about the request before it, which may have arrived; its decision must still find the person.
  test.each([
    [400, "validation_failed"],
    [401, "invalid_client"],
    [403, "person_not_permitted"],
    [409, "conflict"],
    [422, "unknown"],
    [429, "rate_limited"],
    [500, "internal_error"],
    [502, "unknown"],
  ])("after a lost answer keeps its reservation when the next one is %i %s", async (status, reason) => {
    const person = await createPerson();
    const key = randomUUID();
    intents.always(() => "cut");
    await submit(person, {}, key);
    intents.always(() => refused(status, reason));
    await submit(person, {}, key);
    await submit(person);
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
    expect(await applyUserIntentDecision(partner(), userIntentRecordOf(intents.ids.get(key) ?? "", person.id))).toBe(
      "applied",
    );
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
  });

  test.each([
    [401, "invalid_client"],
    [429, "rate_limited"],
  ])("isn't shown as sent after %i %s", async (status, reason) => {
    const person = await createPerson();
    intents.always(() => refused(status, reason));
    expect(await submit(person)).toEqual({ kind: "refused", isTemporary: true });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "not_started" });
  });

  test("leaves a rejection on the page if the next try is refused", async () => {
    const person = await createPerson();
    intents.always(() => ({ status: 201, body: { id: newId(), status: "rejected", rejection_reasons: [] } }));
    await submit(person);
    intents.always(() => refused(429, "rate_limited"));
    expect(await submit(person)).toEqual({ kind: "refused", isTemporary: true });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "rejected", reasons: [] });
  });

  test.each([
    [401, "invalid_client"],
    [409, "conflict"],
    [429, "rate_limited"],
    [503, "unavailable"],
  ])("keeps its reservation on a transient error, %i %s", async (status, reason) => {
    const person = await createPerson();
    intents.always(() => refused(status, reason));
    expect((await submit(person)).kind).toMatch(/^(unanswered|refused)$/);
    expect(await findNewestOnboarding(partner().db, person.id)).toMatchObject({ status: "submitting" });
    intents.always(() => refused(400, "validation_failed"));
    await submit(person);
    // A refused request with no earlier attempt has created nothing.
    const isKnown = status === 401 || status === 429;
    expect(await findNewestOnboarding(partner().db, person.id)).toEqual(isKnown ? undefined : expect.anything());
  });

  test("stores no SSN, date of birth or address in the database", async () => {
    const { person } = await waitingPerson();
    const { rows } = await partner().pool.query(
      "select to_json(o)::text as row from onboardings o where person_id = $1",
      [person.id],
    );
    expect(rows).toHaveLength(1);
    // Ids and times may contain the same digits.
    const stored = rows[0].row.replaceAll(/[0-9a-f-]{32,36}|\d+-\d\d-\d\dT[\d:.]+/g, "");
    expect(stored).not.toMatch(/1234|1990|Canary|02110/);
  });
});

describe("the service's decision", () => {
  test("moves the waiting page on", async () => {
    const { person, intentId } = await waitingPerson();
    expect(await applyUserIntentDecision(partner(), userIntentRecordOf(intentId, person.id))).toBe("applied");
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
  });

  test("comes with its reasons, and allows another try", async () => {
    const { person, intentId } = await waitingPerson();
    const reasons = [{ code: "identity_not_found", message: "No such person was found." }];
    await applyUserIntentDecision(
      partner(),
      userIntentRecordOf(intentId, person.id, { status: "rejected", rejection_reasons: reasons }),
    );
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "rejected", reasons });
    expect(await submit(person)).toEqual({ kind: "submitted" });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
    // A late update of the first intent doesn't affect the second.
    const late = userIntentRecordOf(intentId, person.id, {
      status: "converted_to_user",
      user_id: newId(),
      updated_at: "2026-02-01T00:00:00.000Z",
    });
    expect(await applyUserIntentDecision(partner(), late)).toBe("applied");
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
  });

  test("ends the same regardless of order and repetition", async () => {
    const { person, intentId } = await waitingPerson();
    const earlier = userIntentRecordOf(intentId, person.id, {
      status: "retry",
      updated_at: "2026-01-31T09:30:01.000Z",
    });
    const later = userIntentRecordOf(intentId, person.id, {
      status: "approved",
      updated_at: "2026-01-31T09:30:02.000Z",
    });
    for (const record of [later, earlier, later, earlier]) {
      expect(await applyUserIntentDecision(partner(), record)).toBe("applied");
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
    }
  });

  test.each(["approved", "rejected"])(
    "%s, made after the person has authorized, is taken in any order and leaves them connected",
    async (status) => {
      const { person, intentId } = await waitingPerson();
      const user_id = newId();
      const converted = { status: "converted_to_user", user_id, updated_at: "2026-01-31T09:30:01.000Z" };
      const decided = { status, user_id, updated_at: "2026-01-31T09:30:02.000Z" };
      const record = { status: "pending", userType: "personal", firstName: "Marta", lastName: "Quay" };
      await connectServiceUser(
        partner().db,
        { id: user_id, personId: person.id, ...record },
        await beginRead(partner().db),
      );
      for (const state of [converted, decided, converted, decided]) {
        expect(await applyUserIntentDecision(partner(), userIntentRecordOf(intentId, person.id, state))).toBe(
          "applied",
        );
      }
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "connected" });
      expect(await findNewestOnboarding(partner().db, person.id)).toMatchObject({ status, userId: user_id });
      // Neither justifies registering a connected person again.
      intents.received.length = 0;
      expect(await submit(person)).toEqual({ kind: "already_sent" });
      expect(intents.received).toEqual([]);
    },
  );

  test.each(["approved", "rejected"] as const)(
    "%s may come between a lost answer and the same form, sent again",
    async (status) => {
      const person = await createPerson();
      const key = randomUUID();
      intents.always(() => "cut");
      await submit(person, {}, key);
      const record = userIntentRecordOf(intents.ids.get(key) ?? "", person.id, { status });
      expect(await applyUserIntentDecision(partner(), record)).toBe("applied");
      expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: status });
      intents.always(undefined);
      expect(await submit(person, {}, key)).toEqual({ kind: "submitted" });
      expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: status });
    },
  );

  test.each([
    ["pending", "offered"],
    ["retry", "offered"],
    ["document", "offered"],
    ["approved", "approved"],
  ])("%s is shown as %s once the person has authenticated and left without authorizing", async (status, kind) => {
    const { person, intentId } = await waitingPerson();
    const converted = { status: "converted_to_user", user_id: newId(), updated_at: "2026-02-01T00:00:00.000Z" };
    for (const state of [{ status }, converted]) {
      await applyUserIntentDecision(partner(), userIntentRecordOf(intentId, person.id, state));
    }
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind });
  });

  test("may be a rejection that overtakes the answer that brings the intent's id", async () => {
    const person = await createPerson();
    const id = newId();
    intents.always(async () => {
      await applyUserIntentDecision(partner(), userIntentRecordOf(id, person.id, { status: "rejected" }));
      return { status: 201, body: { id, status: "pending" } };
    });
    expect(await submit(person)).toEqual({ kind: "submitted" });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "rejected" });
  });

  test("may be a rejection in the answer itself", async () => {
    const person = await createPerson();
    const reasons = [{ code: "identity_not_found", message: "No such person was found." }];
    intents.always(() => ({ status: 201, body: { id: newId(), status: "rejected", rejection_reasons: reasons } }));
    expect(await submit(person)).toEqual({ kind: "submitted" });
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "rejected", reasons });
  });

  test("may be a rejection in the answer whose reasons follow", async () => {
    const person = await createPerson();
    const id = newId();
    const reasons = [{ code: "identity_not_found", message: "No such person was found." }];
    intents.always(() => ({ status: 201, body: { id, status: "rejected" } }));
    await submit(person);
    const record = userIntentRecordOf(id, person.id, { status: "rejected", rejection_reasons: reasons });
    expect(await applyUserIntentDecision(partner(), record)).toBe("applied");
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "rejected", reasons });
  });

  test("keeps its reasons if a later record omits them", async () => {
    const { person, intentId } = await waitingPerson();
    const reasons = [{ code: "identity_not_found", message: "No such person was found." }];
    for (const known of [{ rejection_reasons: reasons }, {}]) {
      await applyUserIntentDecision(
        partner(),
        userIntentRecordOf(intentId, person.id, { status: "rejected", ...known }),
      );
    }
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "rejected", reasons });
  });

  test("about an earlier intent doesn't replace one that is being created", async () => {
    const { person, intentId } = await waitingPerson();
    const rejected = userIntentRecordOf(intentId, person.id, { status: "rejected" });
    await applyUserIntentDecision(partner(), rejected);
    intents.always(() => "cut");
    await submit(person);
    await applyUserIntentDecision(partner(), { ...rejected, updated_at: "2026-02-01T00:00:00.000Z" });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
  });

  test("about an unknown person is recognized, and so is an unknown status", async () => {
    const { person, intentId } = await waitingPerson();
    expect(await applyUserIntentDecision(partner(), userIntentRecordOf(newId(), undefined))).toBe("unknown_intent");
    expect(await applyUserIntentDecision(partner(), userIntentRecordOf(newId(), "not-a-uuid"))).toBe("unknown_intent");
    const unknownStatus = userIntentRecordOf(intentId, person.id, { status: "on_the_moon" });
    expect(await applyUserIntentDecision(partner(), unknownStatus)).toBe("unknown_status");
  });

  test.each(["retry", "document"] as const)("%s waits for the person on the service's pages", async (status) => {
    const { person, intentId } = await waitingPerson();
    await applyUserIntentDecision(partner(), userIntentRecordOf(intentId, person.id, { status }));
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: status });
  });
});

describe("a page that waits", () => {
  /** Lets real time pass for this person's onboarding. */
  async function wait(personId: string): Promise<void> {
    await partner().pool.query(
      `update onboardings set created_at = created_at - interval '6 seconds',
         asked_real_at = asked_real_at - interval '6 seconds' where person_id = $1`,
      [personId],
    );
  }

  test("polls the service after five seconds, once for any number of waiting pages", async () => {
    const { person, intentId } = await waitingPerson();
    intents.decide(userIntentRecordOf(intentId, person.id, { status: "document" }));
    await followUpOnboarding(partner(), person.id);
    expect(service.requestsOf(`GET /v1/user_intent/${intentId}`)).toHaveLength(0);

    await wait(person.id);
    await Promise.all(Array.from({ length: 10 }, () => followUpOnboarding(partner(), person.id)));
    expect(service.requestsOf(`GET /v1/user_intent/${intentId}`)).toHaveLength(1);
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "document" });
  });

  test.each(["retry", "document"] as const)(
    "notices when what %s asked for was provided, as in another tab",
    async (status) => {
      const { person, intentId } = await waitingPerson();
      intents.decide(userIntentRecordOf(intentId, person.id, { status }));
      await wait(person.id);
      await followUpOnboarding(partner(), person.id);
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: status });
      const updated_at = new Date(Date.now() + 1000).toISOString();
      intents.decide(userIntentRecordOf(intentId, person.id, { status: "approved", updated_at }));
      await wait(person.id);
      await followUpOnboarding(partner(), person.id);
      expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
    },
  );

  test("a slow read of a record without a time doesn't replace a decision read later", async () => {
    const { person, intentId } = await waitingPerson();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const path = `GET /v1/user_intent/${intentId}` as const;
    const answered = (status: string) => ({ status: 200, body: { id: intentId, status } });
    service.answer(path, async () => {
      await isReleased;
      return answered("retry");
    });
    await wait(person.id);
    const slow = followUpOnboarding(partner(), person.id);
    await expect.poll(() => service.requestsOf(path)).toHaveLength(1);
    service.answer(path, () => answered("approved"));
    expect(await announce(intentId)).toBe("applied");
    release();
    await slow;
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
  });

  test("polls an intent that was created before the clock was set back", async () => {
    await setClockAhead("1 day");
    const { person, intentId } = await waitingPerson();
    await setClockAhead("0");
    intents.decide(userIntentRecordOf(intentId, person.id, { status: "document" }));
    await followUpOnboarding(partner(), person.id);
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "document" });
  });

  /** Sets the service's response for this intent. */
  function respondWith(intentId: string, answer: FakeAnswer | "cut"): void {
    service.answer(`GET /v1/user_intent/${intentId}`, () => answer);
  }

  test.each([
    ["has no such call", { status: 404 }],
    ["knows no such method", { status: 405 }],
    ["fails", { status: 500 }],
    ["does not answer", "cut" as const],
    ["says a word that is not known", { status: 200, body: { status: "in_review" } }],
    ["says nothing about it", { status: 200, body: {} }],
  ])("waits for a minute and then continues when the service %s", async (_what, answer) => {
    const { person, intentId } = await waitingPerson();
    respondWith(intentId, answer);
    await wait(person.id);
    await followUpOnboarding(partner(), person.id);
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
    await setClockAhead("61 seconds");
    await wait(person.id);
    await followUpOnboarding(partner(), person.id);
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "offered" });
    // A late decision is still shown.
    intents.decide(userIntentRecordOf(intentId, person.id, { status: "rejected" }));
    await wait(person.id);
    await followUpOnboarding(partner(), person.id);
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "rejected" });
  });

  test("waits for as long as the service says that the intent is pending", async () => {
    const { person, intentId } = await waitingPerson();
    intents.decide(userIntentRecordOf(intentId, person.id, { status: "pending" }));
    for (const time of ["10 seconds", "1 minute", "10 minutes"]) {
      await setClockAhead(time);
      await wait(person.id);
      await followUpOnboarding(partner(), person.id);
      expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
    }
  });

  test.each([
    ["has no such call", { status: 404 }, "applied", "offered"],
    ["says a word that is not known", { status: 200, body: { status: "accepted" } }, "applied", "offered"],
    ["is down", { status: 503 }, "try_later", "waiting"],
    ["refuses our own credential", { status: 401 }, "try_later", "waiting"],
  ])("after the event that it is decided: when the service %s", async (_what, answer, applied, kind) => {
    const { person, intentId } = await waitingPerson();
    respondWith(intentId, answer);
    expect(await announce(intentId)).toBe(applied);
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind });
  });

  test("an event restores an onboarding that a database restore lost, once", async () => {
    const { person, intentId } = await waitingPerson();
    await partner().pool.query("delete from onboardings where person_id = $1", [person.id]);
    intents.decide(userIntentRecordOf(intentId, person.id));
    const applied = await Promise.all([announce(intentId), announce(intentId)]);
    expect(applied).toContain("applied");
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
    const { rows } = await partner().pool.query("select 1 from onboardings where person_id = $1", [person.id]);
    expect(rows).toHaveLength(1);
  });

  test("an event about an unknown person is not ours", async () => {
    expect(await announce(newId())).toBe("not_ours");
  });

  function announce(intentId: string) {
    const receipt = { webhookId: newId(), webhookType: "user_intent_updated", userId: null, attempts: 1 };
    return applyUserIntentUpdate(partner(), { ...receipt, resourceId: intentId, traceId: newTraceId() });
  }
});

describe("a submission that was never answered", () => {
  /** A person whose submission got no response this many seconds ago. */
  async function unanswered(seconds: number, key = randomUUID()): Promise<Person> {
    const person = await createPerson();
    intents.always(() => "cut");
    expect(await submit(person, {}, key)).toEqual({ kind: "unanswered", isSilent: true });
    intents.always(undefined);
    await partner().pool.query(
      "update onboardings set updated_at = updated_at - make_interval(secs => $2) where person_id = $1",
      [person.id, seconds],
    );
    return person;
  }

  test("is waiting for as long as its call can last, and then unanswered", async () => {
    const young = await unanswered(10);
    expect(await readOnboardingState(partner(), young.id)).toMatchObject({ kind: "waiting" });
    const old = await unanswered(16);
    expect(await readOnboardingState(partner(), old.id)).toEqual({ kind: "unanswered" });
  });

  test("may be sent again, under another key too, and is waiting again", async () => {
    const person = await unanswered(16);
    intents.always(() => "cut");
    await submit(person, { city: "Salem" });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
    intents.always(undefined);
    expect(await submit(person, { city: "Salem" })).toEqual({ kind: "submitted" });
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
  });

  test("gets a new key when it arrived after all and the answers have changed", async () => {
    const key = randomUUID();
    const person = await unanswered(16, key);
    intents.always((received) =>
      received.idempotencyKey === key
        ? refused(422, "idempotency_key_reused")
        : { status: 201, body: { id: newId(), status: "pending", created_at: new Date().toISOString() } },
    );
    intents.received.length = 0;
    expect(await submit(person, { city: "Salem" }, key)).toEqual({ kind: "submitted" });
    expect(intents.received).toHaveLength(2);
    expect(await readOnboardingState(partner(), person.id)).toMatchObject({ kind: "waiting" });
  });

  test("moves on when the decision about it comes in late", async () => {
    const key = randomUUID();
    const person = await unanswered(16, key);
    await applyUserIntentDecision(partner(), userIntentRecordOf(intents.ids.get(key) ?? "", person.id));
    expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
  });
});

test("an older rejection that arrives last doesn't hide the approval that a restore also lost", async () => {
  const person = await createPerson();
  const older = userIntentRecordOf(newId(), person.id, {
    status: "rejected",
    rejection_reasons: [{ code: "x", message: "No." }],
    updated_at: "2026-01-31T09:30:00.000Z",
  });
  const current = userIntentRecordOf(newId(), person.id, {
    status: "approved",
    updated_at: "2026-01-31T10:30:00.000Z",
  });
  await applyUserIntentDecision(partner(), current as never);
  expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
  await applyUserIntentDecision(partner(), older as never);
  expect(await readOnboardingState(partner(), person.id)).toEqual({ kind: "approved" });
});
