import localFont from "next/font/local";

// Under the SIL Open Font License (beside each file), served from our own origin. fontTools' instancer cut the text
// font to weights 400 to 700 and the heading font to 650. One file per app, because a page preloads every font in a
// module that its layout imports.

export const headingFont = localFont({
  src: "../app/fonts/bricolage-grotesque.woff2",
  variable: "--font-heading",
  weight: "400 700",
  display: "swap",
});

export const textFont = localFont({
  src: "../app/fonts/hanken-grotesk.woff2",
  variable: "--font-text",
  weight: "400 700",
  display: "swap",
});
