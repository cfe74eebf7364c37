import type { Metadata } from "next";
import { Faults } from "#components/console/pages/faults.tsx";
import { faultList } from "#lib/contract/sandbox-faults.ts";
import { read, readFaultChoices } from "#lib/service/sandbox/console/read.ts";
import { consolePage } from "../console-page.tsx";

export const metadata: Metadata = { title: "Faults" };

export default consolePage(Faults, (client) => ({
  faults: read(client, "/sandbox/faults", faultList),
  choices: readFaultChoices(client),
}));
