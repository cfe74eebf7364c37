/**
 * The V8 limits of `npm start` and `npm run demo`, in megabytes: how much may be new, and how much may live in all. A smaller limit
 * makes it collect sooner, so that the process holds little more than it needs.
 */
export const heapLimits = ["--max-semi-space-size=8", "--max-old-space-size=512"];
