import { pathToFileURL } from "node:url";

// Runs a JavaScript file, and ends as soon as the process that started this one does: the channel between the two closes even
// if that process was killed.

process.once("disconnect", () => process.exit(1));
// The channel doesn't keep this process running once the file has nothing left to do.
process.channel?.unref();
const [file = "", ...parameters] = process.argv.slice(2);
process.argv.splice(1, process.argv.length - 1, file, ...parameters);
await import(pathToFileURL(file).href);
