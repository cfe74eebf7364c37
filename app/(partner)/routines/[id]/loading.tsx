import { ListSkeleton } from "#components/partner/routines/list-skeleton.tsx";

export default function RoutineLoading() {
  return <ListSkeleton label="Loading the routine" />;
}
