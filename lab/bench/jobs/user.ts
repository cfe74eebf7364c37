import { startLoad } from "../load/start-load.ts";
import { withCauses } from "../measure/causes.ts";
import { type Comparison, throughputOf } from "../measure/comparison.ts";
import { measureInTurn } from "../measure/in-turn.ts";
import { startBenchCluster } from "../processes/cluster.ts";
import { createBenchClient } from "../service/people.ts";
import { startService } from "../service/start-service.ts";
import type { ConstantProcess } from "../yardsticks/constant.ts";
import type { OidcProcess } from "../yardsticks/oidc-provider/server.ts";
import { startYardstick } from "../yardsticks/start-yardstick.ts";
import type { RunJob } from "./job.ts";

const people = 1000;

/** Reading the user by bearer token: ours, oidc-provider's userinfo, and a constant response from Hono. */
export const runUser: RunJob = async (context) => {
  const { reaper, connections, processes, seconds } = context;
  const service = await startService(reaper, { apis: processes });
  const { sellers } = await createBenchClient({ sources: 1, sellers: people });
  const authorizations = sellers.map(({ accessToken }) => `Bearer ${accessToken}`);
  const read = { kind: "read" as const, path: "/v1/user", authorizations };
  const ours = await startLoad("ours", { origins: service.origins, connections, scenario: read }, reaper);

  const cluster = await startBenchCluster("oidc-provider", reaper);
  const provider = await startYardstick<OidcProcess>("oidc-provider/server.ts", { reaper });
  const { origin, accessTokens } = await provider.call("start", { databaseUrl: cluster.url, people });
  const userinfo = {
    ...{ kind: "read" as const, path: "/me" },
    authorizations: accessTokens.map((token) => `Bearer ${token}`),
  };
  const peer = await startLoad("oidc-provider", { origins: [origin], connections, scenario: userinfo }, reaper);

  const constantServer = await startYardstick<ConstantProcess>("constant.ts", { reaper });
  const origins = [await constantServer.call("start", undefined)];
  const constant = await startLoad("constant", { origins, connections, scenario: read }, reaper);

  const length = { warmUpSeconds: 1, seconds };
  const measured = await measureInTurn(
    {
      ours: { name: "ours", measure: () => ours.call("closedLoop", length) },
      peer: { name: "oidc-provider, userinfo", measure: () => peer.call("closedLoop", length) },
      constant: { name: "Hono, a constant", measure: () => constant.call("closedLoop", length) },
    },
    context,
  );
  const lever = "less Node time per request: writing the answer, garbage";
  const comparisons: Comparison[] = [
    {
      job: "GET /v1/user",
      unit: "/s",
      ours: throughputOf(measured.ours),
      yardstick: throughputOf(measured.peer),
      goal: { kind: "beside", compare: "at least", ratio: 8 },
      lever,
    },
    {
      job: "GET /v1/user",
      unit: "/s",
      ours: throughputOf(measured.ours),
      yardstick: throughputOf(measured.constant),
      goal: { kind: "beside", compare: "at least", ratio: 0.3 },
      lever,
    },
  ];
  return withCauses(comparisons, { service, loadPid: ours.pid, work: () => ours.call("closedLoop", length) });
};
