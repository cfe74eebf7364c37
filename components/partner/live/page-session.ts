import { pagePersonHeader } from "#lib/partner/live/live-event.ts";

/** Fetches for this page's person: 401 once no one, or someone else, is signed in. */
export function fetchAsPage(path: string, init?: RequestInit): Promise<Response> {
  const { person = "" } = document.documentElement.dataset;
  return fetch(path, { ...init, headers: { [pagePersonHeader]: person }, cache: "no-store" });
}

// A page that signs out is already navigating when it gets the event.
const leavingMs = 3000;

/** Reloads a page that is signed out or whose item is gone, once no form is pending. Returns a cancel function. */
export function reloadWhenIdle(): () => void {
  let timer = setTimeout(leave, leavingMs);
  function leave(): void {
    if (isSubmitting()) timer = setTimeout(leave, leavingMs);
    else window.location.reload();
  }
  return () => clearTimeout(timer);
}

let awaited = 0;

/** Marks a form of this page as pending; returns a function that ends that. */
export function trackSubmission(): () => void {
  awaited++;
  return () => {
    awaited--;
  };
}

export function isSubmitting(): boolean {
  return awaited > 0;
}
