import { clientSettings, webhookEndpointRequest } from "../lib/contract/sandbox.ts";
import { isAddress } from "../lib/kit/networks.ts";

/** The options of the command `plainbook`; defaults are in service-settings.ts. */
export type ServiceOptions = { [name in keyof typeof options]?: string };

type Option = {
  /** How the value is written in the list of options. */
  value: string;
  says: string;
  /** What a value must be, as the end of a sentence; undefined when this one is. */
  problemOf: (value: string) => string | undefined;
};

const portMax = 65_535;

const options = {
  port: {
    value: "number",
    says: "the port it listens on: 4000 unless said otherwise; 0 takes a free one",
    problemOf: (value) =>
      /^\d{1,5}$/.test(value) && Number(value) <= portMax ? undefined : `must be a number from 0 to ${portMax}`,
  },
  host: {
    value: "address",
    says: "the interface it listens on: 127.0.0.1 unless said otherwise; 0.0.0.0 lets other machines in",
    problemOf: (value) => (isAddress(value) ? undefined : "must be an address of this machine, such as 0.0.0.0"),
  },
  "public-url": {
    value: "address",
    says: "where browsers and apps reach it, when not at that host and port; also the issuer",
    problemOf: (value) =>
      isOrigin(value) ? undefined : "must be an address like http://localhost:5000, without a path",
  },
  data: {
    value: "folder|memory",
    says: "where its database is kept: .data/service unless said otherwise; memory keeps nothing and starts faster",
    problemOf: (value) => (value.trim() === "" ? "must name a folder" : undefined),
  },
  "client-id": {
    value: "id",
    says: "the id of your client: demo-client unless said otherwise",
    problemOf: (value) =>
      /^[A-Za-z0-9._-]{1,64}$/.test(value)
        ? undefined
        : "must be 1 to 64 letters, digits, dots, hyphens or underscores",
  },
  "client-secret": {
    value: "secret",
    says: "its secret; one that is made of the id unless said otherwise",
    problemOf: (value) => (/^[\x21-\x7e]+$/.test(value) ? undefined : "must be printable ASCII without spaces"),
  },
  "client-name": {
    value: "name",
    says: "what people read on the page where they authorize it: the id unless said otherwise",
    problemOf: (value) => (value.trim() === "" ? "must not be empty" : undefined),
  },
  "redirect-uri": {
    value: "address",
    says: "where people come back to: http://localhost:3000/callback unless said otherwise",
    problemOf: (value) => addressProblem(clientSettings.shape.redirect_uris.safeParse([value]).success),
  },
  "webhook-url": {
    value: "address",
    says: "where webhooks go; they wait when none is given",
    problemOf: (value) => addressProblem(webhookEndpointRequest.safeParse({ url: value }).success),
  },
  "customers-url": {
    value: "address",
    says: "where your customers are asked for; the sandbox vouches for everybody when none is given",
    problemOf: (value) => addressProblem(clientSettings.shape.customers_url.safeParse(value).success),
  },
  "trusted-authentication": {
    value: "on|off",
    says: "whether visits need an identity verification token: on unless said otherwise",
    problemOf: (value) => (value === "on" || value === "off" ? undefined : "must be on or off"),
  },
} satisfies Record<string, Option>;

/** The options with what each is for, a line each. */
export function describeOptions(): string {
  const rows = Object.entries(options).map(([name, { value, says }]) => [`  --${name} <${value}>`, says] as const);
  const width = Math.max(...rows.map(([option]) => option.length));
  return rows.map(([option, says]) => `${option.padEnd(width)}  ${says}`).join("\n");
}

/**
 * Reads `--name value` and `--name=value`. Throws one sentence with the list of options for the first word that is no option,
 * comes twice, lacks its value or has one that cannot be.
 */
export function readServiceOptions(words: readonly string[]): ServiceOptions {
  const read: ServiceOptions = {};
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = "", inline] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (!isOption(name)) throw refusal(`${word} is no option`);
    if (read[name] !== undefined) throw refusal(`--${name} is given twice`);
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

function addressProblem(isRight: boolean): string | undefined {
  return isRight ? undefined : "must be an address like http://localhost:3000/path";
}

function refusal(problem: string): Error {
  return new Error(
    `${problem}; the options are ${Object.keys(options)
      .map((name) => `--${name}`)
      .join(", ")}.`,
  );
}
