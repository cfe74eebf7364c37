import type { Instrumentation } from "next";

/** Logs what a page, a route or an action threw: Next itself prints nothing here, and the browser gets a digest alone. */
export const onRequestError: Instrumentation.onRequestError = async (error, { method, headers }, context) => {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { logPageError } = await import("./lib/kit/log-page-error.ts");
  logPageError(error, { method, route: context.routePath, kind: context.routeType, headers });
};
