import type { Metadata } from "next";
import { headers } from "next/headers";
import { brandName } from "#brand/name.ts";
import "./not-found.css";

export const metadata: Metadata = { title: "Page not found" };

// Used by both apps, each in its own colors. Works without scripts.
export default async function GlobalNotFound() {
  const isService = (await headers()).get("x-gangway-app") === "service";
  const app = isService ? "service" : "partner";
  return (
    <html lang="en" data-app={app}>
      <body className="mx-auto flex min-h-dvh max-w-xl flex-col px-5 py-8 sm:py-14">
        <header className="flex items-center gap-3">
          {/* biome-ignore lint/performance/noImgElement: an SVG of our own has no sizes to choose from */}
          <img src={`/${app}/icon.svg`} alt="" width="36" height="36" />
          <span className="heading text-2xl">{isService ? "Plainbook" : brandName}</span>
        </header>
        <main className="my-auto py-12">
          <p className="eyebrow text-accent">404</p>
          <h1 className="mt-2 text-3xl sm:text-4xl">We can’t find that page</h1>
          <p className="mt-4 text-lg text-ink-soft">Check the address, or go back.</p>
          <p className="mt-8">
            <a className="link" href="/">
              Go to the home page
            </a>
          </p>
        </main>
      </body>
    </html>
  );
}
