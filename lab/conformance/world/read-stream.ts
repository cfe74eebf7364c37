import { NotReached } from "../findings.ts";
import type { Client } from "./client.ts";
import { basicCredentials } from "./http.ts";
import type { Settings } from "./settings.ts";

/** A stream's content type, and its text through the first message with an id. */
export type StreamStart = { type: string; text: string; firstId: string | undefined };

// Doesn't wait for an idle service.
const startMsMax = 3000;

/** Reads the first message of a sandbox stream. */
export async function readStream(settings: Settings, client: Client, path: string): Promise<StreamStart> {
  const authorization = basicCredentials(client);
  const stopping = AbortSignal.timeout(startMsMax);
  let text = "";
  try {
    const headers = { accept: "text/event-stream", authorization };
    const answer = await fetch(`${settings.baseUrl}${path}`, { headers, signal: stopping });
    const type = answer.headers.get("content-type") ?? "";
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const firstId = /^id: ?(\S+)\n[\s\S]*?\n\n/m.exec(text)?.[1];
      // Leaving the loop closes the stream.
      if (firstId !== undefined) return { type, text, firstId };
    }
    return { type, text, firstId: undefined };
  } catch {
    throw new NotReached(`The stream ${path} sent nothing in ${startMsMax / 1000} s.`);
  }
}
