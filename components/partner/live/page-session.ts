import { pagePersonHeader } from "#lib/partner/live/live-event.ts";

/** Fetches on behalf of this page's person: 401 once someone else or no one is signed in. */
export function fetchAsPage(path: string, init?: RequestInit): Promise<Response> {
  const { person = "" } = document.documentElement.dataset;
  return fetch(path, { ...init, headers: { [pagePersonHeader]: person }, cache: "no-store" });
}

// The page that signs out is already navigating when it gets the event.
const leavingMs = 3000;

/** Reloads a signed-out page, which redirects to sign-in and back, once no form waits for its answer. Returns how to stop it. */
export function reloadWhenIdle(): () => void {
  let timer = setTimeout(leave, leavingMs);
  function leave(): void {
    if (isSubmitting()) timer = setTimeout(leave, leavingMs);
    else window.location.reload();
  }
  return () => clearTimeout(timer);
}

let awaited = 0;

/** Marks a form of this page as waiting for its answer; returns how to end that. */
export function trackSubmission(): () => void {
  awaited++;
  return () => {
    awaited--;
  };
}

export function isSubmitting(): boolean {
  return awaited > 0;
}
