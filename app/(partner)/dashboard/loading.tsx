import { CardsSkeleton } from "#components/partner/connection/cards-skeleton.tsx";

export default function DashboardLoading() {
  return <CardsSkeleton label="Loading your dashboard" />;
}
