import { createHmac, randomUUID } from "node:crypto";
import { limits } from "../../../lib/contract/limits.ts";
import {
  type CheckedRule,
  type CheckReport,
  checkReport,
  customerProbeList,
  drillList,
} from "../../../lib/contract/sandbox-checks.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import type { Client } from "../world/client.ts";
import type { Exchange } from "../world/exchange.ts";
import { requestRoutine, routineBody, startBusiness } from "../world/money.ts";
import { connect, mint, onboard, readUser, refreshTokens, tokensOf } from "../world/people.ts";
import { readUntil } from "../world/until.ts";
import { decisionsThatNeed, fits } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages");

const marginSeconds = 20;
// The service leaves its own pauses out.
const slowMs = 3 * limits.checkAnswerMs;

/** D21: the sandbox's checks, here applied to the suite itself. */
export const judgedDecisions: Check[] = [
  decision("D21.1", "A rule is not seen, then broken by an event, and not seen again after it.", async (world) => {
    const client = await world.freshClient();
    const start = await reportOf(client);
    const rests = (rule: CheckedRule) => rule.clauses.includes("D10.4");
    must(stateOf(start.report, rests) === "not_seen", "A rule has a state before any event.", start.exchange);
    await client.send({ method: "GET", to: `/v1/user_intent/${randomUUID()}?access_token=none` });
    const after = await reportOf(client, "", (report) => stateOf(report, rests) === "broken");
    const broken = after.report.rules.find(rests);
    const isNamed = broken?.state === "broken" && broken.evidence.length === 1 && broken.rests_on === "interface";
    must(isNamed, "A credential in a URL is not reported as broken, with its event.", after.exchange);
    const later = await reportOf(client, `?after=${after.report.last_event}`);
    must(stateOf(later.report, rests) === "not_seen", "It isn't re-evaluated after an event.", later.exchange);
  }),
  {
    ...decision("D21.2", "Refreshing after a clock jump breaks no rule.", async (world) => {
      const client = await world.freshClient();
      const tokens = await connect(world, client, await onboard(client));
      await client.advanceClock(limits.accessTokenSeconds + marginSeconds);
      await readUser(world, tokens.access);
      const next = tokensOf(await refreshTokens(client, tokens.refresh));
      await readUser(world, next.access);
      const rests = ({ clauses }: CheckedRule) => clauses.includes("D5.5") || clauses.includes("D10.3");
      const { report, exchange } = await reportOf(client, "", (found) => found.rules.filter(rests).some(isKept));
      const rules = report.rules.filter(rests);
      must(rules.some(isKept), "No rule about access tokens is kept.", exchange);
      const blamed = rules.filter(({ state }) => state === "broken").map(({ id }) => id);
      must(blamed.length === 0, `Reported as broken: ${blamed.join(", ")}.`, exchange);
    }),
    needs: ["control", "pages", "clock"],
  },
  decision("D21.3", "A customer endpoint slower than a second twice in a row breaks a rule.", async (world) => {
    const client = await world.freshClient();
    const person = await onboard(client);
    client.mailbox.customerDelayMs = slowMs;
    await mint(client, person);
    await mint(client, person);
    const isSlow = ({ clauses, title }: CheckedRule) => clauses.includes("D21.3") && /customer/i.test(title);
    const { report, exchange } = await reportOf(client, "", (found) => stateOf(found, isSlow) === "broken");
    must(stateOf(report, isSlow) === "broken", "Two slow answers in a row don't break a rule.", exchange);
  }),
  decision(
    "D21.4",
    "A routine without a key breaks a rule; so does serving customers without the secret.",
    async (world) => {
      const client = await world.freshClient();
      const of = await startBusiness(world, client);
      await requestRoutine(world, of.token, routineBody(world, of));
      await client.control("POST", "/sandbox/customer_probes", {});
      const rests = ({ clauses }: CheckedRule) => clauses.includes("D21.4");
      const brokenRules = ({ rules }: CheckReport) => rules.filter((rule) => rests(rule) && rule.state === "broken");
      // The suite's customer endpoint requires no secret, and returns 404 for unknown customers.
      const { report, exchange } = await reportOf(client, "", (found) => brokenRules(found).length === 2);
      const broken = brokenRules(report).flatMap(({ clauses }) => clauses);
      must(broken.includes("D13.8"), "A routine without a key doesn't break a rule.", exchange);
      must(broken.includes("D11.2"), "Serving a customer without the secret doesn't break a rule.", exchange);
      must(report.rules.filter(rests).some(isKept), "A 404 for an unknown customer isn't recorded.", exchange);
    },
  ),
  decision(
    "D21.5",
    "Drills, customer endpoint probes, and webhooks signed only with the old secret.",
    async (world) => {
      const client = await world.freshClient();
      const drills = await client.control("GET", "/sandbox/drills");
      fits(drillList, drills);
      must(drillList.parse(drills.answer.json).drills.length > 0, "There are no drills.", drills);
      const person = await onboard(client);
      await mint(client, person);
      const probed = await client.control("POST", "/sandbox/customer_probes", {});
      fits(customerProbeList, probed);
      const { probes } = customerProbeList.parse(probed.answer.json);
      if (probes.some(({ status }) => status === null)) throw new NotReached("The customer endpoint timed out.");
      const found = probes.map(({ probe, status }) => `${probe} ${status}`).sort();
      const expected = ["no_credentials 200", "unknown_customer 404", "wrong_credentials 200"];
      must(found.join() === expected.join(), `The answer is reported as ${found.join(", ")}.`, probed);
      // Otherwise the intent's webhook would use up the fault.
      await client.mailbox.waitFor(({ text }) => text.includes(person.intentId));
      await client.control("POST", "/sandbox/webhook_endpoint/rotate");
      await client.control("PUT", "/sandbox/webhook_faults", { kind: "old_secret", times: 1 });
      const { intentId } = await onboard(client);
      const webhook = await client.mailbox.waitFor(({ text }) => text.includes(intentId));
      if (!webhook) throw new NotReached("No webhook arrived.");
      const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures } = webhook.headers;
      const key = Buffer.from(client.webhookSecret.replace(/^whsec_/, ""), "base64");
      const old = `v1,${createHmac("sha256", key).update(`${id}.${at}.${webhook.text}`).digest("base64")}`;
      must(signatures === old, "It isn't signed with only the old secret.", webhook.exchange);
    },
  ),
];

const isKept = ({ state }: CheckedRule) => state === "kept";

function stateOf({ rules }: CheckReport, isMeant: (rule: CheckedRule) => boolean): string | undefined {
  return rules.find(isMeant)?.state;
}

type Judged = { exchange: Exchange; report: CheckReport };

/** Polls the sandbox's report until it matches, since events appear with a delay. */
function reportOf(
  client: Client,
  query = "",
  isWanted: (report: CheckReport) => boolean = () => true,
): Promise<Judged> {
  const read = async () => {
    const exchange = await client.control("GET", `/sandbox/checks${query}`);
    fits(checkReport, exchange);
    return { exchange, report: checkReport.parse(exchange.answer.json) };
  };
  return readUntil(read, ({ report }) => isWanted(report));
}
