import type { Metadata } from "next";
import { headers } from "next/headers";
import "./neutral.css";

export const metadata: Metadata = { title: "There is nothing at this address" };

// Shown by both apps, so it has neither brand.
export default async function GlobalNotFound() {
  const isPartner = (await headers()).get("x-gangway-app") === "partner";
  return (
    <html lang="en">
      <body className="grid min-h-dvh place-items-center p-6">
        <main className="max-w-md">
          <h1 className="text-3xl">There is nothing at this address</h1>
          <p className="mt-3 text-lg text-ink-soft">Check it for a typing mistake, or go back to where you were.</p>
          {isPartner ? (
            <p className="mt-6">
              <a className="link" href="/">
                Go to the start
              </a>
            </p>
          ) : null}
        </main>
      </body>
    </html>
  );
}
