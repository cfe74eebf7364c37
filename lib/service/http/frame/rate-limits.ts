import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { processWide } from "../../../kit/memoize.ts";
import { networkOf } from "../../../kit/networks.ts";
import { serviceConfig } from "../../config.ts";
import { refuse, ServiceError } from "./refusal.ts";

// Decision D17: throughput limits, in memory per process. Limits on guessing are counted in PostgreSQL instead.
const limiters = processWide("service.rate_limiters", () => {
  const { requestsPerSecondMax: tokens } = serviceConfig();
  return {
    address: perSecond(10 * tokens),
    client: perSecond(5 * tokens),
    tokens: perSecond(tokens),
  };
});

/**
 * Counts one request from this address, as the gateway saw it, before the request costs anything. Throws rate_limited.
 */
export function requireAddressWithinRate(address: string): Promise<void> {
  return consume(limiters().address, shareOf(address), "address_rate");
}

/** The same for requests that the gateway answers without the API; false when the address is over its limit. */
export async function isAddressWithinRate(address: string): Promise<boolean> {
  try {
    await limiters().address?.consume(shareOf(address));
    return true;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return false;
  }
}

// A holder of one IPv6 address has all 2^64 of its network.
function shareOf(address: string): string {
  return networkOf(address, { ipv6Bits: 64 });
}

/** Counts one request of an authenticated client. Throws rate_limited. */
export function requireClientWithinRate(clientId: string, { isOAuth }: { isOAuth: boolean }): Promise<void> {
  const { tokens, client } = limiters();
  return isOAuth ? consume(tokens, clientId, "client_token_rate") : consume(client, clientId, "client_rate");
}

async function consume(limiter: RateLimiterMemory | undefined, key: string, cause: string): Promise<void> {
  try {
    await limiter?.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const retryAfter = String(Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
    throw new ServiceError(refuse("rate_limited", { cause, headers: { "retry-after": retryAfter } }));
  }
}

function perSecond(points: number): RateLimiterMemory | undefined {
  return points > 0 ? new RateLimiterMemory({ points, duration: 1 }) : undefined;
}
