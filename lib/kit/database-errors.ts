// Codes are PostgreSQL's (appendix A) or Node's socket errors.

/** Connections that failed on this machine: no handle, buffer or port left, or no answer from the resolver. */
export const ownFaultCodes = /^(?:E[MN]FILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETDOWN|EAI_AGAIN|EAI_MEMORY)$/i;
// Connection exceptions, shutdown, too many connections, an idle transaction timeout, and an unreachable server.
const connectionLostCodes =
  /^(?:08...|57P0[1-5]|25P0[34]|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|E(?:HOST|NET)UNREACH|ENOTFOUND)$/;
// Errors of pg without a code.
const connectionLostMessages =
  /^(?:Connection terminated|Connection ended|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|This socket has been ended)/;
// Insufficient resources, program limits, lock and statement timeouts, conflicts, and a read-only server after a
// failover.
const busyCodes = /^(?:5[34]...|55P03|57014|40001|40P01|25006)$/;

/** Whether a connection couldn't be made or broke, which leaves the outcome of its statement unknown. */
export function isConnectionLost(error: unknown): boolean {
  return hasCause(
    error,
    (cause) =>
      (connectionLostCodes.test(codeOf(cause)) && !isMissingFile(cause)) ||
      ownFaultCodes.test(codeOf(cause)) ||
      connectionLostMessages.test(cause.message),
  );
}

/** Whether the database is unreachable or too busy, so a retry may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isConnectionLost(error) || hasCause(error, (cause) => busyCodes.test(codeOf(cause)));
}

export function isLockTimeout(error: unknown): boolean {
  return hasCause(error, (cause) => codeOf(cause) === "55P03");
}

export function isUniqueViolation(error: unknown): boolean {
  return hasCause(error, (cause) => codeOf(cause) === "23505");
}

export function isTransactionConflict(error: unknown): boolean {
  return hasCause(error, (cause) => codeOf(cause) === "40P01" || codeOf(cause) === "40001");
}

/**
 * Whether PostgreSQL rejected a row (classes 22, 23 and 54: data exceptions, constraints and program limits). The
 * statement may succeed without that row.
 */
export function isDataError(error: unknown): boolean {
  return /^(?:2[23]|54)/.test(databaseErrorOf(error)?.code ?? "");
}

/** The code and the constraint's name, never a value of the row. */
export function reasonOf(error: unknown): string {
  const known = databaseErrorOf(error);
  if (!known) return error instanceof Error ? error.name : "unknown";
  return [known.code, known.constraint].filter((part) => part !== undefined).join(" ");
}

/** A missing socket has the same code, from `connect`. */
function isMissingFile(error: Error): boolean {
  return codeOf(error) === "ENOENT" && "syscall" in error && error.syscall !== "connect";
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function hasCause(error: unknown, fits: (error: Error) => boolean): boolean {
  if (!(error instanceof Error)) return false;
  return fits(error) || hasCause(error.cause, fits);
}

// The query builder wraps the driver's error.
function databaseErrorOf(error: unknown): { code: string; constraint?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)) {
    const constraint = "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
    return { code: error.code, ...(constraint !== undefined && { constraint }) };
  }
  return databaseErrorOf(error.cause);
}
