import { createGuardedAgent, outboundDispatcher } from "../outbound/dispatcher.ts";

/** Makes every DNS lookup of outbound calls fail with this code, until the returned function is called. */
export function breakResolver(code: string): () => Promise<void> {
  const slots = globalThis as unknown as Record<symbol, { value: unknown }>;
  const slot = Symbol.for("gangway.service.outbound");
  const working = outboundDispatcher();
  const resolve = () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code }));
  const broken = createGuardedAgent({ allowsLoopback: true, networks: [] }, resolve);
  slots[slot] = { value: broken };
  return async () => {
    slots[slot] = { value: working };
    await broken.close();
  };
}
