import { callService, demoCredentials } from "./service-api.ts";

/** Sandbox calls as the demo client. */
export type DemoSandbox = {
  /** Makes the next calls of an operation fail with 503. */
  failNext: (operation: string, times?: number) => Promise<unknown>;
  /** Delays the next call of an operation. */
  slowNext: (operation: string, latencyMs: number) => Promise<unknown>;
  faultNextWebhooks: (kind: "drop" | "duplicate", times: number) => Promise<unknown>;
  endFaults: () => Promise<void>;
  advanceClock: (seconds: number) => Promise<unknown>;
  /** Clears faults and resets the clock. */
  reset: () => Promise<void>;
  /** Decides the onboarding of the person with this phone. */
  decide: (phone: string, status: "approved" | "rejected") => Promise<unknown>;
  /** Counts the intents of the person with this phone. */
  countIntents: (phone: string) => Promise<number>;
};

export function demoSandbox(serviceUrl: string): DemoSandbox {
  const call = (method: string, path: string, body?: object) =>
    callService(serviceUrl, {
      authorization: demoCredentials(),
      method,
      path: `/sandbox/${path}`,
      ...(body && { body }),
    });
  async function intentsOf(phone: string): Promise<{ id: string; phone: string }[]> {
    const { user_intents: intents } = await call("GET", "user_intents");
    return (intents as { id: string; phone: string }[]).filter((intent) => intent.phone === phone);
  }
  async function endFaults(): Promise<void> {
    await call("DELETE", "faults");
    await call("DELETE", "webhook_faults");
  }
  return {
    failNext: (operation, times = 1) => call("PUT", "faults", { operation, status: 503, times }),
    slowNext: (operation, latencyMs) => call("PUT", "faults", { operation, latency_ms: latencyMs, times: 1 }),
    faultNextWebhooks: (kind, times) => call("PUT", "webhook_faults", { kind, times }),
    endFaults,
    advanceClock: (seconds) => call("POST", "clock/advance", { seconds }),
    reset: async () => {
      await endFaults();
      // A clock reset ends every authorization, so skip it if the clock hasn't moved.
      const { offset_seconds: ahead } = await call("GET", "clock");
      if (ahead !== 0) await call("POST", "clock/reset");
    },
    decide: async (phone, status) => {
      const [intent] = await intentsOf(phone);
      await call("POST", `user_intents/${intent?.id}/status`, { status });
    },
    countIntents: async (phone) => (await intentsOf(phone)).length,
  };
}
