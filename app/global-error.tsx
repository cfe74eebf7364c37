"use client";

import { RetryByItself } from "#components/ui/retry-by-itself.tsx";

// A style sheet would be loaded with every page. Styles that a script sets are not subject to the CSP.
const page = {
  colorScheme: "light dark",
  font: "1.125rem/1.6 system-ui, sans-serif",
  padding: "2rem",
  maxWidth: "30rem",
};

// Replaces the whole document when a layout fails, so it shows neither app's brand.
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" style={page}>
      <body>
        <title>Something went wrong</title>
        <main>
          <h1>Something went wrong on our side</h1>
          <p>Nothing you sent was lost, and nothing was done twice. Trying again is safe, and happens by itself.</p>
          <RetryByItself retry={retry} />
          <button type="button" onClick={retry}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
