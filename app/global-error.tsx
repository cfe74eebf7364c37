"use client";

import { AutoRetry } from "#components/ui/auto-retry.tsx";

// A style sheet would load with every page. Styles set by script are exempt from the CSP.
const page = {
  colorScheme: "light dark",
  font: "1.125rem/1.6 system-ui, sans-serif",
  padding: "2rem",
  maxWidth: "30rem",
};

// Replaces the whole document when a layout fails, so it uses neither app's brand.
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" style={page}>
      <body>
        <title>Something went wrong</title>
        <main>
          <h1>Something went wrong on our side</h1>
          <p>
            We didn’t lose anything you sent, and nothing was done twice. It’s safe to try again, and we’ll retry
            automatically.
          </p>
          <AutoRetry retry={retry} />
          <button type="button" onClick={retry}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
