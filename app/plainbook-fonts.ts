import localFont from "next/font/local";

// SIL Open Font License (next to each file), self-hosted. One module per app, because a page preloads every font of a module
// that its layout imports.

export const newsreader = localFont({
  src: "./fonts/newsreader.woff2",
  variable: "--font-newsreader",
  weight: "200 800",
  display: "swap",
  adjustFontFallback: "Times New Roman",
});

export const publicSans = localFont({
  src: "./fonts/public-sans.woff2",
  variable: "--font-public-sans",
  weight: "100 900",
  display: "swap",
});
