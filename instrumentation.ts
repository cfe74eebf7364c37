import type { Instrumentation } from "next";

/** Logs errors thrown by pages, routes and actions: Next prints nothing here, and the browser only gets a digest. */
export const onRequestError: Instrumentation.onRequestError = async (error, { method, headers }, context) => {
  if (process.env["NEXT_RUNTIME"] !== "nodejs") return;
  const { logPageError } = await import("./lib/kit/log-page-error.ts");
  logPageError(error, { method, route: context.routePath, kind: context.routeType, headers });
};
