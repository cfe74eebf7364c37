import type { Check } from "./check.ts";
import { publishedChecks } from "./checks.ts";
import { type Clause, readClauses } from "./clauses.ts";
import { decisionLanes } from "./decisions/checks.ts";
import { NotMet, NotReached } from "./findings.ts";
import { restatements } from "./restatements.ts";
import { unreachable } from "./unreachable.ts";
import { createWorld } from "./world/create-world.ts";
import { startReceiver } from "./world/receiver.ts";
import { createRedactor, type Evidence } from "./world/redact.ts";
import type { Settings } from "./world/settings.ts";
import type { World } from "./world/world.ts";

/** An unmet decision is "different", never wrong. */
export type Verdict = "met" | "not met" | "different" | "not reached";

/** One clause's result. `why` is the finding or obstacle, `as` the clauses it follows from. */
export type ClauseResult = Clause & {
  verdict: Verdict;
  why: string | undefined;
  as: string[];
  evidence: Evidence | undefined;
};

export type Report = { baseUrl: string; seconds: number; results: ClauseResult[] };

type Finding = { clause: string; verdict: Verdict; why: string | undefined; evidence: Evidence | undefined };

/**
 * Checks the published interface in sequence, then our decisions, and judges every clause.
 * @param withDecisions false for the published interface only
 * @param withPublished false for our decisions only
 */
export async function runSuite(
  settings: Settings,
  { withDecisions = true, withPublished = true } = {},
): Promise<Report> {
  const startedAt = performance.now();
  const receiver = await startReceiver(settings);
  try {
    const redactor = createRedactor();
    const msLeft = () => settings.runMsMax - (performance.now() - startedAt);
    const world = createWorld(settings, { receiver, redactor, msLeft });
    const findings: Finding[] = [];
    const runAll = async (checks: Check[]): Promise<void> => {
      for (const check of checks) {
        const isLate = msLeft() < 0;
        const late = new NotReached("The run's time budget is used up (--budget).");
        const error = isLate ? late : await runCheck(check, world);
        findings.push(judge(check, error, (exchange) => redactor.show(exchange)));
      }
    };
    // Checks that need the clock come last, because they can take hours.
    const isTimed = ({ needs }: Check) => needs.includes("clock");
    if (withPublished)
      await runAll([...publishedChecks.filter((check) => !isTimed(check)), ...publishedChecks.filter(isTimed)]);
    if (withDecisions) await Promise.all(decisionLanes.map(runAll));
    const results = readClauses().map((clause) => resultOf(clause, findings));
    return { baseUrl: settings.baseUrl, seconds: (performance.now() - startedAt) / 1000, results };
  } finally {
    await receiver.stop();
  }
}

async function runCheck({ clause, needs, run }: Check, world: World): Promise<NotMet | NotReached | undefined> {
  const lack = needs.map((need) => world.lacks(need, clause)).find((why) => why !== undefined);
  if (lack) return new NotReached(lack);
  try {
    await run(world);
    return undefined;
  } catch (error) {
    if (error instanceof NotMet || error instanceof NotReached) return error;
    throw error;
  }
}

function judge(
  { clause }: Check,
  error: NotMet | NotReached | undefined,
  show: (exchange: NonNullable<NotMet["exchange"]>) => Evidence,
): Finding {
  const evidence = error?.exchange && show(error.exchange);
  if (!error) return { clause, verdict: "met", why: undefined, evidence };
  const failed = clause.startsWith("D") ? "different" : "not met";
  return { clause, verdict: error instanceof NotMet ? failed : "not reached", why: error.message, evidence };
}

const badness: Verdict[] = ["not met", "different", "not reached", "met"];

// The worst result of a clause's checks and the clauses it restates.
function resultOf(clause: Clause, findings: Finding[]): ClauseResult {
  const restated = restatements[clause.id] ?? [];
  const ownFindings = findings.filter((finding) => finding.clause === clause.id);
  const others = findings.filter((finding) => restated.includes(finding.clause));
  const all = [...ownFindings, ...others];
  const worst = badness.flatMap((verdict) => all.filter((finding) => finding.verdict === verdict))[0];
  if (!worst) {
    const why = unreachable[clause.id] ?? "No check covers it.";
    return { ...clause, verdict: "not reached", why, as: [], evidence: undefined };
  }
  const { verdict, why, evidence } = worst;
  const isOwn = ownFindings.some((finding) => finding.verdict === verdict);
  const as = isOwn ? [] : [...new Set(others.filter((one) => one.verdict === verdict).map((one) => one.clause))];
  return { ...clause, verdict, why, as, evidence: isOwn ? evidence : undefined };
}

/** Whether every reached published clause is met. */
export function isConformant({ results }: Report): boolean {
  return results.every(({ isPublished, verdict }) => !isPublished || verdict !== "not met");
}

/** Whether any published clause was met: a service that answers nothing isn't conformant. */
export function hasMet({ results }: Report): boolean {
  return results.some(({ isPublished, verdict }) => isPublished && verdict === "met");
}
