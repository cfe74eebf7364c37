import { type StartedProcess, type StartOptions, startProcess } from "./start-process.ts";

export type Handlers = Record<string, (argument: never) => Promise<unknown>>;

export type Callee<H extends Handlers> = Pick<StartedProcess, "pid" | "stop"> & {
  call: <Name extends keyof H & string>(
    name: Name,
    argument: Parameters<H[Name]>[0],
  ) => Promise<Awaited<ReturnType<H[Name]>>>;
};

type Call = { id: number; name: string; argument: unknown };
type Answer = { id: number; value?: unknown; error?: string };

/** The child's side: reports readiness, then serves calls. */
export function answerCalls(handlers: Handlers): void {
  process.on("message", async ({ id, name, argument }: Call) => {
    const answer = (rest: Omit<Answer, "id">) => process.send?.({ id, ...rest } satisfies Answer);
    try {
      answer({ value: await handlers[name]?.(argument as never) });
    } catch (error) {
      answer({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");
}

/** The parent's side: starts the file and calls its handlers. Errors propagate. */
export async function startCallee<H extends Handlers>(file: string, options: StartOptions): Promise<Callee<H>> {
  const { pid, stop, process: child } = await startProcess(file, options);
  const waiting = new Map<number, (answer: Answer) => void>();
  child.on("message", (answer: Answer) => waiting.get(answer.id)?.(answer));
  child.once("exit", () => {
    for (const settle of waiting.values()) settle({ id: 0, error: `${options.name} has exited.` });
  });
  let calls = 0;
  return {
    pid,
    stop,
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        const id = ++calls;
        waiting.set(id, ({ value, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(value as Awaited<ReturnType<H[typeof name]>>);
          else reject(new Error(error));
        });
        child.send({ id, name, argument } satisfies Call);
      }),
  };
}
