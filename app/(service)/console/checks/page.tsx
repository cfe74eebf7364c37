import type { Metadata } from "next";
import { Checks } from "#components/console/pages/checks.tsx";
import { checkReport, drillList } from "#lib/contract/sandbox-checks.ts";
import { read } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Checks" };

export default consolePage(Checks, (client) => ({
  report: read(client, "/sandbox/checks", checkReport),
  drills: read(client, "/sandbox/drills", drillList),
}));
