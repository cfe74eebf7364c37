import { servicePool } from "../storage/database.ts";

const isSingle = /_in_one_statement$/;
const setting = "TEST_REFUSES_SINGLE_STATEMENTS";

/**
 * From now on every statement that serves a set by itself fails in this process and in those that it starts, as PostgreSQL
 * refuses one that lost a deadlock. So everything goes the careful way. To be called before the pool has any connection.
 */
export function refuseSingleStatements(): void {
  process.env[setting] = "yes";
  servicePool().on("connect", (connection) => {
    const query = connection.query.bind(connection);
    Object.defineProperty(connection, "query", {
      value: (...parameters: [{ name?: string }]) =>
        isSingle.test(parameters[0]?.name ?? "")
          ? Promise.reject(Object.assign(new Error("refused by a test"), { code: "40P01" }))
          : Reflect.apply(query, connection, parameters),
    });
  });
}

/** Whether this process, or the one that started it, refuses them. */
export function areSingleStatementsRefused(): boolean {
  return process.env[setting] !== undefined;
}
