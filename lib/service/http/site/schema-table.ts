import { html } from "hono/html";
import type { Parameter, Schema } from "./open-api.ts";
import { type Html, prose } from "./site-page.ts";

const shownWordsMax = 12;

/** The values of a schema in words; a named schema links to its table. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref) return linkTo(schema.$ref);
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum) return oneOf(schema.enum);
  if (schema.anyOf) return joined(schema.anyOf.map(typeOf), " or ");
  if (schema.allOf) return joined(schema.allOf.filter((part) => part.$ref).map(typeOf), " and ");
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  if (isMap(schema)) return html`object of ${typeOf(schema.additionalProperties)}`;
  const names = [schema.type ?? "any value"].flat().join(" or ");
  return html`${names}${schema.format ? html`, ${schema.format}` : ""}${limitsOf(schema)}`;
}

/** Nested fields are listed by their full path. */
export function fieldTable(schema: Schema, caption: string): Html {
  const rows = fieldsOf(schema, "");
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return table(
    caption,
    rows.map(({ name, isRequired, schema: field }) => row(name, isRequired, field, field.description)),
  );
}

export function parameterTable(parameters: Parameter[], caption: string): Html {
  return table(
    caption,
    parameters.map(({ name, required = false, schema, description, in: place }) =>
      row(name, required, schema, `${description} (${place})`),
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
  const own = Object.entries(properties).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`;
    const inner = schema.items ?? schema;
    const isList = schema.items !== undefined;
    return [
      { name, isRequired: required.includes(key), schema },
      ...(inner.properties ? fieldsOf(inner, `${name}${isList ? "[]" : ""}.`) : []),
    ];
  });
  return [...own, ...allOf.flatMap((part) => fieldsOf(part, prefix))];
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
