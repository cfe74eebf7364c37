import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Makes the clients of a run with the code of the version in `folder`, which alone knows the tables as they are. The parent
// gets them as a message.
const [folder = "", count = "1", webhookUrl = ""] = process.argv.slice(2);
const load = (file: string) => import(pathToFileURL(join(folder, file)).href);
const { createRunClient }: typeof import("../people.ts") = await load("lab/crash/people.ts");
const { servicePool }: typeof import("../../../lib/service/storage/database.ts") = await load(
  "lib/service/storage/database.ts",
);
const clients = [];
for (let place = 0; place < Number(count); place++) {
  clients.push(await createRunClient({ webhookUrl, sourceCount: 1, sellerCount: 1 }));
}
await servicePool().end();
process.send?.(clients);
process.disconnect?.();
