import { ListSkeleton } from "#components/partner/routines/list-skeleton.tsx";

export default function RoutinesLoading() {
  return <ListSkeleton label="Loading the routines" />;
}
