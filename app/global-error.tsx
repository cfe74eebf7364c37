"use client";

// A style sheet of its own would be loaded with every page. What is set here by script needs no leave from the CSP.
const page = {
  colorScheme: "light dark",
  font: "1.125rem/1.6 system-ui, sans-serif",
  padding: "2rem",
  maxWidth: "30rem",
};

// Stands in for a whole document when even a layout fails, so it wears neither app's brand.
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" style={page}>
      <body>
        <title>Something went wrong</title>
        <main>
          <h1>Something went wrong on our side</h1>
          <p>Nothing you sent was lost, and nothing was done twice. Trying again is safe.</p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </main>
      </body>
    </html>
  );
}
