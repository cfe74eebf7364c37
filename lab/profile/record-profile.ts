import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

export type ProcessUsage = { memory: NodeJS.MemoryUsage; cpu: NodeJS.CpuUsage };

// Preloaded into the profiled process; controlled by the parent.
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
