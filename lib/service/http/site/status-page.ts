import { html } from "hono/html";
import type { Health } from "../../operations/read-health.ts";
import type { Html } from "./markup.ts";

const lateSecondsMax = 60;

type Check = { name: string; state: "good" | "bad" | "unknown"; text: string };

/** Whether nothing that is known is wrong. */
export function isHealthy(health: Health): boolean {
  return checksOf(health).every(({ state }) => state !== "bad");
}

/** What works now, in words. What cannot be known is said to be unknown. */
export function statusPage(health: Health): Html {
  return html`
<p class="eyebrow">Status</p>
<h1>${isHealthy(health) ? "Plainbook is up" : "Plainbook needs its operator"}</h1>
<p class="lead">As it was when this page was asked for. Programs ask <a href="/healthz">/healthz</a> and <a href="/readyz">/readyz</a>.</p>
<dl class="checks">${checksOf(health).map(
    ({ name, state, text }) => html`<div><dt>${name}</dt><dd class="${state}">${text}</dd></div>`,
  )}</dl>`;
}

function checksOf(health: Health): Check[] {
  const api: Check = { name: "API", state: "good", text: "Answers." };
  if (health.kind === "database_unavailable") {
    return [
      api,
      { name: "Database", state: "bad", text: "Does not answer. Until it does, calls are refused with 503." },
      { name: "Webhooks", state: "unknown", text: "Not known while the database does not answer." },
      { name: "Books", state: "unknown", text: "Not known while the database does not answer." },
    ];
  }
  const { webhooksLateSeconds, reconciliation } = health;
  const isLate = webhooksLateSeconds > lateSecondsMax;
  return [
    api,
    { name: "Database", state: "good", text: "Answers." },
    {
      name: "Webhooks",
      state: isLate ? "bad" : "good",
      text: isLate ? "Are sent late: the oldest that is due has waited for more than a minute." : "Are sent in time.",
    },
    booksCheck(reconciliation?.problems),
  ];
}

function booksCheck(problems: number | undefined): Check {
  if (problems === undefined) return { name: "Books", state: "unknown", text: "Have not been compared yet." };
  return problems === 0
    ? { name: "Books", state: "good", text: "Balanced when they were last compared." }
    : { name: "Books", state: "bad", text: "Something did not balance when they were last compared." };
}
