import { IncomingMessage, type ServerResponse } from "node:http";

/** A body that was read whole, or why it was not: it is larger than allowed, or its sender went away. */
export type ReadBody = Buffer | "too_large" | "cut_off";

/** Whether a request has a body, whatever its method. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reads a body of at most `bytesMax`. One that announces more is not read at all; reading stops when it turns out larger. */
export function readBodyWithin(request: IncomingMessage, bytesMax: number): Promise<ReadBody> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too_large");
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        chunks = [];
        resolve("too_large");
      }
    });
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", () => resolve("cut_off"));
    request.once("close", () => resolve("cut_off"));
  });
}

/** The same request with a body that has been read already, for a handler that reads it again. */
export function withBody(request: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const copy = new IncomingMessage(request.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  // Set before the stream ends; otherwise its end would count as the end of the connection.
  copy.complete = true;
  if (body.length > 0) copy.push(body);
  copy.push(null);
  return copy;
}

// A sender that is still sending would lose the answer if its connection were reset at once.
const lingerMs = 1000;

/** Answers 413 with one sentence and ends the connection; what still arrives in the next second is thrown away. */
export function refuseBody(request: IncomingMessage, response: ServerResponse, sentence: string): void {
  const text = `${sentence}\n`;
  response.writeHead(413, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.write(text);
  const timer = setTimeout(() => response.end(), lingerMs);
  request.resume().once("end", () => response.end());
  response.once("close", () => clearTimeout(timer));
}
