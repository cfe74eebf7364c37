/** What came of a call: its status with its body, or that there was no answer. */
export type CallAnswer = { status: number; body: unknown } | { status: null };

/** Makes a call of the sandbox by way of the console, which adds the client's credentials. */
export async function makeCall({ method, path, body }: ClientCall): Promise<CallAnswer> {
  try {
    const answer = await fetch("/console/calls", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ method, path, body }),
    });
    // The console had no answer either, or one that broke off.
    if (answer.status === 504) return { status: null };
    return { status: answer.status, body: await answer.json() };
  } catch {
    return { status: null };
  }
}

/** Why a call was refused, in the service's words, field by field where it names them. */
export function refusalText(body: unknown): string {
  if (typeof body !== "object" || body === null) return "";
  const errors = "errors" in body && Array.isArray(body.errors) ? body.errors : [];
  const ofFields = errors.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`);
  if (ofFields.length > 0) return ofFields.join(" ");
  return "description" in body ? String(body.description) : "";
}

/** A call of the service by the client, with its id and secret. */
export type ClientCall = { method: "GET" | "POST" | "PUT" | "DELETE"; path: string; body?: unknown };

/** The call as one line for a shell in which CLIENT_ID and CLIENT_SECRET are set. */
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
