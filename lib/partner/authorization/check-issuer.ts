import type { Unsuccessful } from "#client";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";

/**
 * Whether an answer comes from our service, by its `iss` (RFC 9207, Decision D18): another one is always wrong, a missing
 * one only where the service announces that it sends it. An answer without success when that could not be found out.
 */
export async function checkIssuer(
  partner: Partner,
  issuer: string | null,
  traceId: TraceId,
): Promise<{ kind: "right" } | { kind: "wrong" } | Unsuccessful> {
  if (issuer !== null) return { kind: issuer === partner.config.serviceBaseUrl ? "right" : "wrong" };
  const announced = await partner.client.readAuthorizationServerMetadata({ traceId });
  if (announced.kind === "ok") {
    return { kind: announced.body.authorization_response_iss_parameter_supported ? "wrong" : "right" };
  }
  // The document is not published: whoever has none may refuse in any way, but not for a moment only.
  const hasNoDocument = announced.kind === "refused" && announced.status < 500 && announced.status !== 429;
  return hasNoDocument ? { kind: "right" } : announced;
}
