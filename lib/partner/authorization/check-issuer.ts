import type { TraceId } from "../../kit/trace.ts";
import { partnerConfig } from "../config.ts";
import { readAuthorizationServerMetadata } from "../service-client/authorization-server.ts";

/**
 * Whether an answer comes from our service, by its `iss` (RFC 9207, Decision D18): another one is always wrong, a missing
 * one only where the service announces that it sends it. `unknown` when that could not be found out.
 */
export async function checkIssuer(issuer: string | null, traceId: TraceId): Promise<"right" | "wrong" | "unknown"> {
  if (issuer !== null) return issuer === partnerConfig().serviceBaseUrl ? "right" : "wrong";
  const announced = await readAuthorizationServerMetadata({ traceId });
  if (announced.kind === "ok") {
    return announced.body.authorization_response_iss_parameter_supported ? "wrong" : "right";
  }
  const hasNoDocument = announced.kind === "refused" && announced.status === 404;
  return hasNoDocument ? "right" : "unknown";
}
