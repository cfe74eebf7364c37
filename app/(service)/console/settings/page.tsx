import type { Metadata } from "next";
import { Settings } from "#components/console/pages/settings.tsx";
import { clientSettingsRecord } from "#lib/contract/sandbox.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Settings" };

export default consolePage(Settings, (client) => ({ settings: read(client, "/sandbox/client", clientSettingsRecord) }));
