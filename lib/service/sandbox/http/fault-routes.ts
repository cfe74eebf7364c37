import { type FaultList, faultList, faultRequest } from "../../../contract/sandbox-faults.ts";
import { moneyRoutes } from "../../http/api/money-routes.ts";
import { peopleRoutes } from "../../http/api/people-routes.ts";
import { tokenRoutes } from "../../http/api/token-routes.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { clearFaults, type Fault, readFaults, setFault } from "../call-faults.ts";

// Not sandbox calls, so faults can always be removed, nor calls without credentials, which have no client.
const operations = [...peopleRoutes, ...tokenRoutes, ...moneyRoutes]
  .filter(({ who }) => who !== "anyone")
  .map(({ operation }) => operation);

const getFaults = defineRoute({
  operation: "listSandboxFaults",
  method: "GET",
  path: "/sandbox/faults",
  who: "client",
  documentation: {
    summary: "List pending call faults",
    answer: { status: 200, body: faultList },
  },
  handle: async ({ caller: { client } }) => ({ status: 200, body: presentFaults(await readFaults(client.id)) }),
});

const putFault = defineRoute({
  operation: "setSandboxFault",
  method: "PUT",
  path: "/sandbox/faults",
  who: "client",
  body: faultRequest(operations),
  documentation: {
    summary: "Make the next calls of an operation fail, slow, or go unanswered",
    description:
      "Counted, never random: exactly the next `times` calls of this client. A failed call changes nothing. `cut` closes " +
      "the connection without an answer, before or after the call is processed. For `authorize`, the next redirects back " +
      "from the authorization pages have a `foreign` state, issuer, or code of another person. A second request for an " +
      "operation replaces the first.",
    answer: { status: 200, body: faultList },
  },
  handle: async ({ caller: { client }, body: { operation, status, cut, foreign, latency_ms, times } }) => {
    const fault = {
      operation,
      status: status ?? null,
      cut: cut ?? null,
      foreignPart: foreign ?? null,
      latencyMs: latency_ms ?? 0,
      remaining: times,
    };
    return { status: 200, body: presentFaults(await setFault(client.id, fault)) };
  },
});

const deleteFaults = defineRoute({
  operation: "clearSandboxFaults",
  method: "DELETE",
  path: "/sandbox/faults",
  who: "client",
  documentation: { summary: "Remove all call faults", answer: { status: 200, body: faultList } },
  handle: async ({ caller: { client } }) => ({ status: 200, body: presentFaults(await clearFaults(client.id)) }),
});

/** Call faults. Decision D16 */
export const sandboxFaultRoutes: Route[] = [getFaults, putFault, deleteFaults];

function presentFaults(faults: Fault[]): FaultList {
  return {
    faults: faults.map(({ operation, status, cut, foreignPart, latencyMs, remaining }) => ({
      operation,
      status,
      cut,
      foreign: foreignPart,
      latency_ms: latencyMs,
      times: remaining,
    })),
  };
}
