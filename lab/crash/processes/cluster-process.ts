import { startCluster } from "../../../scripts/embedded-postgres.ts";
import type { CrashableOptions } from "./cluster.ts";

// Starting PostgreSQL blocks, so this separate process does it while the load continues.
const [directory = "", options = "{}"] = process.argv.slice(2);
const { settings, ...server }: CrashableOptions = JSON.parse(options);
const { url } = await startCluster(directory, settings, server);
process.send?.(url("postgres"));
process.disconnect?.();
