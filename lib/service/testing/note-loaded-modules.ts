import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

// Preloaded by a child process (`node --import`): records each module as it is loaded.
const notes = process.env["LOADED_MODULES_FILE"];
if (!notes) throw new Error("LOADED_MODULES_FILE must name the file to record the modules in.");
registerHooks({
  load: (url, context, nextLoad) => {
    appendFileSync(notes, `${url}\n`);
    return nextLoad(url, context);
  },
});
