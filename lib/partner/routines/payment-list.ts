import { CsvError, parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { words } from "#words";
import { currencyPrefix, currencySuffix, paymentFields, readAmount } from "./payment-fields.ts";

export const listColumns = ["email", "amount", "for"] as const;
type Column = (typeof listColumns)[number];

export const listPaymentsMax = 500;
const problemsMax = 20;

/** A line of the list. `line`: the 1-based line of the text where it ends. */
export type ListedPayment = { line: number; sellerUserId: string; amountCents: number; name: string };

export type ReadList =
  | { kind: "ok"; payments: ListedPayment[] }
  /** At most 20, in line order; `more` counts the rest. */
  | { kind: "problem"; problems: string[]; more: number };

type Problem = { line: number; message: string };

/**
 * Reads payments from CSV, or from spreadsheet cells, which are separated by tabs. Names every line that can't be paid;
 * the list is all or nothing.
 * @param sellers the sellers who can be paid
 */
export function readPaymentList(text: string, sellers: readonly { id: string; email: string }[]): ReadList {
  const t = words("pay.problems");
  const delimiter = delimiterOf(text);
  const records = parseRecords(text, delimiter);
  if (!Array.isArray(records)) return problemsOf([records]);
  const [header, ...lines] = records;
  if (!header) return { kind: "problem", problems: [t("noList")], more: 0 };
  const columnIndexes = columnsOf(header.cells);
  if (!columnIndexes) {
    const isUnreadable = header.cells.some((cell) => unreadable.test(cell));
    const message = isUnreadable ? t("unreadable") : t("columns", { columns: listColumns.join(", ") });
    return problemsOf([{ line: header.line, message }]);
  }
  if (lines.length === 0) return problemsOf([{ line: header.line, message: t("noLines") }]);
  if (lines.length > listPaymentsMax) {
    const message = t("manyLines", { max: String(listPaymentsMax), count: String(lines.length) });
    return { kind: "problem", problems: [message], more: 0 };
  }
  const idOf = new Map(sellers.map(({ id, email }) => [email, id]));
  const lineOf = new Map<string, number>();
  const payments: ListedPayment[] = [];
  const problems: Problem[] = [];
  for (const { line, cells } of lines) {
    const hasExtraCell = cells.slice(header.cells.length).some((cell) => cell !== "");
    const split = hasExtraCell ? t("extraCells") : splitAmountProblem(cells, columnIndexes.amount, delimiter);
    const read = split === undefined ? readLine(cells, columnIndexes, idOf) : [split];
    if (!("sellerUserId" in read)) {
      problems.push(...read.map((message) => ({ line, message })));
      continue;
    }
    const same = JSON.stringify(read);
    const earlier = lineOf.get(same);
    if (earlier === undefined) payments.push({ line, ...read });
    else problems.push({ line, message: t("repeated", { line: String(earlier) }) });
    lineOf.set(same, earlier ?? line);
  }
  return problems.length > 0 ? problemsOf(problems) : { kind: "ok", payments };
}

/** Writes the list so that `readPaymentList` can read it. */
export function writePaymentList(payments: readonly { email: string; amountCents: number; name: string }[]): string {
  const rows = payments.map(({ email, amountCents, name }) => [email, (amountCents / 100).toFixed(2), name]);
  return stringify([[...listColumns], ...rows]);
}

// UTF-16, which spreadsheets call Unicode text, has NULs.
const unreadable = /[\0\uFFFD]/;

type Line = { line: number; cells: string[] };

function delimiterOf(text: string): string {
  const [firstLine = ""] = text.trimStart().split("\n", 1);
  return ["\t", ";"].find((separator) => firstLine.includes(separator)) ?? ",";
}

function parseRecords(text: string, delimiter: string): Line[] | Problem {
  const found: Line[] = [];
  try {
    parse(text, {
      ...{ bom: true, delimiter, relax_column_count: true, trim: true },
      // Spreadsheets copy a cell like 12" vinyl without quoting it.
      relax_quotes: delimiter === "\t",
      ...{ skip_empty_lines: true, skip_records_with_empty_values: true },
      on_record: (cells: string[], { lines }) => {
        found.push({ line: lines, cells });
        return undefined;
      },
    });
    return found;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === "number" ? error.lines : 1;
    return { line, message: words("pay.problems")("quotation") };
  }
}

function columnsOf(header: string[]): Record<Column, number> | undefined {
  const names = header.map((name) => name.toLowerCase());
  const [email, amount, purpose] = listColumns.map((name) => names.indexOf(name));
  if (email === undefined || amount === undefined || purpose === undefined) return undefined;
  return Math.min(email, amount, purpose) < 0 ? undefined : { email, amount, for: purpose };
}

// Without quotation marks, 1,250.00 would be read as $1.
function splitAmountProblem(cells: string[], amountIndex: number, delimiter: string): string | undefined {
  const [amount = "", next = ""] = cells.slice(amountIndex);
  const isSplit =
    delimiter === "," &&
    /^\d{1,3}$/.test(amount.replace(currencyPrefix, "")) &&
    /^\d{3}(?:\.\d{1,2})?$/.test(next.replace(currencySuffix, ""));
  return isSplit ? words("pay.problems")("splitAmount", { amount, whole: `${amount},${next}` }) : undefined;
}

function readLine(
  cells: string[],
  columnIndexes: Record<Column, number>,
  idOf: ReadonlyMap<string, string>,
): Omit<ListedPayment, "line"> | string[] {
  if (cells.some((cell) => unreadable.test(cell))) {
    return [words("pay.problems")("unreadable")];
  }
  const cell = (column: Column) => cells[columnIndexes[column]] ?? "";
  const sellerUserId = idOf.get(cell("email").toLowerCase());
  const amount = readAmount(cell("amount"));
  const name = paymentFields.shape.name.safeParse(cell("for"));
  if (sellerUserId && typeof amount === "number" && name.success) {
    return { sellerUserId, amountCents: amount, name: name.data };
  }
  return [
    ...(sellerUserId ? [] : [sellerProblem(cell("email"))]),
    ...(typeof amount === "string" ? [amount] : []),
    ...(name.success ? [] : name.error.issues.slice(0, 1).map(({ message }) => message)),
  ];
}

function sellerProblem(email: string): string {
  const t = words("pay.problems");
  return email === "" ? t("noEmail") : t("notPayable", { email });
}

function problemsOf(problems: Problem[]): ReadList {
  const t = words("pay.problems");
  const shown = problems.slice(0, problemsMax).map(({ line, message }) => t("line", { line: String(line), message }));
  return { kind: "problem", problems: shown, more: problems.length - shown.length };
}
