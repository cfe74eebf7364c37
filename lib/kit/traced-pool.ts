import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { type OpenSpan, tracing } from "./spans.ts";
import { WritableClient } from "./writable-client.ts";

/**
 * A pool whose connections make a span of each statement that is run within one. By pg's own option for the class of a
 * connection, so that a process without spans has the plain one and pays nothing.
 */
export function openTracedPool(options: pg.PoolConfig): pg.Pool {
  return new TracedPool({ ...options, Client: TracedClient });
}

class TracedPool extends pg.Pool {
  // Whoever waits for a connection is called back by whoever gives one back, and stays in their own span all the same.
  override connect(callback?: (...results: never[]) => void): never {
    const connect = super.connect.bind(this) as (callback?: (...results: never[]) => void) => unknown;
    return connect(callback && AsyncLocalStorage.bind(callback)) as never;
  }
}

class TracedClient extends WritableClient {
  override query(...parameters: unknown[]): never {
    const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
    const spans = tracing();
    // What a worker asks while there is nothing to do is nobody's.
    if (!spans?.current()) return query(...parameters) as never;
    const facts = { "db.system.name": "postgresql" };
    const span = spans.begin({ name: statementName(parameters[0]), kind: "client", facts });
    const callback = parameters.at(-1);
    if (typeof callback === "function") {
      const told = (error: unknown, ...results: unknown[]) => {
        end(span, error);
        callback(error, ...results);
      };
      return query(...parameters.slice(0, -1), told) as never;
    }
    const answered = query(...parameters);
    if (!(answered instanceof Promise)) {
      span.end();
      return answered as never;
    }
    return answered.then(
      (result) => {
        end(span);
        return result;
      },
      (error: unknown) => {
        end(span, error);
        throw error;
      },
    ) as never;
  }
}

// PostgreSQL's own sentences quote values, so an error is told by its code alone.
function end(span: OpenSpan, error?: unknown): void {
  if (error) span.fail(error instanceof Error && "code" in error ? String(error.code) : "connection_failed");
  span.end();
}

/**
 * What the span of a statement is called: the name it was prepared under, or else its first word and its first table. Never
 * anything else of its text.
 */
export function statementName(statement: unknown): string {
  const { name, text } = typeof statement === "string" ? { name: "", text: statement } : readStatement(statement);
  if (name) return name;
  const [, verb = "statement"] = /^\s*([a-z]+)/i.exec(text) ?? [];
  if (!/^(?:select|insert|update|delete|with|notify|listen)$/i.test(verb)) return verb.toLowerCase();
  const [, table] = /\b(?:from|into|update|notify|listen)\s+"?([a-z_]+)\b"?(?!\s*\()/i.exec(text) ?? [];
  return table ? `${verb.toLowerCase()} ${table}` : verb.toLowerCase();
}

function readStatement(statement: unknown): { name: string; text: string } {
  const { name = "", text = "" } = (statement ?? {}) as { name?: string; text?: string };
  return { name, text };
}
