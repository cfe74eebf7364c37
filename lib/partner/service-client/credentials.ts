/** The `authorization` header of client-level calls; both parts are form-url-encoded first. Decision D2 */
export function asClient({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** The `authorization` header of calls on behalf of the user whose access token this is. */
export function asUser(accessToken: string): string {
  return `Bearer ${accessToken}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
