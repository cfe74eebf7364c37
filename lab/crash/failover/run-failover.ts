import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { servicePool } from "../../../lib/service/storage/database.ts";
import { freePort } from "../../../scripts/embedded-postgres.ts";
import { checkHistory, type Findings } from "../check-history.ts";
import { findHarborProblems, processSettings, receiptsOf, settingsOfHarbor } from "../harbor.ts";
import { acknowledgmentOf } from "../history.ts";
import { type Load, startLoad } from "../load.ts";
import { createRunClient, type RunClient } from "../people.ts";
import { type ServerProcess, serverProcess } from "../processes/server-process.ts";
import { startReaper } from "../processes/start-reaper.ts";
import { createProgress } from "../progress.ts";
import { randomFrom } from "../random.ts";
import { startWebhookReceiver } from "../receiver.ts";
import { settle } from "../run-crash.ts";
import { type DatabaseCluster, startDatabaseCluster } from "./database-cluster.ts";
import { longestOutageMs } from "./outage.ts";
import type { Programs } from "./programs.ts";
import { leaseSeconds } from "./settings.ts";

/** Faults for the primary, in order of the rounds. */
export const faults = ["killed", "paused", "cut off", "switched over"] as const;
type Fault = (typeof faults)[number];

export type FailoverOptions = {
  programs: Programs;
  rounds: number;
  seed: number;
  hasPooler: boolean;
  say: (sentence: string) => void;
};

/** A drill's result. It is sound if there are no findings and no exits, and Harbor got all events. */
export type FailoverReport = {
  rounds: { fault: Fault; outageMs: number }[];
  acknowledged: number;
  unanswered: number;
  failed: number;
  events: number;
  findings: Findings;
  /** Our processes that exited, and an unresponsive Harbor. */
  endings: string[];
};

/**
 * Loses the primary repeatedly under load in four ways, then compares the answers with the data. Uses a temporary
 * folder and free local ports, and cleans up at the end.
 */
export async function runFailoverDrill({
  programs,
  rounds,
  seed,
  hasPooler,
  say,
}: FailoverOptions): Promise<FailoverReport> {
  const reaper = startReaper();
  const folder = mkdtempSync(join(tmpdir(), "gangway-failover-"));
  reaper.send({ folder });
  const stops: (() => unknown)[] = [];
  try {
    say("Starting etcd, two nodes with Patroni and PostgreSQL, and HAProxy.");
    const cluster = await startDatabaseCluster({ folder, programs, reaper, hasPooler });
    stops.push(() => cluster.stop());
    await cluster.createDatabase("gangway_service");
    await cluster.createDatabase("gangway_partner");
    say("Starting two APIs, two workers and Harbor.");
    const progress = createProgress();
    const receiver = await startWebhookReceiver(progress.noteWebhook);
    stops.push(() => receiver.stop());
    const settings = settingsOf(cluster);
    Object.assign(process.env, settings, { LOG_LEVEL: "silent" });
    stops.push(() => servicePool().end());
    const startOne = async (name: string, role: "service-api" | "service-worker"): Promise<ServerProcess> => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const apiSettings = { ...settings, SERVICE_BASE_URL: url, SERVICE_AUTH_URL: url };
      const server = serverProcess({ name: `failover-${name}`, role, url, settings: apiSettings, reaper });
      stops.push(() => server.kill());
      await server.start();
      return server;
    };
    // The first one migrates and seeds, so it starts alone.
    const firstApi = await startOne("api-1", "service-api");
    const harborUrl = `http://127.0.0.1:${await freePort()}`;
    const clients = await createClients(receiver.url, `${harborUrl}/webhooks`);
    const [secondApi, firstWorker, secondWorker] = [
      await startOne("api-2", "service-api"),
      await startOne("worker-1", "service-worker"),
      await startOne("worker-2", "service-worker"),
    ];
    const apis = [firstApi, secondApi];
    const harborSettings = { ...settings, ...settingsOfHarbor(clients.harbors, harborUrl, firstApi.url) };
    const harbor = serverProcess({
      ...{ name: "failover-harbor", role: "partner,partner-worker", url: harborUrl, settings: harborSettings, reaper },
    });
    stops.push(() => harbor.kill());
    await harbor.start();

    const all = [...clients.received, clients.harbors];
    const load = startLoad({ seed, clients: all, apis, progress, hotBookers: 6, otherBookers: 2, creators: 1 });
    stops.push(() => load.stop());
    const done = await strikeInTurn({ cluster, load, progress, apis, rounds, seed, say });
    await load.stop();
    say("Waiting until the workers are idle, then comparing.");
    await settle({ awaitsLeases: true });
    const atHarbor = await receiptsOf(cluster.directUrl("gangway_partner"));
    const deliveries = new Map([...receiver.deliveries, ...atHarbor]);
    const outcomes = load.operations.flatMap(({ attempts }) => attempts.map(({ outcome }) => outcome));
    return {
      rounds: done,
      acknowledged: load.operations.filter(acknowledgmentOf).length,
      unanswered: outcomes.filter(({ kind }) => kind === "none").length,
      failed: outcomes.filter((outcome) => outcome.kind === "answer" && outcome.status >= 400).length,
      events: deliveries.size,
      findings: await checkHistory(load, deliveries),
      endings: [
        ...[...apis, firstWorker, secondWorker, harbor].flatMap(({ endings }) => endings),
        ...(await findHarborProblems(harborUrl, atHarbor)),
      ],
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
    await reaper.finish();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Striking = Pick<FailoverOptions, "rounds" | "seed" | "say"> & {
  cluster: DatabaseCluster;
  load: Load;
  progress: ReturnType<typeof createProgress>;
  apis: ServerProcess[];
};

async function strikeInTurn({ cluster, load, progress, apis, rounds, seed, say }: Striking) {
  const random = randomFrom(seed, "failovers");
  const names = apis.map(({ name }) => name);
  const done: FailoverReport["rounds"] = [];
  await progress.serving(names, Date.now());
  while (done.length < rounds) {
    // Wait until there is a standby again.
    await cluster.whole();
    await progress.bookings(random.integer(20, 100));
    const fault = faults[done.length % faults.length] ?? faults[0];
    const from = Date.now();
    await strike(fault, cluster, () => progress.serving(names, Date.now()));
    const outageMs = longestOutageMs(load.operations, { from, to: Date.now() });
    done.push({ fault, outageMs });
    say(`${done.length} of ${rounds}: the primary ${fault}; ${(outageMs / 1000).toFixed(1)} s without service`);
  }
  return done;
}

/** Applies the fault, waits for failover and full service, and lets the first node rejoin. */
async function strike(fault: Fault, cluster: DatabaseCluster, served: () => Promise<unknown>): Promise<void> {
  const primary = await cluster.whole();
  switch (fault) {
    case "killed":
      await primary.kill();
      await cluster.replaced(primary);
      await served();
      primary.start();
      break;
    case "paused": {
      const resume = primary.pause();
      try {
        await delay((leaseSeconds.ttl + 5) * 1000);
      } finally {
        resume();
      }
      await cluster.replaced(primary);
      break;
    }
    case "cut off": {
      const mend = primary.cutOff();
      try {
        await cluster.replaced(primary);
        await served();
      } finally {
        mend();
      }
      break;
    }
    case "switched over":
      await cluster.switchOver(primary);
      await cluster.replaced(primary);
  }
  await served();
}

// Two clients with webhooks to this process, and one with webhooks to Harbor.
async function createClients(webhookUrl: string, harborWebhookUrl: string) {
  const received: RunClient[] = [];
  for (let count = 0; count < 2; count++) {
    received.push(await createRunClient({ webhookUrl, sourceCount: 1, sellerCount: 1 }));
  }
  const harbors = await createRunClient({ webhookUrl: harborWebhookUrl, sourceCount: 1, sellerCount: 1 });
  return { received, harbors };
}

function settingsOf(cluster: DatabaseCluster) {
  return processSettings({
    SERVICE_DATABASE_URL: cluster.url("gangway_service"),
    SERVICE_DATABASE_DIRECT_URL: cluster.directUrl("gangway_service"),
    PARTNER_DATABASE_URL: cluster.url("gangway_partner"),
    PARTNER_DATABASE_DIRECT_URL: cluster.directUrl("gangway_partner"),
  });
}
