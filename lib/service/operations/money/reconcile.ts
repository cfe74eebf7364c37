import { log } from "../../../kit/log.ts";
import {
  findAccountProblems,
  findPostingProblems,
  findReferenceProblems,
  findSumProblems,
  findTransferProblems,
} from "../../domain/reconciliation.ts";
import { type Connection, type Db, database, inTransaction } from "../../storage/database.ts";
import {
  type Alike,
  finishReconciliation,
  insertDueReconciliation,
  insertReconciliation,
  isOnlyReconciliation,
  joinByKeys,
  listAccountFacts,
  listPostingFacts,
  listTransferFacts,
  type Page,
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

// So many that asking for a page costs little beside reading its rows, and few enough to keep.
const pageSize = 2000;
// One may have a great part of all entries, so nobody knows how long a page takes.
const accountsPageSize = 200;
// More than an operator reads; the count says the rest.
const problemsMax = 100;
const beforeAllIds = "00000000-0000-0000-0000-000000000000";

/** Compares the books with themselves as of one moment, whoever books meanwhile, and keeps the result for the metrics. */
export async function reconcile(): Promise<Reconciliation> {
  const id = await insertReconciliation(database());
  const result = await inOneMoment((tx, connection) => compareBooks({ tx, connection }));
  await finishReconciliation(database(), { id, problems: result.problemCount });
  return result;
}

/** The same once a day, over all processes; each problem goes to the log. Stops without a result when told to. */
export async function reconcileDaily(stopping: AbortSignal): Promise<void> {
  const result = await inOneMoment(async (tx, connection) => {
    // Whoever compares much takes hours, and a second one beside it would only take its time.
    if (!(await isOnlyReconciliation(connection))) return undefined;
    const id = await insertDueReconciliation(database());
    return id && { id, ...(await compareBooks({ tx, connection, stopping })) };
  });
  if (!result) return;
  const { id, problems, ...counts } = result;
  await finishReconciliation(database(), { id, problems: counts.problemCount });
  for (const problem of problems) log().error({ problem }, "the books do not agree");
  log().info(counts, "compared the books");
}

const inOneMoment = <T>(work: (tx: Db, connection: Connection) => Promise<T>): Promise<T> =>
  inTransaction(work, { readsOneMoment: true });

type Comparing = { tx: Db; connection: Connection; stopping?: AbortSignal };

async function compareBooks({ tx, connection, stopping }: Comparing): Promise<Reconciliation> {
  const result: Reconciliation = { accounts: 0, postings: 0, transfers: 0, problems: [], problemCount: 0 };
  let sumCents = 0n;
  await joinByKeys(connection);
  const accounts = walk((after) => listAccountFacts(connection, after, accountsPageSize), { stopping });
  for await (const account of accounts) {
    result.accounts++;
    sumCents += account.entriesCents;
    note(result, findAccountProblems(account));
  }
  for await (const postings of walk((after) => listPostingFacts(tx, after, pageSize), { stopping })) {
    result.postings += postings.count;
    noteAlike(result, postings, findPostingProblems);
  }
  for await (const transfers of walk((after) => listTransferFacts(tx, after, pageSize), { stopping })) {
    result.transfers += transfers.count;
    noteAlike(result, transfers, findTransferProblems);
  }
  for (const { start, listPage } of referringRows) {
    const rows = walk((after) => listPage(tx, after, pageSize), { stopping, start });
    for await (const row of rows) note(result, findReferenceProblems(row));
  }
  note(result, findSumProblems(sumCents));
  return result;
}

function note(result: Reconciliation, problems: string[]): void {
  result.problemCount += problems.length;
  result.problems.push(...problems.slice(0, problemsMax - result.problems.length));
}

/** Notes what is wrong with rows that are alike: the same with each of them. */
function noteAlike<Facts extends { id: string }>(
  result: Reconciliation,
  { facts, count, ids }: Alike<Facts>,
  find: (facts: Facts) => string[],
): void {
  const problems = ids.map((id) => find({ ...facts, id } as Facts));
  note(result, problems.flat());
  result.problemCount += (count - ids.length) * (problems[0]?.length ?? 0);
}

/** What was found in a table in the order of its keys, page by page. */
async function* walk<Row>(
  readPage: (after: string) => Promise<Page<Row>>,
  { stopping, start = beforeAllIds }: { stopping: AbortSignal | undefined; start?: string },
) {
  for (let after: string | undefined = start; after !== undefined; ) {
    stopping?.throwIfAborted();
    const { rows, next }: Page<Row> = await readPage(after);
    yield* rows;
    after = next;
  }
}
