// Codes are PostgreSQL's (appendix A), or Node's for what happens to a socket.

/** Codes of a connection that this machine could not even begin: no handle, buffer or port left, or no answer from the resolver. */
export const ownFaultCodes = /^(?:E[MN]FILE|ENOBUFS|ENOMEM|EADDRNOTAVAIL|ENETDOWN|EAI_AGAIN|EAI_MEMORY)$/i;
// Connection exceptions, shutdown, too many connections, an idle transaction that was ended; and no server at all.
const connectionLostCodes =
  /^(?:08...|57P0[1-5]|25P0[34]|53300|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ENOENT|ETIMEDOUT|E(?:HOST|NET)UNREACH|ENOTFOUND)$/;
// What pg says without a code: a connection ended, was used after its end, or could not be had in time.
const connectionLostMessages =
  /^(?:Connection terminated|Connection ended|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|This socket has been ended)/;
// Out of resources, a program limit exceeded, lock not available, a statement that took too long, what was tried again in vain, and a server that takes
// no writes because another has become the primary.
const busyCodes = /^(?:5[34]...|55P03|57014|40001|40P01|25006)$/;

/** Whether the connection to the database could not be made or broke, so that nothing is known of what was under way. */
export function isConnectionLost(error: unknown): boolean {
  return hasCause(
    error,
    (one) =>
      connectionLostCodes.test(codeOf(one)) ||
      ownFaultCodes.test(codeOf(one)) ||
      connectionLostMessages.test(one.message),
  );
}

/** Whether the database could not be reached, went away or is too busy, so that the same request may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isConnectionLost(error) || hasCause(error, (one) => busyCodes.test(codeOf(one)));
}

/** Whether a statement gave up waiting for a lock. */
export function isLockTimeout(error: unknown): boolean {
  return hasCause(error, (one) => codeOf(one) === "55P03");
}

/** Whether a row was refused because another one has its key. */
export function isUniqueViolation(error: unknown): boolean {
  return hasCause(error, (one) => codeOf(one) === "23505");
}

/** Whether PostgreSQL ended the transaction for the sake of another, and says to run it again: deadlock, serialization. */
export function isTransactionConflict(error: unknown): boolean {
  return hasCause(error, (one) => codeOf(one) === "40P01" || codeOf(one) === "40001");
}

/**
 * Whether PostgreSQL refused a statement because of what a row holds or would hold (classes 22, 23 and 54: data exceptions,
 * integrity constraints and program limits). The same statement without that row may succeed; the same with it will not.
 */
export function isDataError(error: unknown): boolean {
  return /^(?:2[23]|54)/.test(databaseErrorOf(error)?.code ?? "");
}

/** Why a row was refused, in a few words for an operator: the code and the rule's name, never a value of the row. */
export function reasonOf(error: unknown): string {
  const known = databaseErrorOf(error);
  if (!known) return error instanceof Error ? error.name : "unknown";
  return [known.code, known.constraint].filter((part) => part !== undefined).join(" ");
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function hasCause(error: unknown, fits: (error: Error) => boolean): boolean {
  if (!(error instanceof Error)) return false;
  return fits(error) || hasCause(error.cause, fits);
}

// The query builder wraps the error of the driver.
function databaseErrorOf(error: unknown): { code: string; constraint?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code)) {
    const constraint = "constraint" in error && typeof error.constraint === "string" ? error.constraint : undefined;
    return { code: error.code, ...(constraint !== undefined && { constraint }) };
  }
  return databaseErrorOf(error.cause);
}
