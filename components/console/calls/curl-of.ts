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
