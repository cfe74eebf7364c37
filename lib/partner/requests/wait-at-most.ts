import { log } from "../../kit/log.ts";

/** The work's result, or undefined after `ms` while it continues. Work that fails is logged, also after that. */
export async function waitAtMost<Result>(
  ms: number,
  work: Promise<Result>,
  failure: string,
  details: object = {},
): Promise<Result | undefined> {
  const logged = work.catch((error: unknown) => {
    log().error({ error, ...details }, failure);
    return undefined;
  });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([logged, timeout]).finally(() => clearTimeout(timer));
}
