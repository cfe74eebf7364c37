import { html } from "hono/html";
import { type Html, prettyJson } from "./markup.ts";
import { bodyOf, type Parameter, type PlacedOperation } from "./open-api.ts";
import type { DemoClient } from "./site.ts";

/** Whose calls the page makes: the fields that every "Try it" reads. For a sandbox alone. */
export function callerFields(credentials: DemoClient | undefined): Html {
  const field = (id: string, label: string, value: string) =>
    html`<p><label for="${id}">${label}</label><input id="${id}" value="${value}" autocomplete="off" spellcheck="false"></p>`;
  return html`<form class="caller needs-script" data-caller><h3 id="caller">Calls from this page are made by</h3><div class="fields">${field("caller-id", "client_id", credentials?.clientId ?? "")}${field("caller-secret", "client_secret", credentials?.clientSecret ?? "")}${field("caller-token", "access_token", "")}</div><p class="hint">Kept in this tab until you close it. A client or an access token in an answer is taken over.</p><p role="status" data-taken></p></form>`;
}

/** A form that makes the call of this operation and shows its answer. It needs a script, and a sandbox. */
export function tryIt({ operation, method, path }: PlacedOperation): Html {
  const { operationId, summary, parameters, requestBody, security } = operation;
  const id = (name: string) => `try-${operationId}-${name}`;
  const asked = parameters.filter(({ name }) => name !== "traceparent");
  const body = prettyJson(bodyOf(operation) ?? {});
  const scheme = security.flatMap((requirement) => Object.keys(requirement))[0] ?? "";
  return html`<details class="try needs-script"><summary>Try it<span class="sr-only">: ${summary}</span></summary><form data-try data-method="${method}" data-path="${path}" data-scheme="${scheme}">${asked.map((parameter) => parameterField(parameter, id(parameter.name)))}${
    requestBody
      ? html`<p><label for="${id("body")}">Body</label><textarea id="${id("body")}" name="body" rows="${body.split("\n").length}" spellcheck="false">${body}</textarea></p>`
      : ""
  }<p><button type="submit" class="button small">Send</button></p></form><p role="status" data-answer-status></p><pre data-answer tabindex="0" role="group" aria-label="Answer: ${summary}" hidden></pre></details>`;
}

function parameterField({ name, in: place, required = false, example }: Parameter, id: string): Html {
  return html`<p><label for="${id}">${name} <span class="hint">${place}${required ? ", required" : ""}</span></label><input id="${id}" data-in="${place}" name="${name}" value="${place === "header" ? "" : String(example ?? "")}" autocomplete="off" spellcheck="false"${required ? " required" : ""}></p>`;
}
