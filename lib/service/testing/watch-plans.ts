import type pg from "pg";
import { servicePool } from "../storage/database.ts";

/** A statement with the rows its scans read, the pages it touched, and the tables it scanned. */
export type RunStatement = { text: string; rowsExamined: number; pages: number; wholeTables: string[] };

type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: PlanNode[];
};

/**
 * Makes PostgreSQL report the plan of each statement of the pool. Returns a function that runs `work` and returns its
 * statements. Call it before the pool connects.
 */
export async function watchPlans(): Promise<(work: () => Promise<unknown>) => Promise<RunStatement[]>> {
  const reported: RunStatement[] = [];
  const pool = servicePool();
  const { rows } = await pool.query<{ name: string }>("select current_database() as name");
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    client_min_messages: "log",
  };
  for (const [name, value] of Object.entries(settings)) {
    await pool.query(`alter database ${rows[0]?.name} set ${name} = '${value}'`);
  }
  pool.on("connect", (client: pg.PoolClient) => {
    client.on("notice", ({ message }) => {
      const start = message?.startsWith("duration: ") ? message.indexOf("{") : -1;
      if (message && start >= 0) reported.push(readPlan(message.slice(start)));
    });
  });
  return async (work) => {
    reported.length = 0;
    await work();
    return [...reported];
  };
}

function readPlan(json: string): RunStatement {
  const { "Query Text": text, Plan: plan } = JSON.parse(json) as { "Query Text": string; Plan: PlanNode };
  const nodes = nodesOf(plan).filter((node) => (node["Actual Loops"] ?? 0) > 0);
  const scans = nodes.filter((node) => / Scan$/.test(node["Node Type"]) && node["Relation Name"] !== undefined);
  return {
    text,
    rowsExamined: scans.reduce((sum, node) => sum + rowsExaminedBy(node), 0),
    pages: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
    wholeTables: scans.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"] ?? ""),
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function rowsExaminedBy(node: PlanNode): number {
  const perLoop =
    (node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return perLoop * (node["Actual Loops"] ?? 0);
}
