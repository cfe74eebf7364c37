import { expect, test } from "vitest";
import { startFakeServer } from "../../kit/testing/fake-server.ts";
import { modulesOf, productionSettings } from "../testing/loaded-modules.ts";

// Only the OpenTelemetry API is loaded, by prom-client and Next; it does nothing by itself.
test("only a process with a collector loads OpenTelemetry", async () => {
  for (const role of ["service-api", "service-worker"]) {
    const loaded = await modulesOf(role, productionSettings());
    expect(loaded.some((path) => path.endsWith("lib/kit/spans.ts"))).toBe(true);
    expect(loaded.filter(isOfOpenTelemetry)).toEqual([]);
  }
  const disabled = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" };
  expect((await modulesOf("service-api", { ...productionSettings(), ...disabled })).filter(isOfOpenTelemetry)).toEqual(
    [],
  );

  const collector = await startFakeServer();
  const settings = { ...productionSettings(), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const loaded = await modulesOf("service-api", settings);
  expect(loaded.some((path) => path.includes("/@opentelemetry/sdk-trace/"))).toBe(true);
  // Remaining spans are sent when the process ends.
  expect(collector.requests.map(({ path }) => path)).toContain("/v1/traces");
  expect(collector.requests.map(({ body }) => body).join("")).toContain("plainbook");
  await collector.stop();
});

function isOfOpenTelemetry(path: string): boolean {
  return /\/@opentelemetry\/(?!api\/)|\/open-telemetry\.ts/.test(path);
}
