import { isAddress, isInNetworks } from "../../../kit/networks.ts";
import { serviceConfig } from "../../config.ts";
import { findLiteralRefusal, literalOf } from "../../outbound/dispatcher.ts";

// Decision D23

/** Why a client can't have this redirect address. In production, only loopback may get codes unencrypted (RFC 8252). */
export function findRedirectRefusal(uri: string): string | undefined {
  const { protocol, hostname } = new URL(uri);
  if (protocol === "https:" || serviceConfig().mode === "sandbox" || loopback.test(hostname)) return undefined;
  return "Must be an https address: http is allowed only for loopback addresses.";
}

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Why the service can't call this webhook or customer endpoint. In production, only your own networks may use http. */
export function findReceiverRefusal(url: string): string | undefined {
  const { mode, outboundNetworks } = serviceConfig();
  const { protocol, hostname } = new URL(url);
  const refusal = findLiteralRefusal(url);
  if (refusal || protocol === "https:" || mode === "sandbox") return refusal;
  const host = literalOf(hostname);
  // Names are resolved only when they're dialed.
  const mayBeInside = isAddress(host) ? isInNetworks(host, outboundNetworks) : outboundNetworks.length > 0;
  if (mayBeInside) return undefined;
  return "Must be an https address: http is allowed only in the networks of SERVICE_OUTBOUND_NETWORKS.";
}
