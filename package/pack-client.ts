import { rmSync } from "node:fs";
import { emitClient } from "./emit-client.ts";

// `npm run pack:client` makes dist/client, which `npm publish ./dist/client` publishes.

const target = "dist/client";
rmSync(target, { recursive: true, force: true });
emitClient(target);
