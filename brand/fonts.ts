import localFont from "next/font/local";

// Under the SIL Open Font License (beside each file) and served from our own origin. One file per app, because a page
// preloads every font of a file that its layout imports.

export const headingFont = localFont({
  src: "../app/fonts/bricolage-grotesque.woff2",
  variable: "--font-heading",
  weight: "200 800",
  display: "swap",
});

export const textFont = localFont({
  src: "../app/fonts/hanken-grotesk.woff2",
  variable: "--font-text",
  weight: "100 900",
  display: "swap",
});
