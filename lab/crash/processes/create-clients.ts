import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Creates a run's clients with the code in `folder`, which knows the current tables, and sends them to the parent.
const [folder = "", count = "1", webhookUrl = ""] = process.argv.slice(2);
const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
const { createRunClient }: typeof import("../people.ts") = await load("lab/crash/people.ts");
const { servicePool }: typeof import("../../../lib/service/storage/database.ts") = await load(
  "lib/service/storage/database.ts",
);
const clients = [];
for (let index = 0; index < Number(count); index++) {
  clients.push(await createRunClient({ webhookUrl, sourceCount: 1, sellerCount: 1 }));
}
await servicePool().end();
process.send?.(clients);
process.disconnect?.();
