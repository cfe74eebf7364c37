import { parseArgs } from "node:util";
import { basicCredentials } from "../lib/kit/basic-credentials.ts";

/** Calls the sandbox as the client; throws a one-sentence error if there is no answer or a refusal. */
export type CallSandbox = (method: string, path: string, body?: unknown) => Promise<unknown>;

const text = { type: "string" } as const;

/** The options of every command that calls a sandbox. */
export const sandboxOptions = { "base-url": text, "client-id": text, "client-secret": text };

/** Reads a command's options. `--help` prints the usage; wrong ones print the problem too, and exit with 2. */
export function readOptions<Options extends NonNullable<Parameters<typeof parseArgs>[0]>["options"]>(
  options: Options,
  usage: string,
) {
  if (process.argv.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    const { values, positionals } = parseArgs({ options: { ...sandboxOptions, ...options }, allowPositionals: true });
    const {
      "base-url": baseUrl,
      "client-id": clientId,
      "client-secret": clientSecret,
    } = values as Record<string, string>;
    const missing = Object.keys(sandboxOptions).find((name) => !(values as Record<string, string>)[name]);
    if (!baseUrl || !clientId || !clientSecret) throw new Error(`--${missing} is missing`);
    return { values, positionals, callSandbox: sandboxCaller({ baseUrl, clientId, clientSecret }) };
  } catch (error) {
    // Node.js adds advice about positional arguments.
    const [problem] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    return giveUp(`${problem}.\n${usage}`);
  }
}

/** Ends the command: its arguments were wrong, or the sandbox didn't answer. */
export function giveUp(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

function sandboxCaller({
  baseUrl,
  clientId,
  clientSecret,
}: Record<"baseUrl" | "clientId" | "clientSecret", string>): CallSandbox {
  const authorization = basicCredentials(clientId, clientSecret);
  return async (method, path, body) => {
    const noAnswer = (error: unknown): never => {
      const call = method === "GET" ? `${method} ${path}` : `${method} ${path}, which may or may not have gone through`;
      throw new Error(`${baseUrl} doesn't answer ${call}: ${error instanceof Error ? error.message : error}`);
    };
    const answer = await fetch(`${baseUrl.replace(/\/$/, "")}${path}`, {
      method,
      headers: {
        authorization,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    }).catch(noAnswer);
    const answered = await answer.text().catch(noAnswer);
    if (!answer.ok)
      throw new Error(`${baseUrl} answers ${method} ${path} with ${answer.status}: ${answered.slice(0, 500)}`);
    try {
      return answered === "" ? undefined : JSON.parse(answered);
    } catch {
      throw new Error(`${baseUrl} answers ${method} ${path} with something other than JSON.`);
    }
  };
}
