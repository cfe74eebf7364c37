import { isAnswerAwaited } from "../awaited-answers.ts";

// The page on which somebody signs out hears of it as their other pages do, and is on its way elsewhere already.
const leavingMs = 3000;

/**
 * Loads the page again, unless it is left meanwhile: nobody is signed in any more, so it leads to sign-in, and from there
 * back here. A page that waits for the answer to a form does not go before it is there. Returns how to stop it.
 */
export function signInAgain(): () => void {
  let timer = setTimeout(leave, leavingMs);
  function leave(): void {
    if (isAnswerAwaited()) timer = setTimeout(leave, leavingMs);
    else window.location.reload();
  }
  return () => clearTimeout(timer);
}
