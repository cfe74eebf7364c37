import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../kit/secrets.ts";
import { type Client, findClientForAuthentication } from "../../storage/clients.ts";
import { ServiceError } from "./refusal.ts";

/** Who calls with the Basic scheme: the client application itself. */
export type ClientCaller = { client: Client };

// Base64 with its padding, and nothing after it: two credentials in one header do not pass.
const basicScheme = /^basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;
const clientIdCharactersMax = 200;
const nobody = Buffer.alloc(32);

/** The client whose id and secret the request carries (Decision D2). Throws invalid_client, the same for whatever is wrong. */
export async function requireClient(headers: Headers): Promise<ClientCaller> {
  const credentials = parseBasic(headers.get("authorization"));
  const client = credentials && (await findClientForAuthentication(credentials.clientId));
  // Compared even when there is no such client, so that the time tells nothing.
  const isRight = timingSafeEqual(sha256(credentials?.clientSecret ?? ""), client?.secretHash ?? nobody);
  if (!client || !isRight) {
    throw new ServiceError({
      refuse: "invalid_client",
      description: "Authenticate with the Basic scheme: client_id and client_secret, each form-url-encoded.",
      headers: { "www-authenticate": 'Basic realm="Plainbook", charset="UTF-8"' },
    });
  }
  return { client };
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
    const isPlausible = clientId.length <= clientIdCharactersMax && !clientId.includes("\0");
    return isPlausible ? { clientId, clientSecret } : undefined;
  } catch {
    return undefined;
  }
}

function decodeFormText(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
