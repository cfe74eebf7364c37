export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md" | "lg";

const base =
  "inline-flex items-center justify-center gap-2 rounded-control border text-center font-semibold leading-tight transition-colors duration-150 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 disabled:cursor-not-allowed disabled:opacity-60";

const variants: Record<ButtonVariant, string> = {
  primary: "border-transparent bg-primary text-on-primary hover:bg-primary-hover",
  secondary: "border-line-strong bg-surface text-ink hover:border-ink hover:bg-sunken",
  ghost:
    "border-transparent bg-transparent text-ink underline decoration-line-strong underline-offset-4 hover:bg-sunken hover:decoration-ink",
  danger: "border-danger bg-transparent text-danger hover:bg-danger-soft",
};

const sizes: Record<ButtonSize, string> = {
  sm: "min-h-9 pointer-coarse:min-h-11 px-3 py-1.5 text-sm",
  md: "min-h-11 px-5 py-2.5 text-base",
  lg: "min-h-13 px-7 py-3 text-lg",
};

export function buttonStyle(variant: ButtonVariant = "primary", size: ButtonSize = "md", more = ""): string {
  return `${base} ${variants[variant]} ${sizes[size]} ${more}`;
}
