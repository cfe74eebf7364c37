import type { Exchange } from "./world/exchange.ts";

/** The service violates the clause; `exchange` is the evidence. */
export class NotMet extends Error {
  readonly exchange: Exchange | undefined;
  constructor(sentence: string, exchange?: Exchange) {
    super(sentence);
    this.exchange = exchange;
  }
}

/** The clause couldn't be checked because a precondition failed; the message says why. */
export class NotReached extends Error {
  readonly exchange: Exchange | undefined;
  constructor(why: string, exchange?: Exchange) {
    super(why);
    this.exchange = exchange;
  }
}

const temporary = new Set([429, 502, 503, 504]);

/** Throws `NotReached` for "try later", which is neither success nor refusal. */
export function requireAvailable(exchange: Exchange): void {
  const { status } = exchange.answer;
  if (temporary.has(status)) throw new NotReached(`The service wasn't available (${status}).`, exchange);
}

export function isDone(exchange: Exchange): boolean {
  requireAvailable(exchange);
  return exchange.answer.status >= 200 && exchange.answer.status < 300;
}

export function mustSucceed(exchange: Exchange, sentence: string): Exchange {
  if (!isDone(exchange)) throw new NotMet(sentence, exchange);
  return exchange;
}

export function mustBeRefused(exchange: Exchange, sentence: string): Exchange {
  if (isDone(exchange)) throw new NotMet(sentence, exchange);
  return exchange;
}

export function must(holds: boolean, sentence: string, exchange?: Exchange): void {
  if (!holds) throw new NotMet(sentence, exchange);
}

/** The answer of a call that later checks depend on. */
export function groundFor(exchange: Exchange, what: string): Exchange {
  if (!isDone(exchange)) throw new NotReached(`${what}: ${exchange.answer.status}.`, exchange);
  return exchange;
}
