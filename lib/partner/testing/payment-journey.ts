import { randomUUID } from "node:crypto";
import { finishAuthorization, rememberAuthorization } from "../authorization/finish-authorization.ts";
import { type AuthorizationRequest, openAuthorization } from "../authorization/start-authorization.ts";
import { onboardingForm } from "../onboarding/onboarding-fields.ts";
import { followUpOnboarding, readOnboardingState } from "../onboarding/onboarding-status.ts";
import { startOnboarding } from "../onboarding/submit-onboarding.ts";
import { partner } from "../process-partner.ts";
import { parseForm } from "../requests/form-state.ts";
import { resolveRoutines } from "../routines/resolve-routines.ts";
import { type RoutineChoices, readRoutineChoices } from "../routines/routine-choices.ts";
import { readRoutineView } from "../routines/routine-view.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";
import { processWebhooks } from "../webhooks/process-webhooks.ts";
import { newCookieStore } from "./browser.ts";
import { clearTables } from "./clear-tables.ts";
import { setClockAhead } from "./clock.ts";
import { pay } from "./pay.ts";
import { createPerson } from "./people.ts";
import { moneyPaid, type WholeService } from "./whole-service.ts";

const amount = 125.5;
const rounds = 6;

/**
 * A seller's first day through Harbor's own functions: onboarding, authorization, and a payment tracked to its end. Throws
 * if a step fails, or if the service hasn't paid exactly once.
 */
export async function runPaymentJourney(service: WholeService): Promise<void> {
  await startOver();
  const sends = watchSends(service);
  const operator = await createPerson({ role: "operator" });
  const { businessUserId } = partner().config;
  await authorize(service, operator, { purpose: "business", subject: { user_id: businessUserId } });
  const seller = await createPerson();
  await onboard(service, seller);
  const intentId = (await findOpenOnboarding(partner().db, seller.id))?.userIntentId ?? "";
  await authorize(service, seller, { purpose: "seller", subject: { user_intent_id: intentId } });
  await payAndFollow(service, operator, seller);
  const paid = moneyPaid(service);
  if (service.payments.created.length !== 1 || paid !== amount) throw new Error(`The service paid ${paid} USD.`);
  if (sends.afterSuccess > 0) throw new Error("A payment was sent again after a success.");
}

/** Counts payment requests that arrive after one was answered with success. */
function watchSends({ fake }: WholeService): { afterSuccess: number } {
  const sends = { afterSuccess: 0 };
  let isAnswered = false;
  fake.change("POST /v1/routines/book", (answer) => {
    if (isAnswered) sends.afterSuccess += 1;
    isAnswered ||= answer.status >= 200 && answer.status < 300;
    return answer;
  });
  return sends;
}

async function onboard(service: WholeService, seller: Person): Promise<void> {
  const parsed = parseForm(onboardingForm, { ...answers, idempotency_key: randomUUID() });
  if (parsed.kind === "problem") throw new Error("Valid answers were refused.");
  const { idempotency_key: idempotencyKey, ...values } = parsed.values;
  // After an unknown outcome, people submit the form again.
  for (let tries = 0; tries < 3; tries++) {
    const started = await startOnboarding(partner(), seller, values, { idempotencyKey, clientAddress: "192.0.2.7" });
    if (started.kind === "submitted") break;
    if (tries === 2) throw new Error(`Onboarding ended as ${started.kind}.`);
  }
  service.approveIntents();
  for (let round = 1; round <= rounds; round++) {
    await pollRound(service, round);
    await followUpOnboarding(partner(), seller.id);
    // If the service doesn't report its decision, its pages do.
    if (/^(approved|offered)$/.test((await readOnboardingState(partner(), seller.id)).kind)) return;
  }
  throw new Error("The person was never offered authorization.");
}

async function authorize(
  service: WholeService,
  person: Person,
  request: Pick<AuthorizationRequest, "purpose" | "subject">,
): Promise<void> {
  // After a failed redirect either way, the person tries again, as the page suggests.
  let problem = "";
  for (let tries = 0; tries < 6; tries++) {
    const cookies = newCookieStore();
    const opened = await openAuthorization(partner(), { personId: person.id, returnTo: "/", ...request });
    if (opened.kind !== "ok") {
      problem = opened.kind;
      continue;
    }
    await rememberAuthorization(partner(), cookies, opened.pending);
    const finished = await finishAuthorization(partner(), service.authorize(opened.address), cookies, person);
    if (finished.kind === "ok") return;
    problem = finished.problem;
  }
  throw new Error(`The authorization of the ${request.purpose} ended as ${problem}.`);
}

async function payAndFollow(service: WholeService, operator: Person, seller: Person): Promise<void> {
  const choices = await loadTwice(() => readRoutineChoices(partner()));
  const [source] = choices.kind === "ok" ? choices.accounts : [];
  if (choices.kind !== "ok" || !source) throw new Error(`There is no account to pay from: ${reasonOf(choices)}.`);
  const user = await findServiceUserOfPerson(partner().db, seller.id);
  if (!choices.sellers.some(({ userId }) => userId === user?.id)) throw new Error("The seller can't be paid.");
  const business = { operator, sellerUserId: user?.id ?? "", destinationId: user?.accountId ?? "" };
  const form = { source_id: source.id, amount: String(amount), idempotency_key: randomUUID() };
  // After a problem, people submit the same form again.
  const first = await pay(business, form);
  const created = first.kind === "created" ? first : await pay(business, form);
  if (created.kind !== "created") throw new Error("The payment wasn't accepted.");
  for (let round = 1; round <= rounds; round++) {
    await pollRound(service, rounds + round);
    service.settle();
    const view = await readRoutineView(partner(), created.routineId);
    if (view?.isOver && view.state === "succeeded") return;
  }
  const view = await readRoutineView(partner(), created.routineId);
  throw new Error(`The payment is shown as ${view?.status} and its transfer as ${view?.transferStatus}.`);
}

function reasonOf(choices: RoutineChoices): string {
  return choices.kind === "unavailable" && choices.isAnswered ? "unavailable, answered" : choices.kind;
}

/** Reloads a page that fails to load. */
async function loadTwice<Page extends { kind: string }>(load: () => Promise<Page>): Promise<Page> {
  const first = await load();
  return first.kind === "ok" ? first : load();
}

/** Moves the clock until all pending work is due, and runs the worker. */
async function pollRound(service: WholeService, round: number): Promise<void> {
  const verdicts = await service.deliverWebhooks();
  const refused = verdicts.find((verdict) => verdict !== "accepted" && verdict !== "duplicate");
  if (refused) throw new Error(`A genuine webhook was rejected as ${refused}.`);
  await partner().pool.query(
    "update webhook_receipts set next_attempt_real_at = now() where next_attempt_real_at is not null",
  );
  await processWebhooks(partner());
  await setClockAhead(`${round * 5} minutes`);
  await resolveRoutines(partner());
}

async function startOver(): Promise<void> {
  await clearTables("routine_events", "routines", "webhook_receipts", "onboardings", "token_pairs", "service_users");
  await setClockAhead("0");
}

const answers = {
  first_name: "Marta",
  last_name: "Quay",
  date_of_birth: "1990-01-31",
  ssn: "519-55-1234",
  address1: "1 Canary Wharf",
  address2: "",
  shop: "",
  city: "Boston",
  state: "MA",
  postal_code: "02110",
  metadata: [],
};
