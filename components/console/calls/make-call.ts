/** A null status means no response. */
export type CallAnswer = { status: number; body: unknown } | { status: null };

/** Makes a sandbox call for this client through the console, which adds the credentials. */
export async function makeCall({ method, path, body }: ClientCall, clientId: string): Promise<CallAnswer> {
  try {
    const answer = await fetch("/console/calls", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ method, path, body, client_id: clientId }),
    });
    // The console got no response, or a truncated one.
    if (answer.status === 504) return { status: null };
    return { status: answer.status, body: bodyOf(answer.status, (await answer.text()).trim()) };
  } catch {
    return { status: null };
  }
}

const refusalLength = 200;

function bodyOf(status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The gateway and proxies refuse in plain text or HTML. A proxy's 5xx doesn't say whether the call went through.
    if (status < 400 || status >= 500) throw error;
    return { description: text.startsWith("<") ? "" : text.slice(0, refusalLength) };
  }
}

/** The service's error message, per field if it names fields. */
export function refusalText(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  const errors = "errors" in body && Array.isArray(body.errors) ? body.errors : [];
  const ofFields = errors.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
  if (ofFields.length > 0) return ofFields.join(" ");
  return "description" in body ? String(body.description) : "";
}

export type ClientCall = { method: "GET" | "POST" | "PUT" | "DELETE"; path: string; body?: unknown };

/** A one-line command that expects CLIENT_ID and CLIENT_SECRET in the environment. */
export function curlOf({ method, path, body }: ClientCall, baseUrl: string): string {
  return [
    'curl -sS -u "$CLIENT_ID:$CLIENT_SECRET"',
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(body === undefined ? [] : [`-H "content-type: application/json" -d ${inSingleQuotes(JSON.stringify(body))}`]),
    inSingleQuotes(baseUrl + path),
  ].join(" ");
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
