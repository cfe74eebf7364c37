import * as z from "zod/mini";
import { limits } from "../../../contract/limits.ts";
import {
  type CheckReport,
  checkReport,
  customerProbeList,
  customerProbeRequest,
  type DrillList,
  drillList,
  type RuleState,
} from "../../../contract/sandbox-checks.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { refuse } from "../../http/frame/refusal.ts";
import { allDrills } from "../drills/all-drills.ts";
import { probeCustomerEndpoint } from "../probe-customer-endpoint.ts";
import { type Checks, readChecks } from "../read-checks.ts";
import { sequenceOf } from "./event-routes.ts";

const readChecksRoute = defineRoute({
  operation: "readSandboxChecks",
  method: "GET",
  path: "/sandbox/checks",
  who: "client",
  query: z.strictObject({
    after: z.optional(z.string().check(z.regex(/^\d{1,15}$/, "Must be an event id."))),
  }),
  documentation: {
    summary: "Check the client's integration",
    description: `Every rule of a correct integration, judged by this client's recorded events (\`GET /sandbox/events\`): not seen, kept, or broken, with up to ${limits.checkEvidenceMax} events as evidence, the fix, and the drills that cover it. \`after\` counts only events after the given one: pass the last report's \`last_event\` to judge from there.`,
    answer: { status: 200, body: checkReport },
  },
  handle: async ({ caller: { client }, query }) => ({
    status: 200,
    body: presentChecks(client.id, await readChecks(client.id, { after: sequenceOf(query.after) })),
  }),
});

const listDrillsRoute = defineRoute({
  operation: "listSandboxDrills",
  method: "GET",
  path: "/sandbox/drills",
  who: "client",
  documentation: {
    summary: "List drills",
    description:
      "Production failures to practice: the sandbox calls that cause each one, what to do in your app, and the rules that `GET /sandbox/checks` must then show as kept.",
    answer: { status: 200, body: drillList },
  },
  handle: () => ({ status: 200, body: presentDrills() }),
});

const probeCustomersRoute = defineRoute({
  operation: "probeSandboxCustomers",
  method: "POST",
  path: "/sandbox/customer_probes",
  who: "client",
  body: customerProbeRequest,
  documentation: {
    summary: "Probe the customer endpoint",
    description:
      "Requests a customer that doesn't exist, and one of yours without your secret and with a wrong one. `customer_id` defaults to the customer you verified last. 404 without such a customer or without a customers_url.",
    answer: { status: 200, body: customerProbeList },
    refusals: ["not_found"],
  },
  handle: async ({ caller: { client }, body: { customer_id }, traceId }) => {
    const probes = await probeCustomerEndpoint(client, { customerId: customer_id, traceId });
    return probes ? { status: 200, body: { probes } } : refuse("not_found");
  },
});

/** Checks and drills. Decision D21 */
export const sandboxCheckRoutes: Route[] = [readChecksRoute, listDrillsRoute, probeCustomersRoute];

function presentChecks(clientId: string, { judgedAt, eventsCount, lastEvent, rules }: Checks): CheckReport {
  const inState = (state: RuleState) => rules.filter((judged) => judged.state === state);
  const broken = inState("broken");
  const advice = broken.filter(({ rule }) => rule.isAdvice);
  return {
    client_id: clientId,
    judged_at: judgedAt.toISOString(),
    events: eventsCount,
    last_event: lastEvent,
    summary: {
      kept: inState("kept").length,
      broken: broken.length - advice.length,
      not_seen: inState("not_seen").length,
      advice_broken: advice.length,
    },
    rules: rules.map(({ rule: { id, title, isAdvice = false, clauses, whatToDo }, state, evidence, drillIds }) => ({
      id,
      title,
      state,
      is_advice: isAdvice,
      rests_on: clauses.some((clause) => clause.startsWith("I.")) ? "interface" : "decisions",
      clauses: [...clauses],
      evidence,
      what_to_do: whatToDo,
      drills: drillIds,
    })),
  };
}

function presentDrills(): DrillList {
  return {
    drills: allDrills.map(({ interfaceSays, goodClient, clauses, steps, expect, ...drill }) => ({
      ...drill,
      clauses: [...clauses],
      interface_says: interfaceSays,
      good_client: goodClient,
      steps: [...steps],
      expect: [...expect],
    })),
  };
}
