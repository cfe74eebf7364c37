import type { Metadata } from "next";
import { Keys } from "#components/console/pages/keys.tsx";
import { idempotencyKeyList } from "#lib/contract/sandbox.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Idempotency keys" };

export default consolePage(Keys, (client) => ({ keys: read(client, "/sandbox/idempotency_keys", idempotencyKeyList) }));
