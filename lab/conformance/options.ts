import { parseArgs } from "node:util";
import { type Settings, usualSettings } from "./world/settings.ts";

export type Options = { settings: Settings; jsonFile: string | undefined };

export const usage = `npm run conformance -- --base-url <address> --client-id <id> --client-secret <secret>
  [--auth-url <address>]             of the authorization pages, when it is another one
  [--no-sandbox]                     only what any client may do
  [--json <file>]                    writes the report as JSON too
  [--provider <name>]                of the client, where no sandbox makes one (${usualSettings.provider})
  [--book-path <path>]               for a new routine (${usualSettings.bookPath})
  [--book-fields <four names>]       name, amount, origin, receiver (${usualSettings.bookFields.join(",")})
  [--idempotency-header <name>]      (${usualSettings.idempotencyHeader})
  [--accounts-path <path>]           (${usualSettings.accountsPath})
  [--port <number>] [--reachable-at <address>]
                                     where the suite listens, and where the service reaches it`;

/** Parses the command line. Throws a readable message. */
export function readOptions(parameters: string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: parameters,
    options: {
      "base-url": text,
      "auth-url": text,
      "client-id": text,
      "client-secret": text,
      "no-sandbox": { type: "boolean", default: false },
      json: text,
      provider: { ...text, default: usualSettings.provider },
      "book-path": { ...text, default: usualSettings.bookPath },
      "book-fields": { ...text, default: usualSettings.bookFields.join(",") },
      "idempotency-header": { ...text, default: usualSettings.idempotencyHeader },
      "accounts-path": { ...text, default: usualSettings.accountsPath },
      port: text,
      "reachable-at": text,
    },
  });
  const baseUrl = address("--base-url", values["base-url"]);
  const [name, amount, source, destination, ...others] = values["book-fields"].split(",");
  if (!name || !amount || !source || !destination || others.length > 0) {
    throw new Error("--book-fields are four names with commas between them.");
  }
  const reachableAt = values["reachable-at"];
  return {
    jsonFile: values.json,
    settings: {
      ...usualSettings,
      baseUrl,
      authUrl: values["auth-url"] === undefined ? baseUrl : address("--auth-url", values["auth-url"]),
      clientId: required("--client-id", values["client-id"]),
      clientSecret: required("--client-secret", values["client-secret"]),
      hasSandbox: !values["no-sandbox"],
      provider: values.provider,
      bookPath: values["book-path"],
      bookFields: [name, amount, source, destination],
      idempotencyHeader: values["idempotency-header"],
      accountsPath: values["accounts-path"],
      port: values.port === undefined ? undefined : portOf(values.port),
      reachableAt: reachableAt === undefined ? undefined : address("--reachable-at", reachableAt),
    },
  };
}

function required(name: string, value: string | undefined): string {
  if (!value) throw new Error(`${name} is missing.`);
  return value;
}

function address(name: string, value: string | undefined): string {
  const text = required(name, value);
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new Error(`${name} must be an address like https://service.example.`);
  return text.replace(/\/$/, "");
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("--port must be a port.");
  return port;
}
