/**
 * The V8 heap limits of `npm start` and `npm run demo` in MB, for the young generation and in total. Smaller limits collect
 * sooner and keep the process small.
 */
export const heapLimits = ["--max-semi-space-size=8", "--max-old-space-size=512"];
