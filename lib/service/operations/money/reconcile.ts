import { findCatalogProblems } from "../../../kit/database-catalog.ts";
import { log } from "../../../kit/log.ts";
import { currentCell, schemaOf } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import {
  confirmFindings,
  type Findings,
  findAccountProblems,
  findKeyProblems,
  findPostingProblems,
  findReferenceProblems,
  findTransferProblems,
} from "../../domain/reconciliation.ts";
import { providers } from "../../providers.ts";
import {
  type Connection,
  type Db,
  database,
  inTransaction,
  migrationsFolder,
  servicePool,
} from "../../storage/database.ts";
import {
  findDeliveryHorizon,
  finishReconciliation,
  insertDueReconciliation,
  insertReconciliation,
  joinByKeys,
  keepReconciliationAlive,
  listAccountFacts,
  listPostingFacts,
  listRoutinesWithoutTransfer,
  listTransferFacts,
  listUnannouncedTransfers,
  listWrongKeys,
  nilUuid,
  type Page,
  type RowGroup,
  referringRows,
} from "../../storage/reconciliations.ts";
import { defaultRetention } from "../sweep.ts";

/** `problems` holds the first ones, `problemCount` is the total. */
export type Reconciliation = {
  accounts: number;
  postings: number;
  transfers: number;
  problems: string[];
  problemCount: number;
};

// Large enough to make page queries cheap, small enough for memory.
const pageSize = 2000;
// One account may have a large share of all entries, so a page can take a while.
const accountsPageSize = 200;
const problemsMax = 100;

/**
 * Checks the ledger while bookings continue, and stores the result for the metrics. Each page is read in its own short
 * transaction, and its problems are confirmed in a later one.
 */
export async function reconcile(): Promise<Reconciliation> {
  const id = await insertReconciliation(database());
  const result = await compareBooks({ id });
  await finishReconciliation(database(), { id, problems: result.problemCount });
  return result;
}

/** Reconciles once a day across all processes and logs each problem. Aborting `stopping` ends it without a result. */
export async function reconcileDaily(stopping: AbortSignal, progress: () => void): Promise<void> {
  const id = await insertDueReconciliation(database());
  if (id === undefined) return;
  const { problems, ...counts } = await compareBooks({ id, stopping, progress });
  await finishReconciliation(database(), { id, problems: counts.problemCount });
  for (const problem of problems) log().error({ problem }, "the ledger has a problem");
  log().info(counts, "reconciled the ledger");
}

/** `progress` is called at each page. */
type ComparisonOptions = { id: string; stopping?: AbortSignal; progress?: () => void };

async function compareBooks(options: ComparisonOptions): Promise<Reconciliation> {
  const { settlementDelayMs } = serviceConfig();
  const { deliveryRetentionDays } = defaultRetention;
  const isByHand = (cents: number) => providers().settlementOf(cents) === "by_hand";
  const result: Reconciliation = { accounts: 0, postings: 0, transfers: 0, problems: [], problemCount: 0 };
  const compare = <Row>(table: Table<Row>) => compareTable(options, result, table);

  await compare({
    read: ({ connection, after }) => listAccountFacts(connection, after, accountsPageSize),
    count: (rows) => {
      result.accounts += rows.length;
    },
    examine: (rows) => eachRow(rows, (account) => [account.id, findAccountProblems(account)]),
  });
  await compare({
    read: ({ tx, after }) => listPostingFacts(tx, after, pageSize),
    count: (rows) => {
      result.postings += total(rows);
    },
    examine: (rows) => findInGroups(rows, findPostingProblems),
  });
  await compare({
    read: ({ tx, after }) => listTransferFacts(tx, after, pageSize, { settlementDelayMs }),
    count: (rows) => {
      result.transfers += total(rows);
    },
    examine: (rows) => findInGroups(rows, (transfer) => findTransferProblems(transfer, { isByHand })),
  });
  await compare({
    read: ({ tx, after }) => listRoutinesWithoutTransfer(tx, after, pageSize),
    examine: (rows) => eachRow(rows, (routine) => [routine, [`Routine ${routine} has no transfer.`]]),
  });
  await compare({
    start: await findDeliveryHorizon(database(), { deliveryRetentionDays }),
    read: ({ tx, after, isRecheck }) => listUnannouncedTransfers(tx, after, pageSize, { isThorough: isRecheck }),
    examine: (rows) =>
      eachRow(rows, (transfer) => [transfer, [`Transfer ${transfer} has ended but lacks one of its two webhooks.`]]),
  });
  await compare({
    start: "[]",
    read: ({ tx, after }) => listWrongKeys(tx, after, pageSize),
    examine: (rows) => eachRow(rows, (key) => [JSON.stringify(key), findKeyProblems(key)]),
  });
  for (const { start, listPage } of referringRows) {
    await compare({
      start,
      read: ({ tx, after }) => listPage(tx, after, pageSize),
      examine: (rows) => eachRow(rows, (row) => [JSON.stringify(row), findReferenceProblems(row)]),
    });
  }
  const catalogProblems = await findCatalogProblems(servicePool(), migrationsFolder, schemaOf(currentCell()));
  addProblems(
    result,
    eachRow(catalogProblems, (problem) => [problem, [`The database's ${problem}.`]]),
  );
  return result;
}

type Reading = { tx: Db; connection: Connection; after: string; isRecheck: boolean };

type Table<Row> = {
  start?: string;
  read: (reading: Reading) => Promise<Page<Row>>;
  count?: (rows: Row[]) => void;
  examine: (rows: Row[]) => Findings;
};

async function compareTable<Row>(
  { id, stopping, progress }: ComparisonOptions,
  result: Reconciliation,
  { start = nilUuid, read, count, examine }: Table<Row>,
): Promise<void> {
  const readPage = (after: string, isRecheck: boolean) =>
    inTransaction(
      async (tx, connection) => {
        await joinByKeys(connection);
        return read({ tx, connection, after, isRecheck });
      },
      { isReadOnly: true },
    );
  for (let after: string | undefined = start; after !== undefined; ) {
    stopping?.throwIfAborted();
    await keepReconciliationAlive(database(), id);
    progress?.();
    let page: Page<Row> = await readPage(after, false);
    let findings = examine(page.rows);
    if (findings.byRow.size > 0) {
      page = await readPage(after, true);
      findings = confirmFindings(findings, examine(page.rows));
    }
    count?.(page.rows);
    addProblems(result, findings);
    after = page.next;
  }
}

function addProblems(result: Reconciliation, { byRow, more }: Findings): void {
  const problems = [...byRow.values()].flat();
  result.problemCount += problems.length + more;
  result.problems.push(...problems.slice(0, problemsMax - result.problems.length));
}

function eachRow<Row>(rows: Row[], find: (row: Row) => [key: string, problems: string[]]): Findings {
  return { byRow: new Map(rows.map(find).filter(([, problems]) => problems.length > 0)), more: 0 };
}

/** Like `eachRow`, for groups of equal rows; only some of their ids are known. */
function findInGroups<Facts extends { id: string }>(
  groups: RowGroup<Facts>[],
  find: (facts: Facts) => string[],
): Findings {
  const findings: Findings = { byRow: new Map(), more: 0 };
  for (const { facts, count, ids } of groups) {
    const problems = ids.map((id): [string, string[]] => [id, find({ ...facts, id } as Facts)]);
    const each = problems[0]?.[1].length ?? 0;
    if (each === 0) continue;
    for (const [id, found] of problems) findings.byRow.set(id, found);
    findings.more += (count - ids.length) * each;
  }
  return findings;
}

function total(groups: { count: number }[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}
