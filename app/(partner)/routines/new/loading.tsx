import { ListSkeleton } from "#components/partner/routines/list-skeleton.tsx";

export default function NewRoutineLoading() {
  return <ListSkeleton label="Loading accounts and sellers" />;
}
