import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stringify } from "yaml";

/** An instance's metrics at each scrape; undefined if it didn't answer. */
export type Scrapes = Map<string, (string | undefined)[]>;

const stepSeconds = 15;

/**
 * Checks with promtool that exactly the `fired` alerts fired in the two minutes before scrape `at`, ignoring those in
 * `may`. Scrapes count as 15 s apart. Returns what promtool found wrong; undefined if nothing.
 */
export function checkAlerts(
  scrapes: Scrapes,
  { at, fired, may = [] }: { at: number; fired: string[]; may?: string[] },
): string | undefined {
  const others = may.filter((name) => !fired.includes(name)).join("|");
  const test = {
    rule_files: [resolve("docs/monitoring/alerts.yaml")],
    evaluation_interval: `${stepSeconds}s`,
    tests: [
      {
        interval: `${stepSeconds}s`,
        input_series: [...scrapes].flatMap(([instance, texts]) => seriesOf(instance, texts)),
        promql_expr_test: [
          {
            expr: `group by (alertname) (max_over_time(ALERTS{alertstate="firing",alertname!~"${others}"}[2m]))`,
            eval_time: `${at * stepSeconds}s`,
            exp_samples: fired.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), "gangway-alerts-"));
  try {
    const file = join(folder, "incident.yaml");
    writeFileSync(file, stringify(test));
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", file], { encoding: "utf8" });
    return status === 0 ? undefined : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function seriesOf(instance: string, texts: (string | undefined)[]) {
  const values = new Map<string, (string | undefined)[]>();
  const add = (series: string, at: number, value: string) => {
    const all = values.get(series) ?? new Array<undefined>(texts.length).fill(undefined);
    all[at] = value;
    values.set(series, all);
  };
  for (const [at, text] of texts.entries()) {
    add(`up{job="plainbook",instance="${instance}"}`, at, text === undefined ? "0" : "1");
    for (const [, name = "", labels = "", value = ""] of (text ?? "").matchAll(sample)) {
      add(`${name}{${labels && `${labels},`}job="plainbook",instance="${instance}"}`, at, value);
    }
  }
  return [...values].map(([series, all]) => ({ series, values: all.map((value) => value ?? "_").join(" ") }));
}

const sample = /^((?:plainbook|gangway)_\w+)(?:\{(.*)\})? (-?[\d.e+-]+)$/gm;
