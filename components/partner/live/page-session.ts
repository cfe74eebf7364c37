import { pagePersonHeader } from "#lib/partner/live/live-event.ts";

/** Asks Harbor anew, saying whose page this is: 401 when another person, or nobody, is signed in by now. */
export function fetchAsPage(path: string, init?: RequestInit): Promise<Response> {
  const { person = "" } = document.documentElement.dataset;
  return fetch(path, { ...init, headers: { [pagePersonHeader]: person }, cache: "no-store" });
}

// The page on which somebody signs out hears of it as their other pages do, and is on its way elsewhere already.
const leavingMs = 3000;

/**
 * Loads the page again, unless it is left meanwhile: nobody is signed in any more, so it leads to sign-in, and from there
 * back here. A page that waits for the answer to a form does not go before it is there. Returns how to stop it.
 */
export function reloadWhenIdle(): () => void {
  let timer = setTimeout(leave, leavingMs);
  function leave(): void {
    if (isSubmitting()) timer = setTimeout(leave, leavingMs);
    else window.location.reload();
  }
  return () => clearTimeout(timer);
}

let awaited = 0;

/** Notes that a form of this page waits for its answer, which may lead elsewhere; returns how to note its end. */
export function trackSubmission(): () => void {
  awaited++;
  return () => {
    awaited--;
  };
}

/** Whether a form of this page waits for its answer. */
export function isSubmitting(): boolean {
  return awaited > 0;
}
