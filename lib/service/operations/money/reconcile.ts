import { log } from "../../../kit/log.ts";
import {
  findAccountProblems,
  findPostingProblems,
  findReferenceProblems,
  findSumProblems,
  findTransferProblems,
} from "../../domain/reconciliation.ts";
import { type Db, database, inTransaction } from "../../storage/database.ts";
import {
  finishReconciliation,
  insertDueReconciliation,
  insertReconciliation,
  listAccountFacts,
  listPostingFacts,
  listTransferFacts,
  referringRows,
} from "../../storage/reconciliations.ts";

/** How much was compared and what was wrong: `problems` holds the first of them, `problemCount` says how many there are. */
export type Reconciliation = {
  accounts: number;
  postings: number;
  transfers: number;
  problems: string[];
  problemCount: number;
};

// Few enough for a statement to end in time though some accounts have very many entries.
const pageSize = 200;
// More than an operator reads; the count says the rest.
const problemsMax = 100;
const beforeAllIds = "00000000-0000-0000-0000-000000000000";

/** Compares the books with themselves as of one moment, whoever books meanwhile, and keeps the result for the metrics. */
export async function reconcile(): Promise<Reconciliation> {
  return compareUnder(await insertReconciliation(database()));
}

/** The same once a day, over all processes; each problem goes to the log. Stops without a result when told to. */
export async function reconcileDaily(stopping: AbortSignal): Promise<void> {
  const id = await insertDueReconciliation(database());
  if (id === undefined) return;
  const { problems, ...counts } = await compareUnder(id, stopping);
  for (const problem of problems) log().error({ problem }, "the books do not agree");
  log().info(counts, "compared the books");
}

async function compareUnder(id: string, stopping?: AbortSignal): Promise<Reconciliation> {
  const result = await inTransaction((tx) => compareBooks(tx, stopping), { readsOneMoment: true });
  await finishReconciliation(database(), { id, problems: result.problemCount });
  return result;
}

async function compareBooks(tx: Db, stopping?: AbortSignal): Promise<Reconciliation> {
  const result: Reconciliation = { accounts: 0, postings: 0, transfers: 0, problems: [], problemCount: 0 };
  let sumCents = 0n;
  for await (const account of walk((after) => listAccountFacts(tx, after, pageSize), stopping)) {
    result.accounts++;
    sumCents += account.entriesCents;
    note(result, findAccountProblems(account));
  }
  for await (const posting of walk((after) => listPostingFacts(tx, after, pageSize), stopping)) {
    result.postings++;
    note(result, findPostingProblems(posting));
  }
  for await (const transfer of walk((after) => listTransferFacts(tx, after, pageSize), stopping)) {
    result.transfers++;
    note(result, findTransferProblems(transfer));
  }
  for (const { start, listPage } of referringRows) {
    const rows = walk((after) => listPage(tx, after, pageSize), stopping, start);
    for await (const row of rows) note(result, findReferenceProblems(row));
  }
  note(result, findSumProblems(sumCents));
  return result;
}

function note(result: Reconciliation, problems: string[]): void {
  result.problemCount += problems.length;
  result.problems.push(...problems.slice(0, problemsMax - result.problems.length));
}

/** Every row of a table in the order of its ids, page by page. */
async function* walk<Row extends { id: string }>(
  readPage: (after: string) => Promise<Row[]>,
  stopping?: AbortSignal,
  start = beforeAllIds,
) {
  let after = start;
  while (true) {
    stopping?.throwIfAborted();
    const page = await readPage(after);
    yield* page;
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.id;
  }
}
