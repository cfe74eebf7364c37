import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { type NamedPeople, type Settings, usualSettings } from "./world/settings.ts";

export type Options = { settings: Settings; jsonFile: string | undefined };

export const usage = `npm run conformance -- --base-url <address> --client-id <id> --client-secret <secret>
  [--auth-url <address>]             the authorization pages' address, if it differs
  [--no-sandbox]                     run only checks that any client can make
  [--control <address>]              the operator's control adapter, instead of a sandbox
  [--people <file>] [--redirect-uri <address>]
                                     the operator's test people, instead of a sandbox (docs/conformance.md)
  [--budget <seconds>]               start no check after this time (${usualSettings.runMsMax / 1000})
  [--patience <seconds>]             how long to wait for a webhook (${usualSettings.patienceMs / 1000})
  [--json <file>]                    also write the report as JSON
  [--provider <name>]                the client's provider, if no sandbox creates one (${usualSettings.provider})
  [--book-path <path>]               the path that creates a routine (${usualSettings.bookPath})
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
      control: text,
      people: text,
      "redirect-uri": text,
      budget: { ...text, default: String(usualSettings.runMsMax / 1000) },
      patience: { ...text, default: String(usualSettings.patienceMs / 1000) },
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
  const { control, people, "redirect-uri": redirectUri } = values;
  if (control !== undefined && people !== undefined) throw new Error("Use --control or --people, not both.");
  return {
    jsonFile: values.json,
    settings: {
      ...usualSettings,
      baseUrl,
      authUrl: values["auth-url"] === undefined ? baseUrl : address("--auth-url", values["auth-url"]),
      clientId: required("--client-id", values["client-id"]),
      clientSecret: required("--client-secret", values["client-secret"]),
      hasSandbox: !values["no-sandbox"] && control === undefined && people === undefined,
      controlUrl: control === undefined ? undefined : address("--control", control),
      people: people === undefined ? undefined : readPeople(people),
      redirectUri: redirectUri === undefined ? undefined : address("--redirect-uri", redirectUri),
      runMsMax: msOf("--budget", values.budget),
      patienceMs: msOf("--patience", values.patience),
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
    throw new Error(`${name} must be a URL like https://service.example.`);
  return text.replace(/\/$/, "");
}

function msOf(name: string, text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`${name} must be a number of seconds.`);
  return Number(text) * 1000;
}

const namedPeople = z.strictObject({
  approved: z.record(z.string(), z.unknown()).optional(),
  rejected: z.record(z.string(), z.unknown()).optional(),
  business: z.strictObject({ user_id: z.string(), phone: z.string() }).optional(),
  instruments: z.strictObject({ source: z.string(), destination: z.string() }).partial().optional(),
});

function readPeople(file: string): NamedPeople {
  const { data, error } = namedPeople.safeParse(readJson(file));
  if (data) return data;
  const [issue] = error.issues;
  throw new Error(`--people: ${file} is wrong at ${issue?.path.join(".") || "its top"}: ${issue?.message}.`);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`--people: ${file} can't be read: ${error instanceof Error ? error.message : error}.`);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new Error("--port must be a port.");
  return port;
}
