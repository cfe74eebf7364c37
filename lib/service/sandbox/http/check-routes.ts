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
    after: z.optional(z.string().check(z.regex(/^\d{1,15}$/, "Must be the id of an event."))),
  }),
  documentation: {
    summary: "Judge the client's integration",
    description: `Every rule of a right integration, judged by what the service saw of this client (\`GET /sandbox/events\`): not seen, kept, or broken, with at most ${limits.checkEvidenceMax} events as evidence, what to do, and the drills that provoke it. \`after\` leaves out what happened up to an event: ask with the last report's \`last_event\` to judge what comes from now on.`,
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
    summary: "List the drills",
    description:
      "What goes wrong in production, to be made to go wrong once: the calls of the sandbox that arrange it, what to do at your app, and the rules that `GET /sandbox/checks` must then show as kept.",
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
    summary: "Ask the customer endpoint as a stranger",
    description:
      "About a customer who does not exist, and about one of yours without your secret and with a wrong one. Without `customer_id` it is the customer whom you verified last; without any, or without a customers_url, it is 404.",
    answer: { status: 200, body: customerProbeList },
    refusals: ["not_found"],
  },
  handle: async ({ caller: { client }, body: { customer_id }, traceId }) => {
    const probes = await probeCustomerEndpoint(client, { customerId: customer_id, traceId });
    return probes ? { status: 200, body: { probes } } : refuse("not_found");
  },
});

/** What tells a client whether its integration is right, and what provokes it. Decision D21 */
export const sandboxCheckRoutes: Route[] = [readChecksRoute, listDrillsRoute, probeCustomersRoute];

function presentChecks(clientId: string, { judgedAt, eventsCount, lastEvent, rules }: Checks): CheckReport {
  const count = (state: RuleState, isAdvice: boolean) =>
    rules.filter((judged) => judged.state === state && judged.rule.isAdvice === isAdvice).length;
  return {
    client_id: clientId,
    judged_at: judgedAt.toISOString(),
    events: eventsCount,
    last_event: lastEvent,
    summary: {
      kept: count("kept", false) + count("kept", true),
      broken: count("broken", false),
      not_seen: count("not_seen", false) + count("not_seen", true),
      advice_broken: count("broken", true),
    },
    rules: rules.map(({ rule: { id, title, isAdvice, clauses, whatToDo }, state, evidence, drillIds }) => ({
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
