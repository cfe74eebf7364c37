/** Lines on their way to a log. */
export type LogLines = {
  write: (line: string) => void;
  /** Writes at once what has gathered. */
  flush: () => void;
};

// Written before the turn ends, so that a burst of lines is not held twice.
const charactersMax = 64 * 1024;

/** Gathers the lines of one turn of the event loop and hands them on together at its end, in their order. */
export function gatherLines(handOn: (text: string) => void): LogLines {
  let gathered = "";
  let isScheduled = false;

  function flush(): void {
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    handOn(text);
  }

  return {
    flush,
    write: (line) => {
      gathered += line;
      if (gathered.length >= charactersMax) return flush();
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        flush();
      });
    },
  };
}
