import { rmSync } from "node:fs";
import { emitClient } from "./emit-client.ts";

// `npm run pack:client` builds dist/client, for `npm publish ./dist/client`.

const target = "dist/client";
rmSync(target, { recursive: true, force: true });
emitClient(target);
