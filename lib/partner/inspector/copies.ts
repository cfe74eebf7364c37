// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are programs, and the templates are theirs
import {
  bodyInShell,
  bodyInTypeScript,
  type Copies,
  copiesOfRequest,
  inDoubleQuotes,
} from "../../kit/request-copies.ts";
import type { EntryDetails } from "./schema.ts";

// Secrets become environment variables, named as in .env.example.

/** Commands that repeat this request; undefined when its body is incomplete or its signature scheme unknown. */
export function copiesOf(details: EntryDetails): Copies | undefined {
  const { request, kind } = details;
  if (request.charactersLeftOut !== undefined || typeof request.body === "string") return undefined;
  if (kind === "webhook") return request.headers["webhook-id"] ? webhookCopies(details) : undefined;
  const { method } = details;
  return copiesOfRequest({
    method,
    base: baseOf(details),
    path: addressOf(details),
    basic: isBasic(details) ? { id: "PARTNER_CLIENT_ID", secret: "PARTNER_CLIENT_SECRET" } : undefined,
    bearer: bearerOf(details),
    headers: headersOf(details),
    body: request.body,
  });
}

// Re-signed, because an old signature would be refused.
function webhookCopies({ request }: EntryDetails): Copies {
  const id = request.headers["webhook-id"] ?? "";
  const sign =
    'const { createHmac } = require("node:crypto"); const key = Buffer.from(process.env.PARTNER_WEBHOOK_SECRET.split(",")[0].slice(6), "base64"); console.log(createHmac("sha256", key).update(process.argv[1]).digest("base64"));';
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
    'const key = Buffer.from((env["PARTNER_WEBHOOK_SECRET"] ?? "").split(",")[0]?.slice("whsec_".length) ?? "", "base64");',
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
