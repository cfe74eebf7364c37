import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, latencyOf, throughputOf } from "../measure/comparison.ts";
import { measureInTurn } from "../measure/in-turn.ts";
import { startBenchCluster } from "../processes/cluster.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { OidcProcess } from "../yardsticks/oidc-provider/server.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { RunJob } from "./job.ts";

const people = 1000;
// A share of the peer's maximum, so that both sides keep up.
const fixedRateShare = 0.5;

/** The refresh grant over many users: ours, and oidc-provider with rotation. */
export const runRefresh: RunJob = async (context) => {
  const { reaper, connections, processes, seconds } = context;
  const service = await startService(reaper, { apis: processes });
  const { basic, sellers } = await createBenchClient({ sources: 1, sellers: people });
  const scenario = {
    ...{ kind: "refresh" as const, path: "/v1/oauth/token", authorization: basic },
    refreshTokens: sellers.map(({ refreshToken }) => refreshToken),
  };
  const ours = await startLoad("ours", { origins: service.origins, connections, scenario }, reaper);

  const cluster = await startBenchCluster("oidc-provider", reaper);
  const provider = await startYardstick<OidcProcess>("oidc-provider/server.ts", { reaper });
  const { origin, authorization, refreshTokens } = await provider.call("start", { databaseUrl: cluster.url, people });
  const peer = await startLoad(
    "oidc-provider",
    { origins: [origin], connections, scenario: { kind: "refresh", path: "/token", authorization, refreshTokens } },
    reaper,
  );

  const length = { warmUpSeconds: 1, seconds };
  const most = await measureInTurn(
    {
      ours: { name: "ours", measure: () => ours.call("closedLoop", length) },
      peer: { name: "oidc-provider, rotating", measure: () => peer.call("closedLoop", length) },
    },
    context,
  );
  const perSecond = Math.round(throughputOf(most.peer).median * fixedRateShare);
  const steady = await measureInTurn(
    {
      ours: { name: "ours", measure: () => ours.call("atRate", { ...length, perSecond }) },
      peer: { name: "oidc-provider, rotating", measure: () => peer.call("atRate", { ...length, perSecond }) },
    },
    context,
  );
  const lever = "cheaper rows: fewer indexes on the token tables";
  const comparisons: Comparison[] = [
    {
      job: "refresh, users spread",
      unit: "/s",
      ours: throughputOf(most.ours),
      yardstick: throughputOf(most.peer),
      goal: { kind: "beside", compare: "at least", ratio: 5 },
      lever,
    },
    {
      job: `refresh, p99 at ${perSecond}/s`,
      unit: "ms",
      ours: latencyOf(steady.ours, "p99Ms"),
      yardstick: latencyOf(steady.peer, "p99Ms"),
      goal: { kind: "beside", compare: "at most", ratio: 1 },
      lever,
    },
  ];
  return withCauses(comparisons, { service, loadPid: ours.pid, work: () => ours.call("closedLoop", length) });
};
