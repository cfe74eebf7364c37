import localFont from "next/font/local";

// Under the SIL Open Font License (beside each file) and served from our own origin. One file per app, because a page
// preloads every font of a file that its layout imports.

export const bricolageGrotesque = localFont({
  src: "./fonts/bricolage-grotesque.woff2",
  variable: "--font-bricolage-grotesque",
  weight: "200 800",
  display: "swap",
});

export const hankenGrotesk = localFont({
  src: "./fonts/hanken-grotesk.woff2",
  variable: "--font-hanken-grotesk",
  weight: "100 900",
  display: "swap",
});
