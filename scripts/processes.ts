/** Whether a process of this id runs, be it ours or somebody else's. */
export function isAlive(pid: number): boolean {
  // 0 and below would mean groups of processes.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
