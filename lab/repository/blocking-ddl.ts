import { type AlterTableCmd, type Constraint, type Node, parse } from "libpg-query";
import {
  bodyOf,
  builtIndex,
  headOf,
  isOutsideTransactions,
  type Migration,
  readBatch,
} from "../../lib/kit/migrations.ts";

/** Why a statement is rejected in a migration, and what to write instead. */
export const problems = {
  unreadable: "PostgreSQL can't parse it.",
  "unknown-statement": "It isn't known to be safe under load (it locks, truncates, runs code, or is new here).",
  "unknown-alteration": "This ALTER TABLE isn't known to be instant under load.",
  "index-locks": "Building or dropping an index blocks writes: use CONCURRENTLY in a migration in steps.",
  "index-not-repeatable":
    'Write CREATE INDEX CONCURRENTLY "name" ON …, or DROP INDEX CONCURRENTLY IF EXISTS "name": the statement may run twice.',
  "needs-steps": "It can't run in a transaction: begin the file with `-- in steps: why`.",
  "one-statement-a-step": "Each step must be one statement: put `--> statement-breakpoint` between statements.",
  "column-required":
    "The previous version doesn't write this column: give it a default, or make it NOT NULL once it's filled.",
  "column-rewrites": "This rewrites the whole table under a lock: add the column empty, then fill it in batches.",
  "column-checked": "This reads all rows or builds an index under the table's lock: add the constraint separately.",
  "column-type": "This rewrites the whole table, and the previous version expects the old type: add a new column.",
  "not-null-unchecked": "This reads all rows under the table's lock: first validate a separate CHECK (… IS NOT NULL).",
  "constraint-validates":
    "This reads all rows while writes wait: add it NOT VALID, and VALIDATE CONSTRAINT in a later step.",
  "constraint-builds-index":
    "This builds its index under the table's lock: build it CONCURRENTLY first, then add it USING INDEX.",
  "partition-reads-rows":
    "This reads all rows under the table's lock: attach it FROM (MINVALUE) TO (MAXVALUE), and split it later.",
  renames:
    "One of the two running versions doesn't know this name: add the new one, fill it, and drop the old one later.",
  cascades: "CASCADE drops objects that aren't named here.",
  "contract-unmarked":
    "The previous version may use it: begin the file with `-- contract: nothing reads … since record 0017`.",
  "contract-unknown": "The mark must end with `since record NNNN`, which exists, or with `since release N.N.N`.",
  "all-rows": "It locks every row until it ends: use `-- in batches of 1000 by table.id`, with `= ANY($1)`.",
} as const;

export type Finding = { migration: string; statement: number; rule: keyof typeof problems };

/**
 * Finds statements that could block or break the previous version while it's still running. Uses PostgreSQL's parser.
 * @param migrations all of one database, oldest first, since earlier ones determine later checks
 * @param isExamined whether a migration is judged or only read
 * @param records existing decision record numbers
 */
export async function findBlockingDdl(
  migrations: Migration[],
  { isExamined, records }: { isExamined: (name: string) => boolean; records: ReadonlySet<string> },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const checks: Checks = { columnOf: new Map(), validated: new Set() };
  for (const migration of migrations) {
    const file: File = { migration, newTables: new Set(), checks, isContract: false };
    const found = new Set<string>();
    const note = (statement: number, rule: Finding["rule"]) => {
      const key = `${statement} ${rule}`;
      if (isExamined(migration.name) && !found.has(key)) findings.push({ migration: migration.name, statement, rule });
      found.add(key);
    };
    const mark = headOf(migration.statements[0] ?? "").find((line) => /^-- contract\b/.test(line));
    const [, since, record] = /^-- contract: .+ since (record (\d{4})|release \d+\.\d+\.\d+)$/.exec(mark ?? "") ?? [];
    if (mark && !(since && (record === undefined || records.has(record)))) note(1, "contract-unknown");
    file.isContract = mark !== undefined;
    for (const [index, text] of migration.statements.entries()) {
      for (const rule of await judge(text, file)) note(index + 1, rule);
    }
  }
  return findings;
}

type Rule = Finding["rule"];
type Checks = { columnOf: Map<string, string>; validated: Set<string> };
type File = { migration: Migration; newTables: Set<string>; checks: Checks; isContract: boolean };

async function judge(text: string, file: File): Promise<Rule[]> {
  let nodes: Node[];
  try {
    nodes = (await parse(text)).stmts?.flatMap(({ stmt }) => stmt ?? []) ?? [];
  } catch {
    return ["unreadable"];
  }
  const several: Rule[] = file.migration.isInSteps && nodes.length > 1 ? ["one-statement-a-step"] : [];
  return [...several, ...nodes.flatMap((node) => judgeStatement(node, text, file))];
}

const harmless = ["CreateFunctionStmt", "CreateTrigStmt", "CreateSeqStmt", "CreateEnumStmt", "ViewStmt", "CommentStmt"];

function judgeStatement(node: Node, text: string, file: File): Rule[] {
  const isNew = (table: string | undefined) => table !== undefined && file.newTables.has(table);
  const inSteps: Rule[] = file.migration.isInSteps ? [] : ["needs-steps"];
  const marked: Rule[] = file.isContract ? [] : ["contract-unmarked"];
  if ("CreateStmt" in node) {
    const { relation, inhRelations, partbound } = node.CreateStmt;
    if (inhRelations || partbound || !relation?.relname) return ["unknown-statement"];
    file.newTables.add(relation.relname);
    return [];
  }
  if ("IndexStmt" in node) {
    const { concurrent, relation, idxname } = node.IndexStmt;
    if (!concurrent) return isNew(relation?.relname) ? [] : ["index-locks"];
    const isRepeatable = idxname !== undefined && builtIndex(text) === idxname && isOutsideTransactions(text);
    return [...inSteps, ...(isRepeatable ? [] : (["index-not-repeatable"] as const))];
  }
  if ("AlterTableStmt" in node) {
    const { relation, objtype, cmds = [] } = node.AlterTableStmt;
    const table = relation?.relname;
    if (objtype !== "OBJECT_TABLE" || !table) return ["unknown-statement"];
    const commands = cmds.flatMap((command) => ("AlterTableCmd" in command ? [command.AlterTableCmd] : []));
    const found = commands.flatMap((command) => judgeAlteration(command, table, file));
    const attached = commands.flatMap(judgePartition);
    return isNew(table) ? attached : [...found, ...attached];
  }
  if ("DropStmt" in node) {
    const { removeType, concurrent, missing_ok, behavior } = node.DropStmt;
    const cascades: Rule[] = behavior === "DROP_CASCADE" ? ["cascades"] : [];
    if (removeType !== "OBJECT_INDEX") return [...marked, ...cascades];
    if (!concurrent) return ["index-locks", ...marked];
    return [...inSteps, ...marked, ...(missing_ok ? [] : (["index-not-repeatable"] as const))];
  }
  if ("RenameStmt" in node) {
    const { renameType, relation } = node.RenameStmt;
    if (renameType === "OBJECT_TABLE") return isRecreated(relation?.relname, file.migration) ? [] : ["renames"];
    return renameType === "OBJECT_COLUMN" ? ["renames"] : marked;
  }
  if ("UpdateStmt" in node || "DeleteStmt" in node) {
    const statement = "UpdateStmt" in node ? node.UpdateStmt : node.DeleteStmt;
    if (isNew(statement.relation?.relname)) return [];
    return isBatch(text) ? inSteps : ["all-rows"];
  }
  if ("InsertStmt" in node) {
    const { relation, selectStmt } = node.InsertStmt;
    const isOfValues = selectStmt && "SelectStmt" in selectStmt && selectStmt.SelectStmt.valuesLists !== undefined;
    return isOfValues || isNew(relation?.relname) ? [] : inSteps;
  }
  return harmless.some((kind) => kind in node) ? [] : ["unknown-statement"];
}

// Fast, with a short lock.
const quick = ["AT_ColumnDefault", "AT_DropNotNull", "AT_SetStatistics", "AT_SetRelOptions", "AT_ResetRelOptions"];

function judgeAlteration({ subtype, name = "", def, behavior }: AlterTableCmd, table: string, file: File): Rule[] {
  const { checks } = file;
  if (quick.some((one) => one === subtype)) return [];
  switch (subtype) {
    case "AT_AddColumn":
      return def && "ColumnDef" in def ? judgeColumn(def.ColumnDef) : ["unknown-alteration"];
    case "AT_AddConstraint":
      return def && "Constraint" in def ? judgeConstraint(def.Constraint, table, checks) : ["unknown-alteration"];
    case "AT_ValidateConstraint": {
      const column = checks.columnOf.get(`${table}.${name}`);
      if (column) checks.validated.add(`${table}.${column}`);
      return file.migration.isInSteps ? [] : ["needs-steps"];
    }
    case "AT_SetNotNull":
      return checks.validated.has(`${table}.${name}`) ? [] : ["not-null-unchecked"];
    case "AT_AlterColumnType":
      return ["column-type"];
    case "AT_DropColumn":
    case "AT_DropConstraint":
      return [
        ...(file.isContract ? [] : (["contract-unmarked"] as const)),
        ...(behavior === "DROP_CASCADE" ? (["cascades"] as const) : []),
      ];
    default:
      return ["unknown-alteration"];
  }
}

// Scans rows with both tables locked, unless the bounds allow every row.
function judgePartition({ subtype, def }: AlterTableCmd): Rule[] {
  if (subtype !== "AT_AttachPartition") return [];
  const bound = def && "PartitionCmd" in def ? def.PartitionCmd.bound : undefined;
  const isOfAll = isUnbounded(bound?.lowerdatums, "minvalue") && isUnbounded(bound?.upperdatums, "maxvalue");
  return isOfAll ? [] : ["partition-reads-rows"];
}

function isUnbounded(datums: Node[] | undefined, name: "minvalue" | "maxvalue"): boolean {
  const [only, ...others] = datums ?? [];
  return others.length === 0 && only !== undefined && "ColumnRef" in only && nameOf(only.ColumnRef.fields) === name;
}

/** Whether the renamed table is recreated in the same transaction, so that both versions find one. */
function isRecreated(table: string | undefined, { isInSteps, statements }: Migration): boolean {
  const created = statements.map((text) => /^create table "?(\w+)"? \(/i.exec(bodyOf(text))?.[1]);
  return !isInSteps && table !== undefined && created.includes(table);
}

type Column = Extract<Node, { ColumnDef: unknown }>["ColumnDef"];

function judgeColumn({ typeName, constraints = [] }: Column): Rule[] {
  const type = nameOf(typeName?.names);
  const all = constraints.flatMap((one) => ("Constraint" in one ? [one.Constraint] : []));
  const has = (kind: Constraint["contype"]) => all.some(({ contype }) => contype === kind);
  const rules: Rule[] = [];
  const fallback = all.find(({ contype }) => contype === "CONSTR_DEFAULT")?.raw_expr;
  if (has("CONSTR_NOTNULL") && !fallback) rules.push("column-required");
  const isWritten = all.some(({ contype, generated_kind }) => contype === "CONSTR_GENERATED" && generated_kind !== "v");
  if (/serial\d?$/.test(type) || isWritten || has("CONSTR_IDENTITY") || (fallback && !isSettledOnce(fallback))) {
    rules.push("column-rewrites");
  }
  const kinds = ["CONSTR_UNIQUE", "CONSTR_PRIMARY", "CONSTR_FOREIGN", "CONSTR_CHECK"] as const;
  if (kinds.some(has)) rules.push("column-checked");
  return rules;
}

/** Whether a default is constant, so that no rows are rewritten. */
function isSettledOnce(node: Node): boolean {
  if ("A_Const" in node || "SQLValueFunction" in node) return true;
  if ("TypeCast" in node) return node.TypeCast.arg !== undefined && isSettledOnce(node.TypeCast.arg);
  if ("A_ArrayExpr" in node) return (node.A_ArrayExpr.elements ?? []).every(isSettledOnce);
  return "FuncCall" in node && nameOf(node.FuncCall.funcname) === "now";
}

function judgeConstraint(constraint: Constraint, table: string, { columnOf }: Checks): Rule[] {
  const { contype, conname, skip_validation: isNotValid, indexname, raw_expr: expression } = constraint;
  if (contype === "CONSTR_UNIQUE" || contype === "CONSTR_PRIMARY") return indexname ? [] : ["constraint-builds-index"];
  if (contype === "CONSTR_EXCLUSION") return ["constraint-builds-index"];
  if (contype !== "CONSTR_CHECK" && contype !== "CONSTR_FOREIGN" && contype !== "CONSTR_NOTNULL") {
    return ["unknown-alteration"];
  }
  if (expression && "NullTest" in expression && expression.NullTest.nulltesttype === "IS_NOT_NULL") {
    const { arg } = expression.NullTest;
    if (arg && "ColumnRef" in arg) columnOf.set(`${table}.${conname}`, nameOf(arg.ColumnRef.fields));
  }
  return isNotValid ? [] : ["constraint-validates"];
}

function nameOf(parts: Node[] = []): string {
  const last = parts.at(-1);
  return last && "String" in last ? (last.String.sval ?? "") : "";
}

function isBatch(text: string): boolean {
  try {
    return readBatch(text) !== undefined && /= *any *\(\$1\)/i.test(text);
  } catch {
    return false;
  }
}
