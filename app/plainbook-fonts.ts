import localFont from "next/font/local";

// Under the SIL Open Font License (beside each file), served from our own origin. fontTools' instancer cut the text
// font to weights 400 to 700 and the heading font to 480. One file per app, because a page preloads every font in a
// module that its layout imports.

export const newsreader = localFont({
  src: "./fonts/newsreader.woff2",
  variable: "--font-newsreader",
  weight: "400 700",
  display: "swap",
  adjustFontFallback: "Times New Roman",
});

export const publicSans = localFont({
  src: "./fonts/public-sans.woff2",
  variable: "--font-public-sans",
  weight: "400 700",
  display: "swap",
});
