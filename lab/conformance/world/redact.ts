import type { Exchange } from "./exchange.ts";
import { fieldsOf, parseJson } from "./read-answer.ts";

/** An exchange as evidence, without secrets or personal data. */
export type Evidence = { request: string; sent: string; answer: string };

const secretNames = new Set([
  "access_token",
  "refresh_token",
  "token",
  "code",
  "session_token",
  "code_verifier",
  "client_secret",
  "webhook_secret",
  "customer_endpoint_secret",
  "ssn",
  "date_of_birth",
  "address1",
]);
const hidden = "[redacted]";
const charactersMax = 400;
// Common headers, and secrets.
const unshownHeaders = new Set(["accept", "content-type", "authorization", "cookie", "origin"]);
// Shorter ones would match inside words.
const secretCharactersMin = 4;

/** Collects secrets and redacts them from exchanges. */
export type Redactor = {
  learn: (exchange: Exchange) => void;
  hide: (secret: string) => void;
  show: (exchange: Exchange) => Evidence;
};

/** One per run: anything secret once stays redacted. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();

  function hide(secret: string): void {
    if (secret.length < secretCharactersMin) return;
    secrets.add(secret);
    secrets.add(encodeURIComponent(secret));
  }

  function learnFrom(value: unknown, name: string): void {
    // An error's `code` is a numeric status.
    if (typeof value === "string" && secretNames.has(name)) hide(value);
    if (Array.isArray(value)) for (const item of value) learnFrom(item, name);
    for (const [inner, held] of Object.entries(fieldsOf(value))) learnFrom(held, inner);
  }

  function without(text: string): string {
    let redactedText = text;
    // Longest first, since one may contain another.
    for (const secret of [...secrets].sort((left, right) => right.length - left.length)) {
      redactedText = redactedText.replaceAll(secret, hidden);
    }
    return redactedText.length > charactersMax ? `${redactedText.slice(0, charactersMax)}…` : redactedText;
  }

  return {
    hide,
    learn: ({ url, headers, body, answer }) => {
      for (const address of [url, answer.headers.get("location") ?? ""]) {
        if (URL.canParse(address)) for (const [name, value] of new URL(address).searchParams) learnFrom(value, name);
      }
      const [scheme, credentials] = (headers["authorization"] ?? "").split(" ");
      if (scheme && credentials) hide(credentials);
      learnFrom(parseJson(body), "");
      if (headers["content-type"]?.includes("form-urlencoded")) {
        for (const [name, value] of new URLSearchParams(body)) learnFrom(value, name);
      }
      learnFrom(answer.json, "");
    },
    show: ({ method, url, headers, body, answer }) => {
      const isPage = answer.text !== "" && (answer.headers.get("content-type")?.includes("html") ?? false);
      const [scheme] = (headers["authorization"] ?? "").split(" ");
      const shown = Object.entries(headers).filter(([name]) => !unshownHeaders.has(name));
      const parts = [scheme, ...shown.map(([name, value]) => `${name}: ${value}`)].filter((one) => one);
      const location = answer.headers.get("location");
      const text = isPage ? `(a page of ${answer.text.length} characters)` : answer.text;
      return {
        request: without(`${method} ${url}${parts.length > 0 ? ` (${parts.join(", ")})` : ""}`),
        sent: without(body),
        answer: without(`${answer.status}${location ? ` to ${location}` : ""} ${text}`.trim()),
      };
    },
  };
}
