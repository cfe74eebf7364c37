import { startCluster } from "../../../scripts/embedded-postgres.ts";

// Starting PostgreSQL blocks the process that does it, so a run lets this one do it and goes on with its load.
const [directory = ""] = process.argv.slice(2);
const { url } = await startCluster(directory);
process.send?.(url("postgres"));
process.disconnect?.();
