import type { RoutineView } from "#lib/partner/routines/routine-view.ts";
import { QueryProvider } from "../query-provider.tsx";
import { RoutineTracker } from "./routine-tracker.tsx";

/** One routine, kept up to date until nothing more can happen. */
export function RoutinePage({ initial }: { initial: RoutineView }) {
  return (
    <QueryProvider>
      <RoutineTracker initial={initial} />
    </QueryProvider>
  );
}
