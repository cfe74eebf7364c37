import { brandName } from "#brand/name.ts";
import { useWords } from "#use-words";
import { ServiceName } from "../service-name.tsx";

type Lane = "you" | "brand" | "service";

type Step = { from: Lane; to: Lane; what: "signUp" | "sendDetails" | "approve" | "authorize" | "connect" | "pay" };

// Left to right.
const lanes = [
  { id: "you", role: "seller" },
  { id: "brand", role: "marketplace" },
  { id: "service", role: "service" },
] as const;

// The whole journey.
const story: Step[] = [
  { from: "you", to: "brand", what: "signUp" },
  { from: "brand", to: "service", what: "sendDetails" },
  { from: "service", to: "brand", what: "approve" },
  { from: "you", to: "service", what: "authorize" },
  { from: "brand", to: "service", what: "connect" },
  { from: "brand", to: "service", what: "pay" },
];

export function StoryPicture() {
  const t = useWords("home.story");
  return (
    <figure className="rounded-card border border-line bg-surface p-4 shadow-card sm:p-7">
      <figcaption className="sr-only">{t("caption")}</figcaption>
      <div className="flex justify-between text-center" aria-hidden="true">
        {lanes.map((lane) => (
          <p key={lane.id} className="w-1/4 leading-tight whitespace-nowrap">
            <span className="block font-display text-base font-semibold sm:text-lg">
              <LaneName lane={lane.id} />
            </span>
            <span className="block text-xs text-ink-soft sm:text-sm">{t(lane.role)}</span>
          </p>
        ))}
      </div>
      <div className="relative mt-4">
        <Lifelines />
        <ol className="relative flex flex-col gap-4 py-5">
          {story.map((step, index) => (
            <StoryStep key={step.what} step={step} number={index + 1} />
          ))}
        </ol>
      </div>
    </figure>
  );
}

function Lifelines() {
  return (
    <div aria-hidden="true" className="absolute inset-y-0 right-[12.5%] left-[12.5%] flex justify-between">
      {lanes.map((lane) => (
        <span key={lane.id} className="h-full w-0 border-l-2 border-dotted border-line-strong/60" />
      ))}
    </div>
  );
}

function StoryStep({ step, number }: { step: Step; number: number }) {
  const t = useWords("home.story");
  const { arrow, label } = marginsOf(step);
  return (
    <li>
      <div className={label}>
        <p className="flex w-fit items-baseline gap-2 bg-surface px-1 text-sm leading-snug">
          <span aria-hidden="true" className="font-display font-bold text-accent tabular-nums">
            {number}
          </span>
          <span>
            <span className="font-semibold">{t(step.what)}</span>
            <span className="sr-only">
              {t.rich("fromTo", {
                from: () => <LaneName lane={step.from} />,
                to: () => <LaneName lane={step.to} />,
              })}
            </span>
          </span>
        </p>
      </div>
      <div className={arrow}>
        <Arrow pointsLeft={indexOf(step.to) < indexOf(step.from)} />
      </div>
    </li>
  );
}

function Arrow({ pointsLeft }: { pointsLeft: boolean }) {
  return (
    <span aria-hidden="true" className={`mt-2 flex items-center text-accent ${pointsLeft ? "rotate-180" : ""}`}>
      <span className="h-0.5 flex-1 bg-current" />
      <svg viewBox="0 0 8 12" className="-ml-0.5 h-3 w-2" aria-hidden="true" fill="currentColor">
        <path d="M0 0 8 6 0 12Z" />
      </svg>
    </span>
  );
}

// The lanes are at 1/8, 1/2 and 7/8 of the width. Arrows span lanes; so do labels on wide screens.
function marginsOf({ from, to }: Step): { arrow: string; label: string } {
  const isLong = Math.abs(indexOf(to) - indexOf(from)) === 2;
  if (isLong) return { arrow: "mx-[12.5%]", label: "flex justify-center sm:mx-[12.5%]" };
  if (Math.min(indexOf(from), indexOf(to)) === 0) {
    return { arrow: "mr-[50%] ml-[12.5%]", label: "ml-[12.5%] flex sm:mr-[50%] sm:justify-center" };
  }
  return { arrow: "mr-[12.5%] ml-[50%]", label: "flex justify-end sm:mr-[12.5%] sm:ml-[50%] sm:justify-center" };
}

function indexOf(lane: Step["from"]): number {
  return lanes.findIndex(({ id }) => id === lane);
}

function LaneName({ lane }: { lane: Lane }) {
  const t = useWords("home.story");
  switch (lane) {
    case "you":
      return t("you");
    case "brand":
      return brandName;
    case "service":
      return <ServiceName />;
  }
}
