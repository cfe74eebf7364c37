import { limits } from "../../contract/limits.ts";

/** The body as text, or undefined once it grows past 64 KiB: whoever is not yet known to be genuine gets no memory. */
export async function readWebhookBody(request: Request): Promise<string | undefined> {
  if (!request.body) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.body) {
    bytes += part.byteLength;
    if (bytes > limits.requestBytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
