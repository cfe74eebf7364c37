import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** A parsed `npm run client` command: `input` has the fields of the operator's listener (lib/contract/operator.ts). */
export type ClientCommand = {
  command: CommandName;
  clientId: string | undefined;
  input: Record<string, unknown>;
  /** The new file for the result. */
  outputFile: string | undefined;
  isJson: boolean;
};

/** How an option's value becomes a field. */
type Option = { field: string; as: "text" | "list" | "number" | "reasons" | "file" | "output" | "true" | "null" };

type Command = {
  /** What the command takes after the client's id, in addition to the options of every change. */
  usage: string;
  help: string;
  /** The field that the word after the client's id sets. */
  word?: { field: string; values: Record<string, unknown> };
  options: Record<string, Option>;
};

const text = (field: string): Option => ({ field, as: "text" });
const list = (field: string): Option => ({ field, as: "list" });

const commands = {
  create: {
    usage:
      "--name NAME [--redirect-uri ADDRESS]… [--webhook-url ADDRESS] [--customers-url ADDRESS] [--provider NAME] [--trusted]",
    help: "registers a client and prints its three secrets",
    options: {
      name: text("name"),
      "redirect-uri": list("redirect_uris"),
      "webhook-url": text("webhook_url"),
      "customers-url": text("customers_url"),
      provider: text("provider"),
      trusted: { field: "trusted_authentication", as: "true" },
    },
  },
  show: { usage: "", help: "prints a client without its secrets; without an id, all clients", options: {} },
  "rotate-secret": {
    usage: "client|webhook|customer-endpoint [--at-once] [--from-file FILE]",
    help: "replaces a secret and prints the new one; the old client or webhook secret stays valid for a day, unless --at-once; --from-file sets a secret that the customer endpoint already accepts",
    word: {
      field: "secret",
      values: { client: "client", webhook: "webhook", "customer-endpoint": "customer_endpoint" },
    },
    options: { "at-once": { field: "at_once", as: "true" }, "from-file": { field: "value", as: "file" } },
  },
  redirects: {
    usage: "[--add ADDRESS]… [--remove ADDRESS]…",
    help: "registers and removes redirect addresses",
    options: { add: list("add"), remove: list("remove") },
  },
  webhook: {
    usage: "--url ADDRESS | --none",
    help: "sets the webhook address and re-enables a disabled endpoint; with --none, webhooks wait",
    options: { url: text("url"), none: { field: "url", as: "null" } },
  },
  trusted: {
    usage: "on|off [--provider NAME] [--customers-url ADDRESS]",
    help: "turns trusted authentication on or off",
    word: { field: "enabled", values: { on: true, off: false } },
    options: { provider: text("provider"), "customers-url": text("customers_url") },
  },
  business: {
    usage: "[--first-name NAME] [--last-name NAME] [--email ADDRESS] [--phone NUMBER]",
    help: "opens the client's business, which needs all four, or changes it",
    options: {
      "first-name": text("first_name"),
      "last-name": text("last_name"),
      email: text("email"),
      phone: text("phone"),
    },
  },
  fund: {
    usage: "--amount USD --treasury NAME --reference TEXT [--account-id ID]",
    help: "posts money that has arrived at a treasury account to the business's account; a reference is posted once",
    options: {
      amount: { field: "amount", as: "number" },
      treasury: text("treasury"),
      reference: text("reference"),
      "account-id": text("account_id"),
    },
  },
  reverse: {
    usage: "--reference TEXT",
    help: "reverses the payment with this reference, once, if the amount is available",
    options: { reference: text("reference") },
  },
  decide: {
    usage: '--user-intent-id ID | --user-id ID, --status STATUS [--reason "CODE: MESSAGE"]…',
    help: "decides about a person whose screening was inconclusive; suspends and reinstates users",
    options: {
      "user-intent-id": text("user_intent_id"),
      "user-id": text("user_id"),
      status: text("status"),
      reason: { field: "rejection_reasons", as: "reasons" },
    },
  },
  photo: {
    usage: "--user-id ID --out FILE",
    help: "writes a person's photo ID to a new file that only you can read, and records the access",
    options: { "user-id": text("user_id"), out: { field: "out", as: "output" } },
  },
  redeliver: {
    usage: "--webhook-id ID | --since TIME [--until TIME]",
    help: "resends one webhook, or all created in a period (2026-01-31T09:30:00Z)",
    options: { "webhook-id": text("webhook_id"), since: text("since"), until: text("until") },
  },
  enable: { usage: "", help: "re-enables a disabled client", options: {} },
  disable: {
    usage: "",
    help: "refuses the client's credentials and tokens; transfers in progress still settle",
    options: {},
  },
} satisfies Record<string, Command>;
export type CommandName = keyof typeof commands;

const common: Record<string, Option> = { by: text("by"), "dry-run": { field: "dry_run", as: "true" } };

/** An invalid command line, explained in one sentence. */
export class WrongCommandError extends Error {}

/** Reads the arguments after `npm run client --`. Throws WrongCommandError. */
export function readCommand(args: readonly string[]): ClientCommand {
  const [name = "", ...rest] = args;
  if (!isCommand(name)) {
    const problem = name === "" ? "Name a command" : `"${name}" isn't a command`;
    throw new WrongCommandError(`${problem}: ${Object.keys(commands).join(", ")}.`);
  }
  const command: Command = commands[name];
  const options = name === "show" ? {} : { ...common, ...command.options };
  const { values, positionals } = parse(rest, options);
  const [clientId, word, ...more] = positionals;
  const input: Record<string, unknown> = {};
  let outputFile: string | undefined;
  for (const [option, value] of Object.entries(values)) {
    const known = options[option];
    if (!known) continue;
    if (known.as === "output") {
      outputFile = String(value);
      continue;
    }
    if (known.field in input) throw new WrongCommandError(`--${option}: It conflicts with another option.`);
    input[known.field] = fieldOf(option, known, value);
  }
  if (clientId === undefined && name !== "show") throw new WrongCommandError(`${name}: Put the client's id first.`);
  const extra = command.word ? more[0] : word;
  if (extra !== undefined) throw new WrongCommandError(`${extra}: Unexpected argument.`);
  if (command.word) {
    const allowed = command.word.values;
    if (word === undefined || !Object.hasOwn(allowed, word)) {
      throw new WrongCommandError(`${name}: Add ${Object.keys(allowed).join(" or ")} after the client's id.`);
    }
    input[command.word.field] = allowed[word];
  }
  const output = Object.entries(command.options).find(([, { as }]) => as === "output");
  if (output && outputFile === undefined) throw new WrongCommandError(`${name}: Name a new file with --${output[0]}.`);
  return { command: name, clientId, input, outputFile, isJson: values["json"] === true };
}

function parse(args: string[], options: Record<string, Option>) {
  const types = Object.entries(options).map(([name, { as }]) => {
    const type = as === "true" || as === "null" ? "boolean" : "string";
    return [name, { type, multiple: as === "list" || as === "reasons" }] as const;
  });
  const config = Object.fromEntries([...types, ["json", { type: "boolean", multiple: false }] as const]);
  try {
    const parsed = parseArgs({ args, options: config, allowPositionals: true, tokens: true });
    const named = parsed.tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
    const twice = named.find((name, index) => named.indexOf(name) !== index && !config[name]?.multiple);
    if (twice !== undefined) throw new WrongCommandError(`--${twice}: Given twice.`);
    return parsed;
  } catch (error) {
    if (error instanceof WrongCommandError) throw error;
    const [sentence = ""] = error instanceof Error ? error.message.split(/\. |\n/) : [];
    throw new WrongCommandError(`${sentence.replace(/\.$/, "")}.`);
  }
}

type Value = string | boolean | (string | boolean)[] | undefined;

function fieldOf(name: string, { as }: Option, value: Value): unknown {
  switch (as) {
    case "file":
      return readValue(name, String(value));
    case "output":
    case "text":
    case "list":
      return value;
    case "true":
      return true;
    case "null":
      return null;
    case "number":
      return /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : value;
    case "reasons":
      return [value].flat().map((reason) => {
        const [code = "", ...message] = String(reason).split(":");
        return { code: code.trim(), message: message.join(":").trim() };
      });
  }
}

// From a file, because other users of the machine can see a command's arguments.
function readValue(option: string, file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new WrongCommandError(`--${option}: ${file} can't be read.`);
  }
}

/** Where an input field came from, as typed in the terminal. */
export function placeOf(
  { command, clientId = "" }: Pick<ClientCommand, "command" | "clientId">,
  field: string,
): string {
  const [first = ""] = field.split(".");
  const { word, options }: Command = commands[command];
  if (first === "client_id") return clientId;
  if (word?.field === first) return command;
  const found = Object.entries({ ...common, ...options }).find(([, option]) => option.field === first);
  return found ? `--${found[0]}` : first;
}

/** All commands, with their options and effects. */
export function describeCommands(): string {
  const lines = Object.entries(commands).flatMap(([name, { usage, help }]) => {
    const id = name === "show" ? "[ID]" : "ID";
    return [`  ${[name, id, usage].filter(Boolean).join(" ")}`, `      ${help}`];
  });
  return [
    "npm run client -- COMMAND, for the operator of the service:",
    ...lines,
    "Every change takes --by NAME (its author, recorded with the time) and --dry-run (validates and saves nothing).",
    "--json prints one line of JSON. Exit codes: 0 success, 1 failure, 2 usage error.",
  ].join("\n");
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
