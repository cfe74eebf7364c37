/** The work's result, or undefined after `ms` while the work continues. */
export async function waitAtMost<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
