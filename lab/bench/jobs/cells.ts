import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cell, cellsOf, firstCell, inCell } from "../../../lib/service/cells.ts";
import { forgetHosts } from "../../../lib/service/storage/cell-addresses.ts";
import { moveCell } from "../../../lib/service/storage/cell-nodes.ts";
import { migrateCells, withClient } from "../../../lib/service/storage/migrate-cells.ts";
import { type CellServer, hostsOfServer, startCellServers } from "../../crash/nodes/cell-servers.ts";
import type { Scenario } from "../load/scenarios.ts";
import { settledRound } from "../load/settled-round.ts";
import { startLoad, startReceiver } from "../load/start-load.ts";
import { type Comparison, figureOf, throughputOf } from "../measure/comparison.ts";
import { measureInTurn, type Side } from "../measure/in-turn.ts";
import { percentile } from "../measure/statistics.ts";
import { hold } from "../processes/hold.ts";
import { createBenchClient } from "../service/people.ts";
import { startServiceAt } from "../service/start-service.ts";
import type { RunJob } from "./job.ts";
import { latencyWhenIdle, sendingOf } from "./webhooks.ts";

const database = "gangway_service";
const all = cellsOf(8);
const half = all.filter((cell) => cell > all.length / 2);
const sources = 200;
const sellers = 200;

/** Limits each process to this share of a core: low enough that two of them and everything else fit on two cores. */
type Held = { pids: number[]; share: number };

/**
 * Bookings across eight cells: on one server and on two, then through one API process and two. The compared servers or
 * processes are limited to a share of a core, because the machine is too small otherwise. Then webhooks from a cell on
 * the second server.
 */
export const runCells: RunJob = async (context) => {
  const { reaper, connections, seconds, say } = context;
  const folder = mkdtempSync(join(tmpdir(), "gangway-bench-cells-"));
  chmodSync(folder, 0o711);
  reaper.send({ folder });
  const [home, other] = await startCellServers({ folder, programs: undefined, database, reaper });
  const url = home.url(database);
  await migrateCells(url, all);
  const service = await startServiceAt(url, { reaper, apis: 2, settings: { SERVICE_CELLS: String(all.length) } });
  const receiver = await startReceiver("cells", reaper);
  const inTurn: Scenario[] = [];
  for (const cell of all) inTurn.push(await inCell(cell, bookingsOfOneClient));
  const scenario = { kind: "mixed" as const, inTurn };
  const loadAt = (name: string, origins: string[]) => startLoad(name, { origins, connections, scenario }, reaper);
  const bookings = await loadAt("two-apis", service.origins);
  const bookingsAtOne = await loadAt("one-api", service.origins.slice(0, 1));

  const serverOf = new Map<Cell, CellServer>(all.map((cell) => [cell, home]));
  const moveHalfTo = async (server: CellServer) => {
    for (const cell of half.filter((cell) => serverOf.get(cell) !== server)) {
      await moveCell({ url, cell, to: hostsOfServer(server), cells: all });
      serverOf.set(cell, server);
    }
    // The service's processes listen for moves; this one doesn't.
    forgetHosts();
  };
  const sideOf = (name: string, server: CellServer, held: Held, load = bookings): Side => ({
    name,
    measure: async () => {
      await moveHalfTo(server);
      // Refills the pools after a move; the first calls may use connections that the move closed.
      await load.call("closedLoop", { warmUpSeconds: 0, seconds });
      await settledRound(load, 1, all);
      const release = hold(held.pids, held.share);
      try {
        return await settledRound(load, seconds, all);
      } finally {
        release();
      }
    },
  });

  const servers = { pids: await Promise.all([home, other].map(postmasterOf)), share: 0.5 };
  const onServers = await measureInTurn(
    { two: sideOf("on two servers", other, servers), one: sideOf("on one", home, servers) },
    context,
  );
  const apis = { pids: service.apis.map(({ pid }) => pid), share: 0.1 };
  const throughApis = await measureInTurn(
    { two: sideOf("two API processes", other, apis), one: sideOf("one", other, apis, bookingsAtOne) },
    context,
  );

  say("Sending webhooks from a cell on the second server, one at a time.");
  const idle = await inCell(half[0] ?? firstCell, async () => {
    const { clientId } = await createBenchClient({ sources: 1, sellers: 0, webhookUrl: receiver.url });
    return latencyWhenIdle(sendingOf(clientId, receiver));
  });
  const ratioOf = (job: string, { two, one }: typeof onServers, ratio: number): Comparison => {
    const goal = { kind: "beside", compare: "at least", ratio } as const;
    return { job, unit: "/s", ours: throughputOf(two), yardstick: throughputOf(one), goal };
  };
  const p50Ms = percentile(idle, 0.5);
  return [
    ratioOf(`routine, eight cells, servers held to ${servers.share} core`, onServers, 1.7),
    ratioOf(`routine, eight cells, API processes held to ${apis.share} core`, throughApis, 1.3),
    {
      job: "webhook when idle, from a cell on another server, commit to receipt (median)",
      unit: "ms",
      ours: { ...figureOf("ours", [p50Ms]), p50Ms, p99Ms: percentile(idle, 0.99) },
      goal: { kind: "alone", compare: "at most", value: 20 },
    },
  ];
};

async function bookingsOfOneClient(): Promise<Scenario> {
  const client = await createBenchClient({ sources, sellers });
  const destinationIds = client.sellers.map(({ walletId }) => walletId);
  const { businessToken, sourceIds } = client;
  return { kind: "book", authorization: `Bearer ${businessToken}`, sourceIds, destinationIds };
}

async function postmasterOf(server: CellServer): Promise<number> {
  const { rows } = await withClient(server.url(database), (client) =>
    client.query<{ file: string }>("select pg_read_file('postmaster.pid') as file"),
  );
  return Number(rows[0]?.file.split("\n")[0]);
}
