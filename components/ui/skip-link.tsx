export function SkipLink({ children = "Skip to content" }: { children?: string }) {
  return (
    <a
      href="#main"
      className="sr-only focus:not-sr-only focus:fixed focus:top-3 focus:left-3 focus:z-50 focus:rounded-control focus:bg-primary focus:px-4 focus:py-2.5 focus:font-semibold focus:text-on-primary"
    >
      {children}
    </a>
  );
}
