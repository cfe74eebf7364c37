import { always, body, type Difference, html, items, nth, once } from "./difference.ts";

const list = "GET /v1/accounts";
const open = "Other fields of the routine, transfer and payment instrument records: not shown.";
const errorsOpen = "Error body format, error codes and HTTP status codes: not shown.";
const without = (...names: string[]) =>
  items(list, "accounts", (account) =>
    Object.fromEntries(Object.entries(account).filter(([name]) => !names.includes(name))),
  );
const withFields = (fields: object) => items(list, "accounts", (account) => ({ ...account, ...fields }));

export const accountDifferences: Difference[] = [
  {
    what: "has no list of accounts",
    open,
    stops: "There is no account to pay from: unavailable, answered.",
    apply: always(list, () => ({ status: 404 })),
  },
  {
    what: "returns an HTML page instead of accounts",
    open,
    stops: "There is no account to pay from: unavailable, answered.",
    apply: always(list, () => html),
  },
  {
    what: "lists a seller's accounts as closed",
    open,
    stops: "The seller can't be paid.",
    apply: items(list, "accounts", (account) =>
      account["available_balance"] === 0 ? { ...account, status: "Closed" } : account,
    ),
  },
  { what: "fails once to list the business's accounts", open: errorsOpen, apply: once(list, () => ({ status: 500 })) },
  {
    what: "fails once to list a seller's accounts after the redirect back",
    open: errorsOpen,
    apply: nth(2, list, () => ({ status: 500 })),
  },
  { what: "lists accounts without a mask", open, isHarmless: true, apply: withFields({ mask: null }) },
  {
    what: "lists accounts with balances as strings",
    open,
    apply: withFields({ current_balance: "5000.00", available_balance: "5000.00" }),
  },
  {
    what: "lists accounts with floating-point balances",
    open,
    isHarmless: true,
    apply: withFields({ current_balance: 4999.999999999999, available_balance: 0.1 + 0.2 }),
  },
  {
    what: "lists accounts with unreadable balances",
    open,
    apply: withFields({ current_balance: { minor: 500000 }, available_balance: "lots" }),
  },
  { what: "lists accounts without balances", open, apply: without("current_balance", "available_balance") },
  { what: "lists accounts without a currency", open, isHarmless: true, apply: without("currency") },
  { what: "lists accounts without a name and a type", open, isHarmless: true, apply: without("name", "type") },
  { what: "lists accounts without a status", open, apply: without("status") },
  { what: "lists accounts with status enabled", open, apply: withFields({ status: "enabled" }) },
  { what: "lists account statuses in uppercase", open, apply: withFields({ status: "OPEN" }) },
  { what: "lists accounts without a count", open, apply: body(list, ({ accounts }) => ({ accounts })) },
  { what: "lists accounts as an array", open, apply: body(list, ({ accounts }) => accounts) },
  {
    what: "lists accounts under data",
    open,
    apply: body(list, ({ accounts }) => ({ data: accounts, has_more: false })),
  },
  {
    what: "returns an account's id as account_id",
    open,
    apply: items(list, "accounts", ({ id, ...account }) => ({ ...account, account_id: id })),
  },
  {
    what: "uses numeric account ids",
    open,
    apply: items(list, "accounts", (account) => ({
      ...account,
      id: Number.parseInt(String(account["id"]).slice(-8), 16),
    })),
  },
  {
    what: "lists one unreadable account among others",
    open,
    apply: body(list, ({ accounts }) => ({ accounts: [...(accounts as object[]), { name: "no id" }] })),
  },
];
