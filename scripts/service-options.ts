import { clientSettings, webhookEndpointRequest } from "../lib/contract/sandbox.ts";
import { isAddress } from "../lib/kit/networks.ts";

/** The options of the command `plainbook`; defaults are in service-settings.ts. */
export type ServiceOptions = { [name in keyof typeof options]?: string };

type Option = {
  /** Placeholder in the list of options. */
  value: string;
  help: string;
  /** What a value must be, as the end of a sentence; undefined if the value is valid. */
  problemOf: (value: string) => string | undefined;
};

const portMax = 65_535;

const options = {
  port: {
    value: "number",
    help: "port to listen on (default: 4000); 0 picks a free one",
    problemOf: (value) =>
      /^\d{1,5}$/.test(value) && Number(value) <= portMax ? undefined : `must be a number from 0 to ${portMax}`,
  },
  host: {
    value: "address",
    help: "interface to listen on (default: 127.0.0.1); 0.0.0.0 accepts other machines",
    problemOf: (value) => (isAddress(value) ? undefined : "must be an address of this machine, such as 0.0.0.0"),
  },
  "public-url": {
    value: "address",
    help: "the URL browsers and apps use, if it isn't that host and port; also the issuer",
    problemOf: (value) =>
      isOrigin(value) ? undefined : "must be an address like http://localhost:5000, without a path",
  },
  data: {
    value: "folder|memory",
    help: "folder of the database (default: .data/service); memory keeps nothing and starts faster",
    problemOf: (value) => (value.trim() === "" ? "must name a folder" : undefined),
  },
  "client-id": {
    value: "id",
    help: "your client's id (default: demo-client)",
    problemOf: (value) =>
      /^[A-Za-z0-9._-]{1,64}$/.test(value)
        ? undefined
        : "must be 1 to 64 letters, digits, dots, hyphens or underscores",
  },
  "client-secret": {
    value: "secret",
    help: "your client's secret (default: derived from the id)",
    problemOf: (value) => (/^[\x21-\x7e]+$/.test(value) ? undefined : "must be printable ASCII without spaces"),
  },
  "client-name": {
    value: "name",
    help: "name shown on the consent page (default: the id)",
    problemOf: (value) => (value.trim() === "" ? "must not be empty" : undefined),
  },
  "redirect-uri": {
    value: "address",
    help: "where people return (default: http://localhost:3000/callback)",
    problemOf: (value) => addressProblem(clientSettings.shape.redirect_uris.safeParse([value]).success),
  },
  "webhook-url": {
    value: "address",
    help: "where webhooks are sent; without it, they wait",
    problemOf: (value) => addressProblem(webhookEndpointRequest.safeParse({ url: value }).success),
  },
  "customers-url": {
    value: "address",
    help: "your customer endpoint; without it, the sandbox answers for every customer",
    problemOf: (value) => addressProblem(clientSettings.shape.customers_url.safeParse(value).success),
  },
  "trusted-authentication": {
    value: "on|off",
    help: "whether visits need an identity verification token (default: on)",
    problemOf: (value) => (value === "on" || value === "off" ? undefined : "must be on or off"),
  },
} satisfies Record<string, Option>;

/** One line per option. */
export function describeOptions(): string {
  const rows = Object.entries(options).map(([name, { value, help }]) => [`  --${name} <${value}>`, help] as const);
  const width = Math.max(...rows.map(([option]) => option.length));
  return rows.map(([option, help]) => `${option.padEnd(width)}  ${help}`).join("\n");
}

/**
 * Reads `--name value` and `--name=value`. Throws a one-sentence error with the list of options at the first unknown, repeated
 * or invalid option.
 */
export function readServiceOptions(args: readonly string[]): ServiceOptions {
  const read: ServiceOptions = {};
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = "", inline] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (!isOption(name)) throw refusal(`${word} isn't an option`);
    if (read[name] !== undefined) throw refusal(`--${name} appears twice`);
    const value = inline ?? (rest[0]?.startsWith("--") ? undefined : rest.shift());
    if (value === undefined) throw refusal(`--${name} has no value`);
    const problem = options[name].problemOf(value);
    if (problem) throw refusal(`--${name} ${problem}`);
    read[name] = value;
  }
  return read;
}

function isOption(name: string): name is keyof typeof options {
  return Object.hasOwn(options, name);
}

function isOrigin(value: string): boolean {
  return (
    /^https?:$/.test(URL.parse(value)?.protocol ?? "") && URL.parse(value)?.href === `${value.replace(/\/$/, "")}/`
  );
}

function addressProblem(isValid: boolean): string | undefined {
  return isValid ? undefined : "must be an address like http://localhost:3000/path";
}

function refusal(problem: string): Error {
  return new Error(
    `${problem}; the options are ${Object.keys(options)
      .map((name) => `--${name}`)
      .join(", ")}.`,
  );
}
