import { startCluster } from "../../../scripts/embedded-postgres.ts";

// Starting PostgreSQL blocks, so this separate process does it while the load continues.
const [directory = ""] = process.argv.slice(2);
const { url } = await startCluster(directory);
process.send?.(url("postgres"));
process.disconnect?.();
