import { limits } from "../../../contract/limits.ts";
import { authenticateClient, type ClientCaller } from "../../operations/tokens/authenticate-client.ts";
import { refuse, ServiceError } from "./refusal.ts";

// Base64 with its padding, and nothing after it: two credentials in one header do not pass.
const basicScheme = /^basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;

/** The client whose id and secret the request carries (Decision D2). Throws invalid_client, with the same answer for every cause. */
export async function requireClient(headers: Headers): Promise<ClientCaller> {
  const header = headers.get("authorization");
  const credentials = parseBasic(header);
  if (!credentials) {
    const cause = header === null ? "credentials_missing" : "credentials_malformed";
    throw new ServiceError(refuse("invalid_client", { cause }));
  }
  const outcome = await authenticateClient(credentials);
  if (outcome.kind === "invalid_client") throw new ServiceError(refuse(outcome.kind, { cause: outcome.cause }));
  return outcome.caller;
}

/** Id and secret of an `Authorization: Basic` header, both form-url-decoded (RFC 6749 section 2.3.1), or undefined. */
export function parseBasic(header: string | null): { clientId: string; clientSecret: string } | undefined {
  const encoded = basicScheme.exec(header ?? "")?.[1];
  if (!encoded) return undefined;
  try {
    const decoded = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(encoded, "base64"));
    const colon = decoded.indexOf(":");
    if (colon < 1) return undefined;
    const clientId = decodeFormText(decoded.slice(0, colon));
    const clientSecret = decodeFormText(decoded.slice(colon + 1));
    // PostgreSQL cannot be asked for a text with NUL in it.
    const isPlausible = clientId.length <= limits.clientIdCharactersMax && !clientId.includes("\0");
    return isPlausible ? { clientId, clientSecret } : undefined;
  } catch {
    return undefined;
  }
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
