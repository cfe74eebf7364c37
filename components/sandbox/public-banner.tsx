/** The notice above each page of a public sandbox. */
export function PublicBanner({ children }: { children: string }) {
  return (
    <aside aria-label="About this sandbox" className="w-full bg-ink px-4 py-2 text-center text-canvas text-sm sm:px-8">
      {children}
    </aside>
  );
}
