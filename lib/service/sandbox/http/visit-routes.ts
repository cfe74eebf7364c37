import { limits } from "../../../contract/limits.ts";
import { type VisitList, visitList } from "../../../contract/sandbox.ts";
import { defineRoute, type Route } from "../../http/frame/define-route.ts";
import { type ListedVisit, listVisits } from "../list-visits.ts";

/** The visits of people to the authorization pages. Decision D16 */
export const sandboxVisitRoutes: Route[] = [
  defineRoute({
    operation: "listSandboxVisits",
    method: "GET",
    path: "/sandbox/visits",
    who: "client",
    documentation: {
      summary: "List visits to the authorization pages",
      description: `The newest ${limits.pageSizeMax}, newest first, each with the page at which its person stands or stood.`,
      answer: { status: 200, body: visitList },
    },
    handle: async ({ caller: { client } }) => {
      const body: VisitList = { visits: (await listVisits(client.id)).map(presentVisit) };
      return { status: 200, body };
    },
  }),
];

function presentVisit({ finishedAt, isExpired, ...visit }: ListedVisit): VisitList["visits"][number] {
  return {
    id: visit.id,
    user_intent_id: visit.userIntentId,
    user_id: visit.userId,
    status: finishedAt ? "finished" : isExpired ? "expired" : "open",
    step: visit.step,
    redirect_uri: visit.redirectUri,
    trace_id: visit.traceId,
    created_at: visit.createdAt.toISOString(),
    expires_at: visit.expiresAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}
