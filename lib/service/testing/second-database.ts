import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import pg from "pg";

/** Another database of the test's cluster, with the same schema and nothing in it, and an API that serves it. */
export type SecondDatabase = {
  url: string;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Asks that API with this Authorization header. */
  call: (
    method: string,
    path: string,
    options: SecondCall,
  ) => Promise<{ status: number; json: Record<string, unknown> }>;
  stop: () => Promise<void>;
};

type SecondCall = { authorization: string; body?: unknown; headers?: Record<string, string> };

/** @param postgresUrl the test cluster's database "postgres" */
export async function startSecondDatabase(postgresUrl: string): Promise<SecondDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString("hex")}`;
  const maker = new pg.Client({ connectionString: postgresUrl });
  await maker.connect();
  await maker.query(`create database ${name} template template_of_tests`);
  await maker.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  const connection = new pg.Client({ connectionString: url.href });
  await connection.connect();
  const child = fork(fileURLToPath(new URL("./api-process.ts", import.meta.url)), {
    env: {
      ...process.env,
      SERVICE_DATABASE_URL: url.href,
      SERVICE_DATABASE_DIRECT_URL: url.href,
      SERVICE_DATABASE_POOLED: "off",
    },
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.once("message", (message) => resolve(String(message)));
    child.once("exit", (code) => reject(new Error(`The API ended with ${code}.`)));
  });
  return {
    url: url.href,
    query: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await connection.query<Row>(text, values)).rows,
    call: async (method, path, { authorization, body, headers = {} }) => {
      const answer = await fetch(new URL(path, baseUrl), {
        method,
        headers: { ...headers, authorization, ...(body !== undefined && { "content-type": "application/json" }) },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
    },
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
      await connection.end();
    },
  };
}
