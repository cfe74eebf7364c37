import type { IncomingMessage, ServerResponse } from "node:http";
import { originSetting } from "../lib/kit/environment.ts";
import { chooseTracing, tracing } from "../lib/kit/spans.ts";
import type { App, Role } from "./roles.ts";

type Environment = Record<string, string | undefined>;

const endpoints = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/** Whether OpenTelemetry's standard variables name a collector for spans. */
export function wantsSpans(environment: Environment): boolean {
  const isDisabled = environment["OTEL_SDK_DISABLED"]?.toLowerCase() === "true";
  const isElsewhere = (environment["OTEL_TRACES_EXPORTER"] || "otlp") !== "otlp";
  const hasEndpoint = endpoints.some((name) => environment[name]);
  return hasEndpoint && !isDisabled && !isElsewhere;
}

/** Starts tracing if the operator configured it; otherwise OpenTelemetry isn't even loaded. */
export async function beginTracing(
  roles: ReadonlySet<Role>,
  version: string,
  environment: Environment = process.env,
): Promise<void> {
  if (!wantsSpans(environment)) return;
  const protocol = environment["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || environment["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (protocol && protocol !== "http/protobuf") {
    throw new Error("OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf is supported. Remove the setting.");
  }
  for (const name of endpoints) {
    if (environment[name] && !originSetting.safeParse(environment[name]).success) {
      throw new Error(`${name} must be an address like http://127.0.0.1:4318.`);
    }
  }
  const { startOpenTelemetry } = await import("./open-telemetry.ts");
  chooseTracing(startOpenTelemetry({ serviceName: serviceNameOf(roles), version, roles: [...roles], environment }));
}

// OTEL_SERVICE_NAME overrides it.
function serviceNameOf(roles: ReadonlySet<Role>): string {
  const hasService = [...roles].some((role) => role.startsWith("service-"));
  const hasPartner = [...roles].some((role) => role.startsWith("partner"));
  return hasService && hasPartner ? "gangway" : hasService ? "plainbook" : "harbor";
}

/** Sends the remaining spans. */
export async function endTracing(): Promise<void> {
  await tracing()?.stop();
  chooseTracing(undefined);
}

type PageApp = { app: App; continuesTraceAt?: ((path: string) => boolean) | undefined };

/** Handles a request for a page or route of Next in a span, which is named only by the first segment of its path. */
export function inPageSpan(
  { app, continuesTraceAt = () => true }: PageApp,
  request: IncomingMessage,
  response: ServerResponse,
  handle: () => void,
): void {
  const spans = tracing();
  const [path = "/"] = (request.url ?? "/").split("?");
  // Scripts and styles aren't worth a span.
  if (!spans || path.startsWith("/_next/")) {
    handle();
    return;
  }
  const { method = "GET", headers } = request;
  // The gateway admits only known first segments. The rest may be an id.
  const name = `${method} /${path.split("/")[1] ?? ""}`;
  const traceparent = continuesTraceAt(path) ? [headers["traceparent"]].flat()[0] : undefined;
  const facts = { "http.request.method": method, "gangway.app": app };
  void spans.run({ name, kind: "server", traceparent, facts }, async (span) => {
    // The client may have left while the gateway prepared the page.
    const isOver = response.closed || new Promise<void>((resolve) => response.once("close", resolve));
    // The page reads the trace from here.
    if (continuesTraceAt(path)) replaceTraceparent(request, span.traceparent);
    handle();
    await isOver;
    span.note({ "http.response.status_code": response.statusCode });
    if (response.statusCode >= 500) span.fail(String(response.statusCode));
    else if (!response.writableFinished) span.fail("cut");
  });
}

// Next and its routes each read one of the two lists of headers.
function replaceTraceparent(request: IncomingMessage, traceparent: string): void {
  request.headers["traceparent"] = traceparent;
  const others = request.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 && name.toLowerCase() !== "traceparent" ? [name, all[index + 1] ?? ""] : [],
  );
  request.rawHeaders = [...others, "traceparent", traceparent];
}
