import { html } from "hono/html";
import { clauseBadge } from "./clauses.ts";
import { basicOption, curlOf } from "./curl.ts";
import { copyable, type Html, prettyJson, prose } from "./markup.ts";
import { bodyOf, type Operation, type PlacedOperation } from "./open-api.ts";
import { parameterTable, typeOf } from "./schema-table.ts";
import type { Site } from "./site.ts";
import { tryIt } from "./try-it.ts";

/** One operation: what it does, what it takes, what it answers, the call itself, and in a sandbox a way to make it. */
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

// "`invalid_client`, `not_found`": each of them has its own row in the table of errors.
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
