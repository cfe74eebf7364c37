// The page on which somebody signs out hears of it as their other pages do, and is on its way elsewhere already.
const leavingMs = 3000;

/**
 * Loads the page again, unless it is left meanwhile: nobody is signed in any more, so it leads to sign-in, and from there
 * back here. Returns how to stop it.
 */
export function signInAgain(): () => void {
  const timer = setTimeout(() => window.location.reload(), leavingMs);
  return () => clearTimeout(timer);
}
