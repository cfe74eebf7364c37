import type { ForeignPart } from "../../../../contract/sandbox-faults.ts";
import { groupByText, type History, isExchange, isSuccess } from "../history.ts";
import { type Findings, mergeFindings, type Rule } from "../rule.ts";

const stateChecked: Rule = {
  id: "state-checked",
  title: "Doesn't exchange a code that returns with another state",
  clauses: ["D9.1", "D21.4"],
  whatToDo:
    "At your redirect_uri, look up the state among those that you stored for this browser's session. If it isn't there, show a page that offers to start over, and exchange nothing: otherwise an attacker can connect a victim's session to their own account.",
  judge: (history) => judgeCodesReturnedWith("state", history),
};

const issuerChecked: Rule = {
  id: "issuer-checked",
  title: "Doesn't exchange a code that returns from another issuer",
  clauses: ["D9.2", "D21.4"],
  // An app with a single authorization server can't mix up two (RFC 9207).
  isAdvice: true,
  whatToDo:
    "At your redirect_uri, compare iss with the issuer that you sent the person to, before you look at the code. It tells two authorization servers apart once you have more than one.",
  judge: (history) => judgeCodesReturnedWith("issuer", history),
};

function judgeCodesReturnedWith(part: ForeignPart, { calls, visits }: History): Findings {
  const exchanges = groupByText(calls.filter(isExchange), ({ facts }) => facts.code);
  return mergeFindings(
    visits
      .filter(({ facts }) => facts.foreign === part)
      .map((visit) => {
        const [exchange] = exchanges.get(visit.facts.code ?? "") ?? [];
        return exchange ? { broken: [visit, exchange] } : { kept: [visit] };
      }),
  );
}

const expectedPerson: Rule = {
  id: "expected-person",
  title: "Doesn't use tokens of a person other than the one it sent",
  clauses: ["I.get-v1-user.1", "D21.4"],
  whatToDo:
    "After each exchange, call GET /v1/user and compare its id, or the customer id in its metadata, with the person you sent. If it's someone else, drop both tokens without using or revoking them: revoking would disconnect that person.",
  judge: ({ calls, visits, callsOfAccessToken, refreshesOfToken }) => {
    const visitOfCode = new Map(
      visits.filter(({ facts }) => facts.foreign === "person").map((visit) => [visit.facts.code, visit]),
    );
    return mergeFindings(
      calls.filter(isExchange).map(({ facts: { code, issued } }) => {
        const visit = visitOfCode.get(code);
        if (!visit || !issued) return {};
        const uses = callsOfAccessToken.get(issued.access_token) ?? [];
        const misuses = [
          ...uses.filter(({ operation }) => operation !== "readUser"),
          ...(refreshesOfToken.get(issued.refresh_token) ?? []),
        ];
        if (misuses.length > 0) return { broken: [visit, ...misuses] };
        const read = uses.find(({ status }) => isSuccess(status));
        return read ? { kept: [visit, read] } : {};
      }),
    );
  },
};

/** What comes back from the authorization pages. */
export const redirectRules: readonly Rule[] = [stateChecked, issuerChecked, expectedPerson];
