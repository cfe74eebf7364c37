import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

/** What a process has used since its start. */
export type ProcessUsage = { memory: NodeJS.MemoryUsage; cpu: NodeJS.CpuUsage };

// Loaded into the process that is profiled, before server.ts. It does what the parent process asks for.
const session = new Session();
session.connect();

process.on("message", (question: unknown) => {
  void answerQuestion(question).then((answer) => process.send?.({ answer }));
});

async function answerQuestion(question: unknown): Promise<unknown> {
  switch (question) {
    case "record":
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      return undefined;
    case "save": {
      const { profile } = await session.post("Profiler.stop");
      const file = process.env["PROFILE_FILE"] ?? "";
      writeFileSync(file, JSON.stringify(profile));
      return { profile, file };
    }
    case "usage":
      return { memory: process.memoryUsage(), cpu: process.cpuUsage() } satisfies ProcessUsage;
  }
  return undefined;
}
