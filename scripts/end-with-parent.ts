import { pathToFileURL } from "node:url";

// Runs a JavaScript file, and ends it as soon as the process that started this one is over: the channel between the two
// closes even when that one was killed hard.

process.once("disconnect", () => process.exit(1));
// What is run ends by itself when it has nothing left to do.
process.channel?.unref();
const [file = "", ...parameters] = process.argv.slice(2);
process.argv.splice(1, process.argv.length - 1, file, ...parameters);
await import(pathToFileURL(file).href);
