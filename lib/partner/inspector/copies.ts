// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are programs, and the templates are theirs
import type { EntryDetails } from "./entry.ts";

// What was hidden becomes the name of an environment variable, as .env.example calls it or after its field: `ssn` is SSN.

/** The same request as text to be run: `curl` in a shell, `typeScript` by Node.js. */
export type Copies = { curl: string; typeScript: string };

/** How to make this request again; undefined when its body was not kept whole. */
export function copiesOf(details: EntryDetails): Copies | undefined {
  const { request, kind } = details;
  if (request.charactersLeftOut !== undefined || typeof request.body === "string") return undefined;
  return kind === "webhook" ? webhookCopies(details) : { curl: asCurl(details), typeScript: asTypeScript(details) };
}

const hidden = '"[redacted]"';

function asCurl(details: EntryDetails): string {
  const { method, request } = details;
  const user = isBasic(details) ? '-u "$PARTNER_CLIENT_ID:$PARTNER_CLIENT_SECRET"' : undefined;
  const bearer = bearerOf(details);
  const lines = [
    `curl -sS -X ${method} "$${baseOf(details)}${inDoubleQuotes(addressOf(details))}"`,
    ...(user ? [user] : []),
    ...(bearer ? [`-H "authorization: Bearer $${bearer}"`] : []),
    ...headersOf(details).map(([name, value]) => `-H "${inDoubleQuotes(`${name}: ${value}`)}"`),
    ...(request.body === undefined ? [] : [`--data-binary @- <<BODY\n${bodyInShell(request.body)}\nBODY`]),
  ];
  return lines.join(" \\\n  ");
}

function asTypeScript(details: EntryDetails): string {
  const { method, request } = details;
  const bearer = bearerOf(details);
  const basic = '`Basic ${btoa(`${env["PARTNER_CLIENT_ID"]}:${env["PARTNER_CLIENT_SECRET"]}`)}`';
  const authorization = isBasic(details) ? basic : bearer && `\`Bearer \${env["${bearer}"]}\``;
  const headers = headersOf(details).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return [
    'import { env } from "node:process";',
    "",
    ...(request.body === undefined ? [] : [`const body = ${bodyInTypeScript(request.body)};`]),
    `const answer = await fetch(env["${baseOf(details)}"] + ${JSON.stringify(addressOf(details))}, {`,
    `  method: "${method}",`,
    "  headers: {",
    ...(authorization ? [`    authorization: ${authorization},`] : []),
    ...headers,
    "  },",
    ...(request.body === undefined ? [] : ["  body: JSON.stringify(body),"]),
    "});",
    "console.log(answer.status, await answer.text());",
  ].join("\n");
}

// A webhook is signed anew: its signature is over its time, and an old one would be refused.
function webhookCopies({ request }: EntryDetails): Copies {
  const id = request.headers["webhook-id"] ?? "";
  const sign =
    'const { createHmac } = require("node:crypto"); const key = Buffer.from(process.env.PARTNER_WEBHOOK_SECRET.slice(6), "base64"); console.log(createHmac("sha256", key).update(process.argv[1]).digest("base64"));';
  const curl = [
    `id="${inDoubleQuotes(id)}"`,
    "at=$(date +%s)",
    `body=$(cat <<BODY\n${bodyInShell(request.body)}\nBODY\n)`,
    `signature=$(node -e '${sign}' "$id.$at.$body")`,
    'curl -sS -X POST "$PARTNER_BASE_URL/webhooks" -w "%{http_code}\\n" \\',
    '  -H "content-type: application/json" -H "webhook-id: $id" -H "webhook-timestamp: $at" \\',
    '  -H "webhook-signature: v1,$signature" --data-binary "$body"',
  ].join("\n");
  const typeScript = [
    'import { createHmac } from "node:crypto";',
    'import { env } from "node:process";',
    "",
    `const id = ${JSON.stringify(id)};`,
    "const at = Math.floor(Date.now() / 1000);",
    `const body = JSON.stringify(${bodyInTypeScript(request.body)});`,
    'const key = Buffer.from((env["PARTNER_WEBHOOK_SECRET"] ?? "").slice("whsec_".length), "base64");',
    'const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");',
    'const answer = await fetch(env["PARTNER_BASE_URL"] + "/webhooks", {',
    '  method: "POST",',
    "  headers: {",
    '    "content-type": "application/json",',
    '    "webhook-id": id,',
    '    "webhook-timestamp": String(at),',
    '    "webhook-signature": `v1,${signature}`,',
    "  },",
    "  body,",
    "});",
    "console.log(answer.status);",
  ].join("\n");
  return { curl, typeScript };
}

function baseOf({ kind }: EntryDetails): string {
  return kind === "call" ? "PARTNER_SERVICE_BASE_URL" : "PARTNER_BASE_URL";
}

function addressOf({ path, query }: EntryDetails): string {
  return query ? `${path}?${query}` : path;
}

function isBasic({ request }: EntryDetails): boolean {
  return request.headers["authorization"]?.startsWith("Basic") ?? false;
}

function bearerOf({ kind, request }: EntryDetails): string | undefined {
  if (kind === "answer") return "PARTNER_CUSTOMER_ENDPOINT_SECRET";
  return request.headers["authorization"]?.startsWith("Bearer") ? "ACCESS_TOKEN" : undefined;
}

function headersOf({ request }: EntryDetails): [string, string][] {
  return Object.entries(request.headers).filter(([name]) => name !== "authorization" && name !== "traceparent");
}

function bodyInShell(body: unknown): string {
  return named(inHereDocument(JSON.stringify(body, undefined, 2)), body, (name) => `"\${${name}}"`);
}

function bodyInTypeScript(body: unknown): string {
  return named(JSON.stringify(body, undefined, 2), body, (name) => `env["${name}"]`);
}

/** Replaces each hidden value, in the order of the text, by a variable named after where it stands. */
function named(text: string, body: unknown, write: (name: string) => string): string {
  const names = hiddenPlaces(body, []);
  return text.replaceAll(hidden, () => write(names.shift() ?? ""));
}

function hiddenPlaces(value: unknown, path: string[]): string[] {
  if (value === "[redacted]")
    return [
      path
        .join("_")
        .toUpperCase()
        .replaceAll(/\W/g, "_")
        .replace(/^(?=\d)/, "_"),
    ];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => hiddenPlaces(item, [...path, key]));
}

function inHereDocument(text: string): string {
  return text.replaceAll(/[\\$`]/g, "\\$&");
}

function inDoubleQuotes(text: string): string {
  return text.replaceAll(/[\\$`"]/g, "\\$&");
}
