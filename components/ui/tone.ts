export type Tone = "neutral" | "info" | "success" | "warning" | "danger";

/** A soft background with a readable text color. */
export const toneGround: Record<Tone, string> = {
  neutral: "bg-sunken text-ink",
  info: "bg-info-soft text-info",
  success: "bg-success-soft text-success",
  warning: "bg-warning-soft text-warning",
  danger: "bg-danger-soft text-danger",
};

export const toneInk: Record<Tone, string> = {
  neutral: "text-ink-soft",
  info: "text-info",
  success: "text-success",
  warning: "text-warning",
  danger: "text-danger",
};
