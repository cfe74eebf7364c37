import type { Metadata } from "next";
import { Drills } from "#components/console/pages/drills.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Drills" };

export default consolePage(Drills, (client) => ({
  drills: read(client, "/sandbox/drills", drillList),
  report: read(client, "/sandbox/checks", checkReport),
}));
