import { type Report, runSuite } from "../run-suite.ts";
import { usualSettings } from "../world/settings.ts";
import {
  type Body,
  type Distortion,
  parse,
  type RelayedRequest,
  type RelayedResponse,
  startDistortedService,
  withJson,
} from "./distorted-service.ts";

/** Our service with exactly one decision changed, and that decision's clause. */
export type BrokenDecision = { breaks: string; fault: string; distort: () => Distortion };

/** One for each check that the bare service can't break because it lacks the feature. */
export const brokenDecisions: BrokenDecision[] = [
  answered("D1.1", "returns a different issuer", /^\/\.well-known\/oauth/, (body) => {
    body["issuer"] += "/other";
  }),
  respond("D1.2", "serves a page of the partner app", ({ status }, { path }) =>
    path === "/dashboard" ? { status: 200 } : { status },
  ),
  respond("D1.6", "trusts any x-forwarded-host", ({ headers }, request) => {
    const host = request.headers["x-forwarded-host"];
    return host && headers["location"] ? { headers: { ...headers, location: `https://${host}/` } } : {};
  }),
  respond("D1.7", "accepts an oversized form", ({ status }) => (status === 413 ? { status: 200 } : {}), /^\/login/),
  respond("D5.11", "sends retry-after: 0", ({ status, headers }) =>
    status === 429 ? { headers: { ...headers, "retry-after": "0" } } : {},
  ),
  {
    breaks: "D7.5",
    fault: "announces only a user's first change",
    distort: () => {
      const known = new Set<unknown>();
      const isNew = (id: unknown) => !known.has(id) && known.add(id) !== undefined;
      return { passWebhook: ({ json }) => json["webhook_type"] !== "user_updated" || isNew(json["resource_id"]) };
    },
  },
  respond(
    "D9.6",
    "asks for no document",
    ({ text }) => ({ text: text.replaceAll('type="file"', 'type="text"') }),
    /^\/login/,
  ),
  answered("D9.8", "sends an eleventh text", /^\/sandbox\/messages/, ({ messages }) => {
    if (messages.length === 10) messages.push(messages[0]);
  }),
  respond("D10.4", "accepts a token in the URL", () => ({ status: 200 }), /^\/v1\/user\?access_token=/),
  {
    breaks: "D10.6",
    fault: "refreshes a revoked token",
    distort: () => {
      const revoked = new Set<string | null>();
      return {
        editRequest: (request) => {
          if (request.path === "/v1/oauth/revoke") revoked.add(new URLSearchParams(request.body).get("token"));
          return request;
        },
        editResponse: (response, { json }) =>
          revoked.has(json?.["refresh_token"] ?? "")
            ? { ...response, status: 200, text: JSON.stringify({}) }
            : response,
      };
    },
  },
  answered("D13.7", "returns a different failure_reason", /^\/v1\/transfers\/./, (body) => {
    if (body["failure_reason"] === "account_closed") body["failure_reason"] = "closed";
  }),
  { breaks: "D13.9", fault: "checks the person before the key", distort: forgettingKeys },
  {
    breaks: "D13.10",
    fault: "answers 503 although it created the routine",
    distort: () => ({
      answerDropped: ({ path }) =>
        path === "/v1/routines/book" ? { status: 503, headers: {}, text: "Later, please." } : undefined,
    }),
  },
  respond(
    "D13.13",
    "overdraws an account",
    ({ status }, { json }) =>
      status === 422 && String(json?.["name"]).startsWith("Together") ? { status: 201 } : { status },
    /^\/v1\/routines\/book/,
  ),
  respond(
    "D13.14",
    "books under a voided key",
    ({ status, text }) => (text.includes("idempotency_key_voided") ? { status: 201 } : { status }),
    /^\/v1\/routines\/book$/,
  ),
  {
    breaks: "D16.8",
    fault: "cuts the connection after the call, not before",
    distort: () => ({
      editRequest: (request) =>
        request.json?.["cut"] === "before" ? withJson(request, { ...request.json, cut: "after" }) : request,
    }),
  },
  { breaks: "D14.3", fault: "follows redirects", distort: () => ({ followsRedirects: true }) },
  answered("D14.5", "calls any address", /^\/sandbox\/webhooks$/, ({ webhooks }) => {
    for (const { attempts } of webhooks) {
      for (const attempt of attempts) if (attempt.error === "address_refused") attempt.error = "timeout";
    }
  }),
  answered("D14.7", "doesn't say when a waiting webhook is sent", /^\/sandbox\/webhooks$/, ({ webhooks }) => {
    if (webhooks.length <= 10) return;
    for (const webhook of webhooks) if (webhook.attempts.length === 0) webhook.next_attempt_at = null;
  }),
  {
    breaks: "D15.1",
    fault: "doesn't reset the clock",
    distort: () => ({
      editRequest: (request) =>
        request.path === "/sandbox/clock/reset" ? { ...request, method: "GET", path: "/sandbox/clock" } : request,
    }),
  },
  respond(
    "D16.12",
    "streams plain text",
    ({ headers }) => ({ headers: { ...headers, "content-type": "text/plain" } }),
    /^\/sandbox\/events\/stream$/,
  ),
  events("D20.1", "records no customer endpoint calls", (page, { path }) => {
    if (!path.includes("join=")) page["events"] = page["events"].filter(({ kind }: Body) => kind !== "customer");
  }),
  events("D20.2", "shows the client's secret", ({ events: [first] }, { headers }) => {
    const credentials = Buffer.from(String(headers["authorization"]).replace("Basic ", ""), "base64").toString();
    if (first) first.request = { credentials };
  }),
  events("D20.3", "doesn't mark injected faults", (page) => {
    for (const { status, facts } of page["events"]) if (status === 503) facts.is_faulted = false;
  }),
  events("D20.4", "doesn't find visit steps by join", (page, { path }) => {
    if (path.includes("join=")) page["events"] = page["events"].filter(({ kind }: Body) => kind !== "visit");
  }),
  events("D20.5", "shows real time as the client's time", (page) => {
    for (const event of page["events"]) event.client_time = event.at;
  }),
  events("D20.6", "reports no later events", (page) => {
    page["later_exist"] = false;
  }),
  respond(
    "D20.7",
    "shows its cookie to scripts",
    ({ headers }) => ({
      headers: {
        ...headers,
        "set-cookie": [headers["set-cookie"] ?? []].flat().map((response) => response.replace("HttpOnly", "")),
      },
    }),
    /^\/console\/session/,
  ),
  respond(
    "D20.9",
    "accepts calls from another site's page",
    ({ status }) => (status === 403 ? { status: 200 } : {}),
    /^\/console\/calls/,
  ),
  rules("D21.1", "reports no evidence", (rule) => {
    if (rule["clauses"].includes("D10.4")) rule["evidence"] = [];
  }),
  { breaks: "D21.2", fault: "counts a clock jump against the app", distort: blamingForJumps },
  rules("D21.3", "allows too much time", (rule) => {
    if (rule["clauses"].includes("D21.3")) rule["state"] = "kept";
  }),
  rules("D21.4", "doesn't require an idempotency key", (rule) => {
    if (rule["clauses"].includes("D13.8") && rule["clauses"].includes("D21.4")) rule["state"] = "kept";
  }),
  answered("D21.5", "omits a probe", /^\/sandbox\/customer_probes/, ({ probes }) => {
    probes.pop();
  }),
];

const [runs, runsOfEach] = [7, 3];

/**
 * Group testing: each fault is in a unique set of three of seven runs. If every run reports exactly its faults'
 * clauses, each fault was caught by its own clause only.
 */
export function groupBrokenDecisions(): BrokenDecision[][] {
  const places = Array.from({ length: 2 ** runs }, (_, bits) =>
    Array.from({ length: runs }, (_, run) => run).filter((run) => (bits >> run) & 1),
  ).filter((chosen) => chosen.length === runsOfEach);
  if (places.length < brokenDecisions.length) throw new Error("There are more broken decisions than triples of runs.");
  return Array.from({ length: runs }, (_, run) => brokenDecisions.filter((_, index) => places[index]?.includes(run)));
}

function respond(
  breaks: string,
  fault: string,
  change: (response: RelayedResponse, request: RelayedRequest) => Partial<RelayedResponse>,
  paths = /^/,
): BrokenDecision {
  const editResponse: Distortion["editResponse"] = (response, request) =>
    paths.test(request.path) ? { ...response, ...change(response, request) } : response;
  return { breaks, fault, distort: () => ({ editResponse }) };
}

function answered(
  breaks: string,
  fault: string,
  paths: RegExp,
  change: (body: Body, request: RelayedRequest) => void,
): BrokenDecision {
  return respond(breaks, fault, (response, request) => changed(response, (body) => change(body, request)), paths);
}

function events(breaks: string, fault: string, change: (page: Body, request: RelayedRequest) => void): BrokenDecision {
  return answered(breaks, fault, /^\/sandbox\/events(\?|$)/, change);
}

function rules(breaks: string, fault: string, change: (rule: Body) => void): BrokenDecision {
  return answered(breaks, fault, /^\/sandbox\/checks/, (report) => report["rules"].forEach(change));
}

function changed(response: RelayedResponse, change: (body: Body) => void): RelayedResponse {
  const body = parse(response.text);
  if (response.status >= 300 || !body) return response;
  change(body);
  return { ...response, text: JSON.stringify(body) };
}

function clientOf({ headers }: RelayedRequest): string {
  const credentials = Buffer.from(String(headers["authorization"]).replace("Basic ", ""), "base64").toString();
  return credentials.split(":")[0] ?? "";
}

// A suspended business is refused, even with a used key.
function forgettingKeys(): Distortion {
  const clientOfToken = new Map<string, string>();
  const businesses = new Map<string, string>();
  const suspended = new Set<string>();
  return {
    editRequest: (request) => {
      const [, user] = /^\/sandbox\/users\/([^/]+)\/status$/.exec(request.path) ?? [];
      if (user && request.json?.["status"] === "suspended") suspended.add(user);
      return request;
    },
    editResponse: (response, request) => {
      const body = parse(response.text);
      if (request.path === "/sandbox/clients") businesses.set(body?.["client_id"], body?.["business_user_id"]);
      if (body?.["access_token"]) clientOfToken.set(body["access_token"], clientOf(request));
      const token = String(request.headers["authorization"]).replace("Bearer ", "");
      const isOut = suspended.has(businesses.get(clientOfToken.get(token) ?? "") ?? "");
      return isOut && response.headers["idempotent-replayed"] ? { ...response, status: 403, text: "{}" } : response;
    },
  };
}

function blamingForJumps(): Distortion {
  const ahead = new Set<string>();
  const jump = 2 * 60 * 60;
  return {
    editRequest: (request) => {
      if (request.path === "/sandbox/clock/advance" && request.json?.["seconds"] > jump) ahead.add(clientOf(request));
      return request;
    },
    editResponse: (response, request) => {
      if (!request.path.startsWith("/sandbox/checks") || !ahead.has(clientOf(request))) return response;
      return changed(response, ({ rules: all }) => {
        for (const rule of all) if (rule.clauses.includes("D5.5")) rule.state = "broken";
      });
    },
  };
}

type Service = { baseUrl: string; authUrl: string; clientId: string; clientSecret: string };

/** Checks our decisions against our service with these changes. */
export async function runAgainstDistorted(of: Service, broken: BrokenDecision[]): Promise<Report> {
  const distortions = broken.map(({ distort }) => distort());
  const { stop, ...origins } = await startDistortedService(of, distortions);
  try {
    // Every decision must be checked, however slow this machine is.
    const patience = { patienceMs: 20_000, runMsMax: 500_000 };
    return await runSuite({ ...usualSettings, ...of, ...origins, ...patience }, { withPublished: false });
  } finally {
    await stop();
  }
}
