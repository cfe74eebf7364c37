import { html } from "hono/html";
import { oauthRefusals, refusals } from "../../../contract/errors.ts";
import {
  basicOption,
  bodyOf,
  curlOf,
  type Operation,
  operationsOf,
  type Parameter,
  type PlacedOperation,
  type Reference,
  type Schema,
} from "./open-api.ts";
import { quickstart } from "./pages.ts";
import { copyable, type DemoClient, type Html, prettyJson, prose, type Site } from "./site-page.ts";

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

// RFC 6749 section 5.2.
const oauthOnly: [string, { status: number; sentence: string }][] = [
  [
    "temporarily_unavailable",
    { status: 503, sentence: "Try again in a moment; 429 where there were too many requests." },
  ],
  ["server_error", { status: 500, sentence: "Something went wrong on our side." }],
];

/** One operation: description, parameters, responses, a curl command, and in a sandbox a form that makes the call. */
export function operationSection(placed: PlacedOperation, site: Site): Html {
  const { operation, method, path } = placed;
  const { operationId, summary, description, parameters, callbacks } = operation;
  const isCalledByPrograms = operationId !== "openAuthorizationPage";
  return html`<section class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code> ${clauseBadge(operationId, path)}</p>
<p>${prose(description)}</p>
${parameters.length > 0 ? parameterTable(parameters, `Parameters of ${operationId}`) : ""}
${bodyPart(operation)}
${answers(operation)}
${callbacks ? callbackPart(callbacks) : ""}
${copyable(commandOf(placed, site), `${operationId} with curl`)}
${site.isSandbox && isCalledByPrograms && !isStream(operation) ? tryIt(placed) : ""}
</section>`;
}

function bodyPart({ requestBody }: Operation): Html | "" {
  const content = Object.entries(requestBody?.content ?? {});
  const [, json] = content[0] ?? [];
  if (!json) return "";
  return html`<p><b>Body</b> ${typeOf(json.schema)}, as ${content.map(([mediaType], index) => html`${index > 0 ? " or " : ""}<code>${mediaType}</code>`)}</p>`;
}

function answers({ operationId, responses }: Operation): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Answers of ${operationId}"><table><caption>Answers of ${operationId}</caption><thead><tr><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
    responses,
  ).map(
    ([status, { description, content }]) =>
      html`<tr><th scope="row">${status}</th><td>${Number(status) < 400 ? success(description, content) : reasons(description)}</td></tr>`,
  )}</tbody></table></div>`;
}

function success(description: string, content: Operation["responses"][string]["content"]): Html {
  const [body] = Object.values(content ?? {});
  const [example] = Object.values(body?.examples ?? {});
  return html`${prose(description)}${body ? html` ${typeOf(body.schema)}` : ""}${
    example
      ? html`<details><summary>Example</summary><pre class="example" tabindex="0" role="group" aria-label="Example"><code>${prettyJson(example.value)}</code></pre></details>`
      : ""
  }`;
}

function reasons(description: string): Html {
  const words = [...description.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
  if (words.length === 0) return html`${description}`;
  return html`${words.map((word, index) => html`${index > 0 ? ", " : ""}<a href="#error-${word}"><code>${word}</code></a>`)}`;
}

function callbackPart(callbacks: NonNullable<Operation["callbacks"]>): Html {
  const called = Object.values(callbacks).flatMap((item) => Object.entries(item));
  return html`${called.map(([url, item]) =>
    Object.entries(item).map(
      ([method, operation]) =>
        html`<section class="callback" id="${operation.operationId}"><h4><a href="#${operation.operationId}">Calls you: ${operation.summary}</a></h4><p class="route"><span class="method">${method.toUpperCase()}</span> <code>${url.replace(/\{\$request.*$/, "{customer_id}")}</code> ${clauseBadge(operation.operationId, url)}</p><p>${prose(operation.description)}</p>${answers(operation)}</section>`,
    ),
  )}`;
}

function isStream({ responses }: Operation): boolean {
  return "text/event-stream" in (responses["200"]?.content ?? {});
}

function commandOf({ operation, method, path }: PlacedOperation, { baseUrl, credentials }: Site): string {
  const { security, parameters } = operation;
  const schemes = security.flatMap((requirement) => Object.keys(requirement));
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const search = query.map(({ name }) => `${name}=$${name.toUpperCase()}`).join("&");
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => `$${name.toUpperCase()}`);
  return curlOf({
    method,
    url: `${baseUrl}${filled}${search && `?${search}`}`,
    credentials: schemes.includes("clientCredentials")
      ? credentials
        ? basicOption(credentials)
        : '-u "$CLIENT_ID:$CLIENT_SECRET"'
      : schemes.includes("accessToken")
        ? '-H "authorization: Bearer $ACCESS_TOKEN"'
        : undefined,
    json: bodyOf(operation),
  });
}

/** The credentials of every "Try it" form. Sandbox only. */
export function callerFields(credentials: DemoClient | undefined): Html {
  const field = (id: string, label: string, value: string) =>
    html`<p><label for="${id}">${label}</label><input id="${id}" value="${value}" autocomplete="off" spellcheck="false"></p>`;
  return html`<form class="caller needs-script" data-caller><h3 id="caller">Credentials for calls from this page</h3><div class="fields">${field("caller-id", "client_id", credentials?.clientId ?? "")}${field("caller-secret", "client_secret", credentials?.clientSecret ?? "")}${field("caller-token", "access_token", "")}</div><p class="hint">Kept in this tab until you close it. A client or an access token in an answer is taken over.</p><p role="status" data-taken></p></form>`;
}

/** A form that makes this call and shows its response, kept in a template until it is opened. Sandbox only. */
export function tryIt({ operation, method, path }: PlacedOperation): Html {
  const { operationId, summary, parameters, requestBody, security } = operation;
  const id = (name: string) => `try-${operationId}-${name}`;
  const shown = parameters.filter(({ name }) => name !== "traceparent");
  const body = prettyJson(bodyOf(operation) ?? {});
  const scheme = security.flatMap((requirement) => Object.keys(requirement))[0] ?? "";
  return html`<details class="try needs-script"><summary>Try it<span class="sr-only">: ${summary}</span></summary><template><form data-try data-method="${method}" data-path="${path}" data-scheme="${scheme}">${shown.map((parameter) => parameterField(parameter, id(parameter.name)))}${
    requestBody
      ? html`<p><label for="${id("body")}">Body</label><textarea id="${id("body")}" name="body" rows="${body.split("\n").length}" spellcheck="false">${body}</textarea></p>`
      : ""
  }<p><button type="submit" class="button small">Send</button></p></form><p role="status" data-answer-status></p><pre data-answer tabindex="0" role="group" aria-label="Answer: ${summary}" hidden></pre></template></details>`;
}

function parameterField({ name, in: location, required = false, example }: Parameter, id: string): Html {
  return html`<p><label for="${id}">${name} <span class="hint">${location}${required ? ", required" : ""}</span></label><input id="${id}" data-in="${location}" name="${name}" value="${location === "header" ? "" : String(example ?? "")}" autocomplete="off" spellcheck="false"${required ? " required" : ""}></p>`;
}

type Clause = { published: string } | { decision: string };

const clauses: Record<string, Clause> = {
  createUserIntent: { published: "POST /v1/user_intent" },
  readUserIntent: { decision: "D6" },
  readUser: { published: "GET /v1/user" },
  openAuthorizationPage: { published: "Authorization web page" },
  issueTokens: { published: "POST /v1/oauth/token" },
  revokeToken: { decision: "D10" },
  describeAuthorizationServer: { decision: "D10" },
  verifyPartnerIdentity: { published: "POST /v1/partner/identity/verification" },
  readCustomer: { published: "GET /v1/customers/{customer_id}" },
  listAccounts: { decision: "D12" },
  getAccount: { decision: "D12" },
  createBookRoutine: { published: "Create a book transfer routine" },
  voidBookRoutine: { decision: "D13" },
  listRoutines: { decision: "D13" },
  getRoutine: { published: "GET /v1/routines/{id}" },
  listTransfers: { decision: "D13" },
  getTransfer: { published: "GET /v1/transfers/{transfer_id}" },
  userIntentUpdated: { published: "Events" },
  userUpdated: { published: "Events" },
  routineUpdated: { published: "Events" },
  transferUpdated: { published: "Events" },
};

const ofSandbox: Clause = { decision: "D16" };

export function clauseOf(operationId: string, path: string): Clause | undefined {
  return path.startsWith("/sandbox/") ? ofSandbox : clauses[operationId];
}

export function clauseBadge(operationId: string, path: string): Html | "" {
  const clause = clauseOf(operationId, path);
  if (!clause) return "";
  return "published" in clause
    ? html`<span class="badge published" title="Section &quot;${clause.published}&quot; of the published interface">Published</span>`
    : html`<span class="badge decided" title="Decision ${clause.decision}: the published interface leaves this open">Our decision ${clause.decision}</span>`;
}

const shownWordsMax = 12;

/** The values of a schema in words; a named schema links to its table. */
function typeOf(schema: Schema): Html {
  if (schema.$ref) return linkTo(schema.$ref);
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return oneOf(schema.enum);
  const words = schema["x-extensible-enum"];
  if (words) return html`${oneOf([schema.type].flat().includes("null") ? [...words, null] : words)}, or a later word`;
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.allOf) return joined(schema.allOf.filter((part) => part.$ref).map(typeOf), " and ");
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  if (isMap(schema)) return html`object of ${typeOf(schema.additionalProperties)}`;
  const names = [schema.type ?? "any value"].flat().join(" or ");
  return html`${names}${schema.format ? html`, ${schema.format}` : ""}${limitsOf(schema)}`;
}

/** Nested fields are listed by their full path. */
function fieldTable(schema: Schema, caption: string): Html {
  const rows = fieldsOf(schema, "");
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return table(
    caption,
    rows.map(({ name, isRequired, schema: field }) => row(name, isRequired, field, field.description)),
  );
}

function parameterTable(parameters: Parameter[], caption: string): Html {
  return table(
    caption,
    parameters.map(({ name, required = false, schema, description, in: location }) =>
      row(name, required, schema, `${description} (${location})`),
    ),
  );
}

function table(caption: string, rows: Html[]): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function row(name: string, isRequired: boolean, schema: Schema, description: string | undefined): Html {
  return html`<tr><th scope="row"><code>${name}</code>${isRequired ? html` <span class="required">required</span>` : ""}</th><td>${typeOf(schema)}${description ? html`<p class="note">${prose(description)}</p>` : ""}</td></tr>`;
}

type Field = { name: string; isRequired: boolean; schema: Schema };

function fieldsOf({ properties = {}, required = [], allOf = [] }: Schema, prefix: string): Field[] {
  const rows = Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const inner = schema.items ?? schema;
    const isList = schema.items !== undefined;
    return [
      { name, isRequired: required.includes(key), schema },
      ...(inner.properties ? fieldsOf(inner, `${name}${isList ? "[]" : ""}.`) : []),
    ];
  });
  return [...rows, ...allOf.flatMap((part) => fieldsOf(part, prefix))];
}

function limitsOf({ minLength, maxLength, minimum, maximum, exclusiveMinimum, pattern }: Schema): Html | "" {
  const range = (low: number | undefined, high: number | undefined) =>
    low === undefined ? `at most ${high}` : high === undefined ? `at least ${low}` : `${low} to ${high}`;
  if (minLength !== undefined || maxLength !== undefined) return html`, ${range(minLength, maxLength)} characters`;
  if (exclusiveMinimum !== undefined) return html`, more than ${exclusiveMinimum}`;
  if (minimum !== undefined || maximum !== undefined) return html`, ${range(minimum, maximum)}`;
  return pattern && pattern.length <= 40 ? html`, <code>${pattern}</code>` : "";
}

function oneOf(words: unknown[]): Html {
  if (words.length > shownWordsMax) return html`one of ${words.length} words`;
  return joined(
    words.map((word) => html`<code>${JSON.stringify(word)}</code>`),
    " ",
  );
}

function joined(parts: Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index > 0 ? separator : ""}${part}`)}`;
}

function linkTo(reference: string): Html {
  const name = reference.split("/").at(-1) ?? "";
  return html`<a href="#schema-${name}">${name}</a>`;
}

function isMap(schema: Schema): schema is Schema & { additionalProperties: Schema } {
  return typeof schema.additionalProperties === "object" && !schema.properties;
}
