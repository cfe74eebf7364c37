import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { LiveProvider } from "../live/live-provider.tsx";
import { RoutineTracker } from "./routine-tracker.tsx";

/** One routine, kept up to date until nothing more can happen. */
export function RoutinePage({ initial }: { initial: RoutineView }) {
  return (
    <LiveProvider>
      <RoutineTracker initial={initial} />
    </LiveProvider>
  );
}
