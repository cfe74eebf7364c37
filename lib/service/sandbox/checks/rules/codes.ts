import { limits } from "../../../../contract/limits.ts";
import type { CallEvent } from "../../../../contract/sandbox-events.ts";
import {
  clientTimeOf,
  endOf,
  firstUseOf,
  groupByText,
  type History,
  isExchange,
  isSuccess,
  isTemporary,
  startOf,
} from "../history.ts";
import { judgeEach, type Rule } from "../rule.ts";
import { findAuthorized, findOpening } from "../visits.ts";

const codeExchangedOnce: Rule = {
  id: "code-exchanged-once",
  title: "Exchanges each authorization code once",
  clauses: ["I.tokens-and-codes.1", "I.post-v1-oauth-token.1", "D10.2"],
  whatToDo:
    "Let only one request redeem the response at your redirect_uri: delete the stored state in the same statement that reads it, so a reload or a second tab finds nothing. If the answer is lost, have the person authorize again.",
  judge: (history) => {
    const groups = [...groupByText(history.calls.filter(isExchange), ({ facts }) => facts.code).values()];
    return {
      kept: groups.flatMap((group) => group.filter(({ status }) => isSuccess(status))),
      broken: groups.filter((group) => isUsedAgain(group, history)).flat(),
    };
  },
};

/**
 * Whether a code was sent after its first conclusive answer: twice more, with the outcome known, or too soon to have waited
 * for it.
 */
function isUsedAgain(group: readonly CallEvent[], history: History): boolean {
  const answered = group.findIndex((call) => !isInconclusive(call));
  const [first, ...later] = answered === -1 ? [] : group.slice(answered);
  if (!first) return false;
  const pair = history.pairOfAccessToken.get(first.facts.issued?.access_token ?? "");
  return (
    later.length > 1 ||
    later.some((call) => {
      const isAtOnce = startOf(call) - startOf(first) < limits.checkAtOnceMs;
      return isAtOnce || (pair !== undefined && firstUseOf(pair, history) < startOf(call));
    })
  );
}

function isInconclusive({ status, facts }: CallEvent): boolean {
  return facts.is_faulted || status === null || isTemporary(status) || status >= 500;
}

const codeExchangedInTime: Rule = {
  id: "code-exchanged-in-time",
  title: "Exchanges a code as soon as it arrives",
  clauses: ["I.tokens-and-codes.1", "I.errors.2", "I.limits.4", "D10.2"],
  whatToDo: `Exchange the code in the request that brings it to your redirect_uri. It lives ${limits.authorizationCodeSeconds / 60} minutes, so don't queue it.`,
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), (call) => {
      const visit = findAuthorized(call.facts.code, history);
      if (!visit) return undefined;
      const isExpired = clientTimeOf(call) - clientTimeOf(visit) > limits.authorizationCodeSeconds * 1000;
      if (!isExpired) return "kept";
      // Don't blame the client for a clock jump during the redirect.
      return startOf(call) - endOf(visit) > limits.checkOverlapMs ? "broken" : undefined;
    }),
};

const codeSameRedirectUri: Rule = {
  id: "code-same-redirect-uri",
  title: "Exchanges a code with the redirect_uri of its visit",
  clauses: ["D10.1", "D9.2"],
  whatToDo:
    "Store the redirect_uri with the state when the visit starts, and send it with the code, character for character.",
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), ({ facts }) => {
      const opening = findOpening(facts.code, history);
      if (!opening) return undefined;
      return opening.facts.redirect_uri === facts.redirect_uri ? "kept" : "broken";
    }),
};

const codeVerifierSent: Rule = {
  id: "code-verifier-sent",
  title: "Sends the visit's code_verifier with the code",
  clauses: ["D10.1", "D9.1"],
  whatToDo: "Keep the code_verifier in your session next to the state, never in a URL, and send it with the code.",
  judge: (history) =>
    judgeEach(history.calls.filter(isExchange), ({ facts }) => {
      const sent = findOpening(facts.code, history)?.facts.code_challenge;
      if (!sent) return undefined;
      return facts.code_challenge === sent ? "kept" : "broken";
    }),
};

export const codeRules: readonly Rule[] = [
  codeExchangedOnce,
  codeExchangedInTime,
  codeSameRedirectUri,
  codeVerifierSent,
];
