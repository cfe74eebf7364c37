import type { Change } from "../fake-service.ts";
import type { WholeService } from "../whole-service.ts";
import { body, type Difference, html, together } from "./difference.ts";

const routes = [
  "POST /v1/user_intent",
  "GET /v1/user_intent/{id}",
  "POST /v1/partner/identity/verification",
  "POST /v1/oauth/token",
  "GET /v1/user",
  "GET /v1/accounts",
  "POST /v1/routines/book",
  "GET /v1/routines",
  "GET /v1/routines/{id}",
  "GET /v1/transfers/{id}",
];
const errorsOpen = "Error body format, error codes and HTTP status codes: not shown.";

/** The first request to each path, ids included, fails; the call still takes effect. */
const eachOnce = (change: Change) => (service: WholeService) => {
  const failed = new Set<string>();
  for (const route of routes) {
    service.fake.change(route, (answer, request) => {
      const call = `${request.method} ${request.path}`;
      if (failed.has(call)) return answer;
      failed.add(call);
      return change(answer, request);
    });
  }
};

/** Differences that affect every call. */
export const everyCallDifferences: Difference[] = [
  { what: "returns 500 to every call once", open: errorsOpen, apply: eachOnce(() => ({ status: 500 })) },
  {
    what: "returns 503 in plain text to every call once",
    open: errorsOpen,
    apply: eachOnce(() => ({ status: 503, text: "busy" })),
  },
  { what: "loses the response to every call once", open: errorsOpen, apply: eachOnce(() => "cut") },
  { what: "returns an HTML page to every call once", open: errorsOpen, apply: eachOnce(() => html) },
  { what: "returns an empty success to every call once", open: errorsOpen, apply: eachOnce(() => ({ status: 200 })) },
  {
    what: "wraps every response in its own envelope",
    open: "Response body: not shown.",
    apply: together(...routes.map((route) => body(route, (record) => ({ status: "success", result: record })))),
  },
  {
    what: "answers slowly",
    open: "Rate limits: not shown.",
    isHarmless: true,
    apply: (service) => {
      for (const route of routes)
        service.fake.change(route, async (answer) => {
          await new Promise((resolve) => setTimeout(resolve, 50));
          return answer;
        });
    },
  },
];
