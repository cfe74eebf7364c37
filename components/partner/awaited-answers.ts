let awaited = 0;

/** Notes that a form of this page waits for its answer, which may lead elsewhere; returns how to note its end. */
export function awaitAnswer(): () => void {
  awaited++;
  return () => {
    awaited--;
  };
}

/** Whether a form of this page waits for its answer. */
export function isAnswerAwaited(): boolean {
  return awaited > 0;
}
