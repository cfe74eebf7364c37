import { createHash } from "node:crypto";
import { idFor } from "../../kit/ids.ts";

const hashBytes = 20;

/**
 * What a seeded client has beside its settings. Derived from its id, so a partner can copy the values into a test: they are
 * the same at every start and in every folder. They are public, and say so with their first word.
 */
export function seedValuesOf(clientId: string) {
  const hash = createHash("sha256").update(`webhook secret of ${clientId}`).digest().subarray(0, hashBytes);
  return {
    provider: clientId.replace(/^demo-/, ""),
    webhookSecret: `whsec_${Buffer.concat([Buffer.from("demo"), hash]).toString("base64")}`,
    customerEndpointSecret: `demo-customer-endpoint-secret-of-${clientId}`,
    businessProfileId: idFor(`business profile of ${clientId}`),
    businessUserId: idFor(`business user of ${clientId}`),
    businessUserPhone: "+12025550100",
  };
}
