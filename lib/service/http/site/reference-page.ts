import { html } from "hono/html";
import { oauthRefusals, refusals } from "../../../contract/errors.ts";
import { clauseBadge } from "./clauses.ts";
import { copyable, type Html, prettyJson, prose } from "./markup.ts";
import { type Operation, operationsOf, type PlacedOperation, type Reference } from "./open-api.ts";
import { operationSection } from "./operation-section.ts";
import { quickstart } from "./quickstart.ts";
import { fieldTable, parameterTable } from "./schema-table.ts";
import type { Site } from "./site.ts";
import { callerFields } from "./try-it.ts";

/** The reference: everything in the OpenAPI document, on one page, each part under an address of its own. */
export function referencePage(reference: Reference, site: Site): Html {
  const operations = operationsOf(reference);
  const groups = reference.tags
    .map(({ name, description }) => ({
      id: name.toLowerCase().replaceAll(" ", "-"),
      name,
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    }))
    .filter(({ operations: here }) => here.length > 0);
  const { webhooks, components, info } = reference;
  return html`
<div class="contents">${contents(groups, reference)}</div>
<div class="reference">
<h1>API reference</h1>
<p class="lead">${info.summary}</p>
<section><h2 id="quickstart"><a href="#quickstart">Quickstart</a></h2>${quickstart(site)}</section>
<section><h2 id="calling"><a href="#calling">Calling the API</a></h2>
${info.description.split("\n\n").map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
<p>Two ways to say who you are: <b>Basic</b> with the client's id and secret, each form-url-encoded first; <b>Bearer</b> with a user's access token. Each operation says which it takes, and whether it stands in the <span class="badge published">Published</span> interface or is <span class="badge decided">Our decision</span> where that one leaves something open.</p>
${site.isSandbox ? callerFields(site.credentials) : ""}</section>
${groups.map(
  ({ id, name, description, operations: here }) =>
    html`<section><h2 id="${id}"><a href="#${id}">${name}</a></h2><p>${description}</p>${here.map((placed) => operationSection(placed, site))}</section>`,
)}
<section><h2 id="webhooks"><a href="#webhooks">Webhooks</a></h2><p>${reference.tags.find(({ name }) => name === "Webhooks")?.description}</p>${Object.entries(webhooks).map(([type, { post }]) => webhookSection(type, post))}</section>
${errors()}
<section><h2 id="schemas"><a href="#schemas">Schemas</a></h2>${Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section class="schema" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>${fieldTable(schema, `Fields of ${name}`)}</section>`,
  )}</section>
</div>`;
}

type Group = { id: string; name: string; operations: PlacedOperation[] };

function contents(groups: Group[], { webhooks, components }: Reference): Html {
  const part = (id: string, name: string, items: Html[]) =>
    html`<li><a href="#${id}">${name}</a>${items.length > 0 ? html`<ul>${items}</ul>` : ""}</li>`;
  const list = html`<ul><li><a href="#quickstart">Quickstart</a></li><li><a href="#calling">Calling the API</a></li>${groups.map(
    ({ id, name, operations }) =>
      part(
        id,
        name,
        operations.map(
          ({ operation: { operationId, summary } }) => html`<li><a href="#${operationId}">${summary}</a></li>`,
        ),
      ),
  )}${part(
    "webhooks",
    "Webhooks",
    Object.entries(webhooks).map(
      ([type, { post }]) => html`<li><a href="#${post.operationId}"><code>${type}</code></a></li>`,
    ),
  )}<li><a href="#errors">Errors</a></li><li><details><summary>Schemas</summary><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}</ul></details></li></ul>`;
  return html`<nav aria-label="Reference"><details class="toc" data-toc><summary>Contents</summary>${list}</details></nav>`;
}

function webhookSection(type: string, post: Operation): Html {
  const [body] = Object.values(post.requestBody?.content ?? {});
  const [example] = Object.values(body?.examples ?? {});
  return html`<section class="operation" id="${post.operationId}"><h3><a href="#${post.operationId}">${post.summary}</a></h3><p class="route"><span class="method post">POST</span> <code>${type}</code> ${clauseBadge(post.operationId, "")}</p><p>${prose(post.description)}</p>${parameterTable(post.parameters, `Headers of ${type}`)}<p><b>Body</b> <a href="#schema-WebhookEvent">WebhookEvent</a></p>${copyable(prettyJson(example?.value), `Body of ${type}`)}</section>`;
}

function errors(): Html {
  const row = ([reason, { status, sentence }]: [string, { status: number; sentence: string }]) =>
    html`<tr id="error-${reason}"><th scope="row"><a href="#error-${reason}"><code>${reason}</code></a></th><td>${status}</td><td>${sentence}</td></tr>`;
  return html`<section><h2 id="errors"><a href="#errors">Errors</a></h2><p>Every refusal but those of the token and revocation endpoints is an <a href="#schema-Error">Error</a>; those two answer with an <a href="#schema-OAuthError">OAuthError</a>.</p><div class="scroll" tabindex="0" role="group" aria-label="Errors"><table><caption>Reasons, for your program to branch on</caption><thead><tr><th scope="col">Reason</th><th scope="col">Status</th><th scope="col">What it says</th></tr></thead><tbody>${[...Object.entries(refusals), ...Object.entries(oauthRefusals)].map(row)}${oauthOnly.map(row)}</tbody></table></div></section>`;
}

// What the two OAuth endpoints say in place of our own words (RFC 6749 section 5.2).
const oauthOnly: [string, { status: number; sentence: string }][] = [
  [
    "temporarily_unavailable",
    { status: 503, sentence: "Try again in a moment; 429 where there were too many requests." },
  ],
  ["server_error", { status: 500, sentence: "Something went wrong on our side." }],
];
