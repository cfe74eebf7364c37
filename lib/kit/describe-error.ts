/**
 * An error as loggable fields: name, code, message and frames, plus a query's text without its parameters, which may be
 * personal. The code is called `errorCode`, because the log redacts `code`.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: "A value that is not an Error was thrown." };
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  if ("query" in error && error.cause instanceof Error) {
    return { ...describeError(error.cause), query: error.query, frames };
  }
  const errorCode = "code" in error ? error.code : undefined;
  return { name: error.name, message: error.message, ...(errorCode !== undefined && { errorCode }), frames };
}

/** An error in one line, never empty, without a query's parameters; an aggregate lists its causes. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return "A value that is not an Error was thrown.";
  if ("query" in error && error.cause instanceof Error) return sentenceOf(error.cause);
  if (error instanceof AggregateError && error.message === "") return error.errors.map(sentenceOf).join("; ");
  return error.message || error.name;
}
