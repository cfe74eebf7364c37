import lighthouse from "lighthouse";

const goals = { performance: 98, accessibility: 100, "best-practices": 100, seo: 100 };

/** The limit for Largest Contentful Paint. */
export const largestPaintMsMax = 1500;

/** A Lighthouse category with its score and minimum, from 0 to 100. */
export type Score = { title: string; score: number; goal: number };

export type Judgement = { scores: Score[]; largestPaintMs: number; failures: string[] };

/** Lighthouse scores on a phone with slow 4G and a quarter of this processor, with a line per failed audit. */
export async function judge(address: string, port: number): Promise<Judgement> {
  const result = await lighthouse(address, {
    port,
    output: "json",
    onlyCategories: Object.keys(goals),
    logLevel: "error",
  });
  if (!result) throw new Error(`Lighthouse reported nothing about ${address}.`);
  const { categories, audits } = result.lhr;
  const scores = Object.entries(goals).map(([id, goal]) => {
    const { title = id, score = null } = categories[id] ?? {};
    return { title, score: Math.round((score ?? 0) * 100), goal };
  });
  const weighing = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0));
  const failures = weighing
    .map(({ id }) => audits[id])
    .filter((audit) => audit !== undefined)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ title, displayValue = "" }) => `${title} ${displayValue}`);
  const largestPaintMs = audits["largest-contentful-paint"]?.numericValue ?? Number.NaN;
  return { scores, largestPaintMs, failures };
}
