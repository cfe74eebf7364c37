import { callService, demoCredentials } from "./service-api.ts";

/** What the demo's client can have the service do, by its sandbox calls. */
export type DemoSandbox = {
  /** Makes the next calls of one operation fail as an outage does. */
  failNext: (operation: string, times?: number) => Promise<unknown>;
  /** Does this to the next webhooks. */
  spoilNextWebhooks: (kind: "drop" | "duplicate", times: number) => Promise<unknown>;
  endFaults: () => Promise<void>;
  advanceClock: (seconds: number) => Promise<unknown>;
  /** Ends what tests leave behind: faults, and a clock that is ahead. */
  putBack: () => Promise<void>;
  /** Decides about whoever has this phone, in the place of the screening. */
  decide: (phone: string, status: "approved" | "rejected") => Promise<unknown>;
  /** The intents of whoever has this phone. */
  countIntents: (phone: string) => Promise<number>;
};

/** The sandbox of the service at this address, as the client that Harbor is in the demo. */
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
    spoilNextWebhooks: (kind, times) => call("PUT", "webhook_faults", { kind, times }),
    endFaults,
    advanceClock: (seconds) => call("POST", "clock/advance", { seconds }),
    putBack: async () => {
      await endFaults();
      // A reset ends every authorization: where no time has passed there is none.
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
