import { type DefaultTreeAdapterTypes, parse } from "parse5";

/** What the browser sends when a button submits its form. */
export type Press = {
  action: string;
  method: string;
  isMultipart: boolean;
  fields: [name: string, value: string][];
};

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;
type Page = { elements: Element[]; byId: Map<string, Element> };

const enterable = new Set(["text", "tel", "number", "password", "email"]);

/** What pressing the button with this name submits; undefined if no form on the page has an enabled one. */
export function findPress(html: string, name: string): Press | undefined {
  const page = readPage(html);
  const isWanted = (one: Element) => isSubmit(one) && nameOf(one, page).toLowerCase() === name.toLowerCase();
  for (const button of page.elements.filter(isWanted)) {
    const form = formOf(button, page);
    if (form) return pressOf(form, button, page);
  }
  return undefined;
}

/** Whether a form asks the person to enter something, such as a phone number or a code. */
export function hasEntryField(html: string): boolean {
  const page = readPage(html);
  return page.elements.some(
    (one) => one.tagName === "input" && enterable.has(typeOf(one)) && !isDisabled(one) && formOf(one, page),
  );
}

function readPage(html: string): Page {
  const elements = elementsWithin(parse(html));
  const byId = new Map<string, Element>();
  for (const element of elements) {
    const id = attribute(element, "id");
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  return { elements, byId };
}

function pressOf(form: Element, button: Element, page: Page): Press {
  const of = (name: string) => attribute(button, `form${name}`) ?? attribute(form, name);
  const controls = page.elements.filter((one) => !isDisabled(one) && formOf(one, page) === form);
  return {
    action: of("action") ?? "",
    method: (of("method") ?? "GET").toUpperCase(),
    isMultipart: of("enctype")?.toLowerCase() === "multipart/form-data",
    fields: controls.flatMap((one) => entriesOf(one, button, controls)),
  };
}

/** What a control adds to its form's submission. Required checkboxes are ticked. */
function entriesOf(one: Element, button: Element, controls: Element[]): [string, string][] {
  const name = attribute(one, "name");
  if (!name) return [];
  const value = attribute(one, "value");
  if (one === button) return typeOf(one) === "image" ? [] : [[name, value ?? ""]];
  if (one.tagName === "textarea") return [[name, textWithin(one)]];
  if (one.tagName === "select") {
    const chosen = chosenOption(one);
    return chosen ? [[name, attribute(chosen, "value") ?? textOf(chosen)]] : [];
  }
  if (one.tagName !== "input" || isSubmit(one) || ["button", "reset", "file"].includes(typeOf(one))) return [];
  if (typeOf(one) === "checkbox") return has(one, "checked") || has(one, "required") ? [[name, value ?? "on"]] : [];
  if (typeOf(one) === "radio") return one === chosenRadio(name, controls) ? [[name, value ?? "on"]] : [];
  return [[name, value ?? ""]];
}

function chosenRadio(name: string, controls: Element[]): Element | undefined {
  const group = controls.filter((one) => typeOf(one) === "radio" && attribute(one, "name") === name);
  const required = group.some((one) => has(one, "required")) ? group[0] : undefined;
  return group.findLast((one) => has(one, "checked")) ?? required;
}

function chosenOption(select: Element): Element | undefined {
  const options = elementsWithin(select).filter(({ tagName }) => tagName === "option");
  return options.findLast((one) => has(one, "selected")) ?? options.find((one) => !has(one, "disabled"));
}

function isSubmit(one: Element): boolean {
  if (isDisabled(one)) return false;
  const type = typeOf(one);
  if (one.tagName === "button") return type !== "button" && type !== "reset";
  return one.tagName === "input" && (type === "submit" || type === "image");
}

// A control belongs to the form named in its attribute, or else to the form around it.
function formOf(one: Element, { byId }: Page): Element | undefined {
  const named = attribute(one, "form");
  if (named === undefined) return ancestorsOf(one).find(({ tagName }) => tagName === "form");
  const form = byId.get(named);
  return form?.tagName === "form" ? form : undefined;
}

function isDisabled(one: Element): boolean {
  return (
    has(one, "disabled") || ancestorsOf(one).some((above) => above.tagName === "fieldset" && has(above, "disabled"))
  );
}

/** The accessible name. */
function nameOf(one: Element, { byId }: Page): string {
  const labels = attribute(one, "aria-labelledby")?.split(/\s+/) ?? [];
  const labelled = labels.flatMap((id) => byId.get(id) ?? []).map(textOf);
  const written = one.tagName === "button" ? textOf(one) : (attribute(one, "value") ?? attribute(one, "alt"));
  const names = [labelled.join(" "), attribute(one, "aria-label"), written, attribute(one, "title")];
  return (names.find((name) => name?.trim()) ?? "").trim();
}

function textOf(one: Element): string {
  return textWithin(one).replace(/\s+/g, " ").trim();
}

function textWithin(node: Node): string {
  if ("value" in node) return node.value;
  if ("tagName" in node && node.tagName === "img") return attribute(node, "alt") ?? "";
  return "childNodes" in node ? node.childNodes.map(textWithin).join("") : "";
}

function elementsWithin(node: Node): Element[] {
  const children = "childNodes" in node ? node.childNodes : [];
  return children.flatMap((child) => ("tagName" in child ? [child, ...elementsWithin(child)] : []));
}

function ancestorsOf(one: Element): Element[] {
  const above = one.parentNode;
  return above && "tagName" in above ? [above, ...ancestorsOf(above)] : [];
}

function typeOf(one: Element): string {
  return (attribute(one, "type") ?? (one.tagName === "input" ? "text" : "submit")).toLowerCase();
}

function has(one: Element, name: string): boolean {
  return attribute(one, name) !== undefined;
}

function attribute(one: Element, name: string): string | undefined {
  return one.attrs.find((attr) => attr.name === name)?.value;
}
